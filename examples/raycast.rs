//! Casts rays at a mesh file. Prints a depth image made of characters, and the attributes of the
//! surface at the nearest hit. The first run for a large file writes an index to the cache of the
//! user, which makes later runs fast.
//!
//! `cargo run --release --example raycast FILE`
#![allow(clippy::indexing_slicing, reason = "an example should be short")]

use std::{error::Error, io::Write, path::Path};

use meshpeek::query::{Attributes, Hit, Ray};
use meshpeek::{Bounds, OpenOptions, SidecarCache};

/// The width and the height of the image in characters, which are twice as high as wide.
const SIZE: [u8; 2] = [96, 48];
/// Characters from near to far.
const SHADES: [char; 8] = ['@', '#', '*', '+', '=', '-', ':', '.'];

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (model, _) = OpenOptions::default().open_indexed(path, &SidecarCache::of_user())?;
    let scene = model.scene()?; // builds no tree that the index has
    let hits = scene.rays(&camera(&scene.bounds())); // all processors with the feature `rayon`
    let depths = || hits.iter().flatten().map(|hit| hit.distance);
    let (near, far) = (depths().fold(f32::INFINITY, f32::min), depths().fold(0.0, f32::max));
    let steps = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(|step| near + (far - near) * step / 8.0);
    let shade = |hit: &Hit| SHADES[steps.iter().filter(|step| hit.distance > **step).count()];
    for row in hits.chunks(SIZE[0].into()) {
        let row: String = row.iter().map(|hit| hit.as_ref().map_or(' ', shade)).collect();
        writeln!(out, "{}", row.trim_end())?;
    }
    // A hit has its barycentric coordinates, by which attributes of the corners are interpolated.
    if let Some(hit) = hits.iter().flatten().find(|hit| hit.distance <= near) {
        let surface = model.surface(hit.surface)?;
        let point = Attributes::new(&surface)?.at(usize::try_from(hit.triangle)?, hit.barycentric);
        writeln!(out, "nearest hit: surface {}, triangle {}, {point:?}", surface.name()?, hit.triangle)?;
    }
    Ok(())
}

/// Returns the rays of a camera above a corner of a box, row by row from the upper left.
fn camera(Bounds { min, max }: &Bounds) -> Vec<Ray> {
    let middle: [f32; 3] = std::array::from_fn(|axis| (min[axis] + max[axis]) * 0.5);
    let radius = (0..3).map(|axis| (max[axis] - middle[axis]).powi(2)).sum::<f32>().sqrt();
    // Unit vectors: forward, to the right and up.
    let [forward, right, up] = [[-0.64, 0.48, -0.6], [0.6, 0.8, 0.0], [-0.48, 0.36, 0.8_f32]];
    let eye: [f32; 3] = std::array::from_fn(|axis| middle[axis] - forward[axis] * radius * 2.5);
    let at = |step: u8, steps: u8| ((f32::from(step) + 0.5) / f32::from(steps) * 2.0 - 1.0) * 0.45;
    let ray = |x, y| Ray::new(eye, std::array::from_fn(|axis| forward[axis] + right[axis] * x - up[axis] * y));
    (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| ray(at(x, SIZE[0]), at(y, SIZE[1])))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: raycast FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}
