//! What a ray meets in a mesh file of any format: a depth picture in letters, and what the surface has in the middle of it.
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
    reason = "the file is mapped, and an example is to be short"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use meshpeek::query::{Attributes, Hit, Ray, Scene, Triangles};
use meshpeek::sidecar::{self, Key};
use meshpeek::{Bounds, Model, Surface};

/// Letters of the picture. A letter is twice as high as it is wide.
const PICTURE: [usize; 2] = [96, 48];
/// From near to far.
const SHADES: &[u8] = b"@#*+=-:.";
/// Rays along each side of a letter: what is cast for the rate alone.
const FINER: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).map_or("data/unigine/room_ms11.mesh".into(), PathBuf::from);

    // SAFETY: nobody writes to the file while this runs. `meshpeek::read` is the safe way, and copies.
    let model = Model::open(unsafe { meshpeek::map(&path)? })?;
    let geometry = model.geometry()?;

    // Trees that are there already, in a sidecar, are used as they are; without one, they are built.
    let start = Instant::now();
    let key = Key::of(&std::fs::metadata(&path)?);
    let scene = match sidecar::find(&path, &key, |path, _| meshpeek::read(path)) {
        Some(found) => Scene::indexed(geometry, &Arc::new(found.sidecar))?,
        None => Scene::new(geometry)?,
    };
    let triangles: u32 = scene.trees().filter_map(|(surface, _)| scene.triangles(surface)).map(Triangles::len).sum();
    let bytes: u64 = scene.trees().map(|(_, tree)| tree.bytes()).sum();
    println!("{}: {triangles} triangles, trees of {bytes} bytes in {:.1?}", path.display(), start.elapsed());

    // One ray for each letter, all asked together; with the feature `rayon`, by all processors.
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

    // A hit says where on the triangle it is, so that anything the corners have can be had in between.
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

/// Makes the rays of a camera that sees all of a box from above its corner, row by row from the upper left.
fn rays(bounds: &Bounds, [width, height]: [usize; 2]) -> Vec<Ray> {
    let middle: [f32; 3] = std::array::from_fn(|axis| (bounds.min[axis] + bounds.max[axis]) * 0.5);
    let radius = (0..3).map(|axis| (bounds.max[axis] - middle[axis]).powi(2)).sum::<f32>().sqrt();
    // Unit vectors: forward into the picture, to the right, and up.
    let axes = [[-0.64, 0.48, -0.6], [0.6, 0.8, 0.0], [-0.48, 0.36, 0.8_f32]];
    let eye: [f32; 3] = std::array::from_fn(|axis| middle[axis] - axes[0][axis] * radius * 2.5);
    let ray = |x: usize, y: usize| {
        let at = |step: usize, steps: usize| ((step as f32 + 0.5) / steps as f32 * 2.0 - 1.0) * 0.42;
        let (right, down) = (at(x, width), at(y, height));
        Ray::new(eye, std::array::from_fn(|axis| axes[0][axis] + axes[1][axis] * right - axes[2][axis] * down))
    };
    (0..height).flat_map(|y| (0..width).map(move |x| ray(x, y))).collect()
}
