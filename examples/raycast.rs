//! Casts rays at a mesh file. Prints a depth image made of characters, and the surface at the
//! nearest hit. The first run for a large file writes an index. `cargo run --example raycast FILE`
#![allow(clippy::indexing_slicing, reason = "an example should be short")]

use std::{error::Error, io::Write, path::Path};

use meshpeek::query::{Attributes, Hit, Ray};
use meshpeek::{Bounds, OpenOptions, SidecarCache};

const SIZE: [u8; 2] = [96, 48]; // in characters, which are twice as high as wide
const SHADES: [char; 8] = ['@', '#', '*', '+', '=', '-', ':', '.']; // from near to far

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (model, _) = OpenOptions::default().open_indexed(path, &SidecarCache::of_user())?;
    let scene = model.scene()?; // builds no tree that the index has
    let hits = scene.rays(&camera(&scene.bounds())); // all processors with the feature `rayon`
    let depths = || hits.iter().flatten().map(|hit| hit.distance);
    let (near, far) = (depths().fold(f32::INFINITY, f32::min), depths().fold(0.0, f32::max));
    let is_far = |hit: &Hit, shade: u8| hit.distance > near + (far - near) * f32::from(shade) / 8.0;
    let shade = |hit: &Hit| SHADES[(1..8).filter(|shade| is_far(hit, *shade)).count()];
    for row in hits.chunks(SIZE[0].into()) {
        let row: String = row.iter().map(|hit| hit.as_ref().map_or(' ', shade)).collect();
        writeln!(out, "{}", row.trim_end())?;
    }
    if let Some(hit) = hits.iter().flatten().find(|hit| hit.distance <= near) {
        let surface = model.surface(hit.surface)?;
        let normal = Attributes::new(&surface)?.normal(usize::try_from(hit.triangle)?, hit.barycentric);
        writeln!(out, "nearest hit: surface {}, triangle {}, normal {normal:?}", surface.name()?, hit.triangle)?;
    }
    Ok(())
}

/// Returns the parallel rays of a camera above a corner of a box, row by row from the upper left.
fn camera(bounds: &Bounds) -> Vec<Ray> {
    let (middle, radius) = (bounds.center(), bounds.size().iter().map(|size| size * size).sum::<f32>().sqrt() * 0.5);
    let [forward, right, up] = [[-0.64, 0.48, -0.6], [0.6, 0.8, 0.0], [-0.48, 0.36, 0.8_f32]];
    let at = |step: u8, steps: u8| ((f32::from(step) + 0.5) / f32::from(steps) * 2.0 - 1.0) * radius * 1.1;
    let from = |axis: usize, x, y| middle[axis] + right[axis] * x - up[axis] * y - forward[axis] * radius * 2.0;
    let ray = |x, y| Ray::new(std::array::from_fn(|axis| from(axis, x, y)), forward);
    (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| ray(at(x, SIZE[0]), at(y, SIZE[1])))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args_os().nth(1).ok_or("usage: raycast FILE")?.as_ref(), &mut std::io::stdout())
}
