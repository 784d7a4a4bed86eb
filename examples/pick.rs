//! Finds the triangle in the middle of a picture: casts the ray of a pixel of a simple camera.
//!
//! `cargo run --release --example pick FILE`

use std::{error::Error, io::Write, path::Path};

use meshpeek::Bounds;
use meshpeek::query::{Attributes, Hit, Ray};

/// The width and height of the picture, in pixels.
const SIZE: [f32; 2] = [800.0, 600.0];

/// Returns the ray through a pixel, counted from the upper left, of a camera that looks along the y
/// axis at a whole box. The z axis points up.
pub(crate) fn pixel_ray(bounds: &Bounds, [x, y]: [f32; 2]) -> Ray {
    let ([min_x, min_y, min_z], [max_x, max_y, max_z]) = (bounds.min, bounds.max);
    let size = (max_x - min_x).max(max_y - min_y).max(max_z - min_z);
    let eye = [min_x.midpoint(max_x), min_y - 2.0 * size, min_z.midpoint(max_z)];
    let [width, height] = SIZE;
    // A field of view of about 53 degrees: the picture is as high as it is far away.
    let (right, up) = ((x + 0.5 - width / 2.0) / height, (height / 2.0 - y - 0.5) / height);
    Ray::new(eye, [right, 1.0, up])
}

/// Returns the hit of the ray through a pixel, and the texture coordinates of the hit if the
/// surface has them.
pub(crate) fn pick(path: &Path, pixel: [f32; 2]) -> meshpeek::Result<Option<(Hit, Option<[f32; 2]>)>> {
    let model = meshpeek::open(path)?; // a file of any format
    let scene = model.scene()?; // a program builds it once, and casts many rays
    let Some(hit) = scene.ray(&pixel_ray(&scene.bounds(), pixel)) else { return Ok(None) };
    let attributes = Attributes::new(&model.surface(hit.surface)?)?;
    let triangle = usize::try_from(hit.triangle).unwrap_or(usize::MAX);
    Ok(Some((hit, attributes.uv(0, triangle, hit.barycentric))))
}

pub(crate) fn run(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let Some((hit, uv)) = pick(path, SIZE.map(|length| length / 2.0))? else { return Ok(writeln!(out, "nothing")?) };
    let Hit { surface, triangle, point, normal, .. } = hit;
    Ok(writeln!(out, "surface {surface}, triangle {triangle} at {point:?}, normal {normal:?}, UV {uv:?}")?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: pick FILE")?;
    run(path.as_ref(), &mut std::io::stdout().lock())
}
