//! Plays the first clip of a mesh file, which moves bones or interpolates stored shapes of the
//! mesh, and prints the box around each moment. For a file without clips, prints morph targets.
//!
//! `cargo run --example animate FILE`
#![allow(clippy::as_conversions, reason = "an example should be short")]

use std::{error::Error, io::Write, path::Path};

use meshpeek::model::{InterpolatedPositions, SpaceConversion, animation::Affine};
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
    let (skeleton, mut pose) = (model.skeleton()?, Pose::rest(model.animations())?);
    let mut bones = vec![Affine::IDENTITY; skeleton.len()];
    for seconds in [0.0, 0.05, 0.1, 0.25, 0.5, 1.0] {
        // The clip is repeated. A clip without a frame rate gets 30 frames per second.
        let moment = clip.at(seconds, Some(30.0), true).ok_or("the frame rate is not above 0")?;
        let mut points = Vec::new();
        if clip.first_vertex_frame.is_some() {
            for surface in model.surfaces()? {
                let [from, to] = [moment.from, moment.to].map(|frame| surface.vertex_frame(frame as usize));
                points.extend(InterpolatedPositions::new(from?, to?, moment.fraction).iter());
            }
        } else {
            pose.set_moment(model.animations(), 0, &moment)?;
            skeleton.model(pose.bones(), &mut bones)?;
            // A file may have bones only.
            points.extend(bones.iter().map(|bone| bone.apply([0.0; 3])));
            let palette = pose.palette(&skeleton, &SpaceConversion::IDENTITY)?;
            for surface in model.surfaces()? {
                let skinned = SkinnedSurface::new(&surface, palette)?;
                let mut positions = vec![[0.0; 3]; skinned.len()];
                skinned.positions_into(&mut positions)?;
                points.append(&mut positions);
            }
        }
        let Bounds { min, max } = points.into_iter().collect();
        writeln!(out, "{} at {seconds} s: {min:?} to {max:?}", clip.name)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: animate FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}
