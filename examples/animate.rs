//! Plays the first clip of a mesh file, of bones or of vertex frames, and prints the box around
//! each moment, or morph targets of a file without clips. `cargo run --example animate FILE`
#![allow(clippy::as_conversions, reason = "an example should be short")]

use std::{error::Error, io::Write, path::Path};

use meshpeek::model::{InterpolatedPositions, SpaceConversion};
use meshpeek::{Array, Bounds, Pose, SkinnedSurface};

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let model = meshpeek::open(path)?;
    let Some(clip) = model.clips()?.next().transpose()?.filter(|clip| clip.frames > 0) else {
        for surface in model.surfaces()? {
            for target in 1..surface.counts()?.targets as usize {
                let half = InterpolatedPositions::new(surface.positions()?, surface.target_positions(target)?, 0.5);
                writeln!(out, "{}, halfway to morph target {target}: {:?}", surface.name()?, half.bounds())?;
            }
        }
        return Ok(writeln!(out, "no clip with frames")?);
    };
    let (skeleton, mut pose, mut points) = (model.skeleton()?, Pose::rest(model.animations())?, Vec::new());
    for seconds in [0.0, 0.05, 0.1, 0.25, 0.5, 1.0] {
        // The clip is repeated. A clip without a frame rate gets 30 frames per second.
        let moment = clip.at(seconds, Some(30.0), true).ok_or("the frame rate is not above 0")?;
        points.clear();
        for surface in model.surfaces()? {
            if clip.first_vertex_frame.is_some() {
                let [from, to] = [moment.from, moment.to].map(|frame| surface.vertex_frame(frame as usize));
                points.extend(InterpolatedPositions::new(from?, to?, moment.fraction).iter());
                continue;
            }
            pose.set_moment(model.animations(), 0, &moment)?;
            let skinned = SkinnedSurface::new(&surface, pose.palette(&skeleton, &SpaceConversion::IDENTITY)?)?;
            (0..surface.counts()?.vertices)
                .try_for_each(|vertex| skinned.position(vertex).map(|at| points.extend(at)))?;
        }
        let Bounds { min, max } = points.iter().copied().collect();
        writeln!(out, "{} at {seconds} s: {min:?} to {max:?}", clip.name)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args_os().nth(1).ok_or("usage: animate FILE")?.as_ref(), &mut std::io::stdout())
}
