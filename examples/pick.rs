//! Finds the triangle under a pixel of a picture: casts the ray of a simple camera.
//!
//! ```text
//! cargo run --release --example pick -- data/unigine/room_ms11.mesh 400 300
//! ```
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use meshpeek::query::{Attributes, Hit, Ray, Scene};
use meshpeek::{Bounds, Result, Surface};

/// The width and height of the picture, in pixels.
const SIZE: [f32; 2] = [800.0, 600.0];

/// Returns the ray through a pixel, counted from the upper left, of a camera that looks along the y
/// axis at a whole box. The z axis points up.
pub fn pixel_ray(bounds: &Bounds, [x, y]: [f32; 2]) -> Ray {
    let ([min_x, min_y, min_z], [max_x, max_y, max_z]) = (bounds.min, bounds.max);
    let size = (max_x - min_x).max(max_y - min_y).max(max_z - min_z);
    let eye = [(min_x + max_x) / 2.0, min_y - 2.0 * size, (min_z + max_z) / 2.0];
    let [width, height] = SIZE;
    // A field of view of about 53 degrees: the picture is as high as it is far away.
    let (right, up) = ((x + 0.5 - width / 2.0) / height, (height / 2.0 - y - 0.5) / height);
    Ray::new(eye, [right, 1.0, up])
}

/// Casts a ray and returns the hit, and the UV coordinates of the hit if the surface has them.
///
/// # Errors
///
/// Returns the first error in the file.
pub fn pick(path: &str, pixel: [f32; 2]) -> Result<Option<(Hit, Option<[f32; 2]>)>> {
    let model = meshpeek::open(path)?; // a file of any format
    let geometry = model.geometry()?;
    let scene = Scene::new(geometry)?; // a program builds it once, and casts many rays
    let Some(hit) = scene.ray(&pixel_ray(&scene.bounds(), pixel)) else { return Ok(None) };
    let attributes = Attributes::new(&Surface::new(geometry, hit.surface))?;
    let triangle = usize::try_from(hit.triangle).unwrap_or(usize::MAX);
    Ok(Some((hit, attributes.uv(0, triangle, hit.barycentric))))
}

/// Picks at the pixel that is given on the command line, or at the middle of the picture.
#[allow(dead_code, reason = "a test uses this file as a module")]
fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "data/unigine/room_ms11.mesh".into());
    let mut pixel = SIZE.map(|part| part / 2.0);
    for (part, text) in pixel.iter_mut().zip(arguments) {
        *part = text.parse().unwrap_or(*part);
    }
    match pick(&path, pixel)? {
        None => println!("{path}: nothing at pixel {pixel:?}"),
        Some((Hit { surface, triangle, point, normal, .. }, uv)) => {
            println!("{path}: surface {surface}, triangle {triangle} at {point:?}, normal {normal:?}, UV {uv:?}");
        }
    }
    Ok(())
}
