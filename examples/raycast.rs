//! Casts rays at a mesh file of any format. Prints a depth image made of characters, and the
//! surface attributes at a hit near its centre.
//!
//! `cargo run --release --example raycast [FILE]`
#![allow(
    unsafe_code,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the file is mapped, and an example should be short"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use meshpeek::query::{Attributes, Hit, Ray, Scene, Triangles};
use meshpeek::sidecar::{self, Key};
use meshpeek::{Bounds, Model, Surface};

/// The width and height of the image in characters. A character is twice as high as it is wide.
const PICTURE: [usize; 2] = [96, 48];
/// Characters from near to far.
const SHADES: &[u8] = b"@#*+=-:.";
/// The number of rays along each side of a character when only the rate is measured.
const FINER: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).map_or("data/unigine/room_ms11.mesh".into(), PathBuf::from);

    // SAFETY: no process writes to the file while this runs. `meshpeek::read` is the safe
    // alternative, which copies the file.
    let model = Model::open(unsafe { meshpeek::map(&path)? })?;
    let geometry = model.geometry()?;

    // Existing trees in a sidecar are used as they are. Without a sidecar, the trees are built.
    let start = Instant::now();
    let key = Key::of(&std::fs::metadata(&path)?);
    let scene = match sidecar::find(&path, &key, |file, _| meshpeek::io::read_up_to(file, 0, u64::MAX)) {
        Some(found) => Scene::indexed(geometry, &Arc::new(found.sidecar))?,
        None => Scene::new(geometry)?,
    };
    let triangles: u32 = scene.trees().filter_map(|(surface, _)| scene.triangles(surface)).map(Triangles::len).sum();
    let bytes: u64 = scene.trees().map(|(_, tree)| tree.bytes()).sum();
    println!("{}: {triangles} triangles, trees of {bytes} bytes in {:.1?}", path.display(), start.elapsed());

    // Casts one ray for each character, all in one call. With the feature `rayon`, all processors
    // are used.
    let [width, height] = PICTURE;
    let hits = scene.rays(&rays(&scene.bounds(), PICTURE));
    let depths = || hits.iter().flatten().map(|hit| hit.distance);
    let (near, far) = (depths().fold(f32::INFINITY, f32::min), depths().fold(0.0, f32::max));
    let shade = |hit: &Option<Hit>| {
        let Some(hit) = hit else { return ' ' };
        let part = (hit.distance - near) / (far - near).max(f32::MIN_POSITIVE);
        char::from(SHADES[((part * SHADES.len() as f32) as usize).min(SHADES.len() - 1)])
    };
    for row in hits.chunks(width) {
        println!("{}", row.iter().map(shade).collect::<String>().trim_end());
    }

    let more = rays(&scene.bounds(), [width * FINER, height * FINER]);
    let start = Instant::now();
    let met = scene.rays(&more).iter().flatten().count();
    println!(
        "{} rays, {met} hits: {:.2} million rays/s",
        more.len(),
        more.len() as f64 / start.elapsed().as_secs_f64() / 1e6
    );

    // A hit has its barycentric coordinates on the triangle. With these, any attribute of the
    // corners can be interpolated.
    if let Some(hit) = hits[width * (height / 2) + width / 3..].iter().flatten().next() {
        let surface = Surface::new(geometry, hit.surface);
        let attributes = Attributes::new(&surface)?;
        let triangle = usize::try_from(hit.triangle)?;
        println!("surface {} ({}), triangle {triangle}, at {:?}", hit.surface, surface.name()?, hit.point);
        println!("  UV {:?}", attributes.uv(0, triangle, hit.barycentric));
        println!("  normal {:?}", attributes.normal(triangle, hit.barycentric));
        println!("  normal of the plane {:?}", attributes.geometric_normal(triangle));
    }
    Ok(())
}

/// Returns the rays of a camera above a corner of a box that sees the whole box, row by row from
/// the upper left.
fn rays(bounds: &Bounds, [width, height]: [usize; 2]) -> Vec<Ray> {
    let middle: [f32; 3] = std::array::from_fn(|axis| (bounds.min[axis] + bounds.max[axis]) * 0.5);
    let radius = (0..3).map(|axis| (bounds.max[axis] - middle[axis]).powi(2)).sum::<f32>().sqrt();
    // Unit vectors: forward into the image, to the right, and up.
    let axes = [[-0.64, 0.48, -0.6], [0.6, 0.8, 0.0], [-0.48, 0.36, 0.8_f32]];
    let eye: [f32; 3] = std::array::from_fn(|axis| middle[axis] - axes[0][axis] * radius * 2.5);
    let ray = |x: usize, y: usize| {
        let at = |step: usize, steps: usize| ((step as f32 + 0.5) / steps as f32 * 2.0 - 1.0) * 0.42;
        let (right, down) = (at(x, width), at(y, height));
        Ray::new(eye, std::array::from_fn(|axis| axes[0][axis] + axes[1][axis] * right - axes[2][axis] * down))
    };
    (0..height).flat_map(|y| (0..width).map(move |x| ray(x, y))).collect()
}
