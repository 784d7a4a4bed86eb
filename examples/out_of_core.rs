//! Casts rays at a mesh that may be larger than memory. The mesh and its trees are memory-mapped,
//! and a ray reads only a few pages of both.
//!
//! `cargo run --release --example out_of_core [--cache] [FILE [RAYS]]`: if the file has no sidecar,
//! one is written first. It is written to a temporary folder or, with `--cache`, to the user's
//! cache, where the next run finds it.
#![allow(
    unsafe_code,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the files are mapped, and an example should be short"
)]

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use meshpeek::query::{PagesTouched, Ray};
use meshpeek::sidecar::SidecarCache;
use meshpeek::{Bounds, Map, OpenOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let (options, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let path = words.first().map_or("data/unigine/room_ms11.mesh".into(), PathBuf::from);
    let count: u32 = words.get(1).map_or(Ok(1_000), |count| count.parse())?;
    let keep = options.iter().any(|option| option == "--cache");

    let folder = tempfile::tempdir()?;
    let cache = if keep { SidecarCache::of_user() } else { SidecarCache::in_folder(folder.path()) };
    let start = Instant::now();
    let mesh = OpenOptions::default().open_indexed_by(
        &path,
        &cache,
        // SAFETY: no process writes to the file while this runs. `OpenOptions::open_indexed_in` is
        // the safe alternative, which copies the file and its sidecar.
        |path| unsafe { Map::open(path) },
        // SAFETY: no process writes to a sidecar. A new one gets the name of the old one.
        |sidecar| unsafe { Map::from_file(sidecar) },
    )?;
    println!("{:?}, in {:.1?}", mesh.state, start.elapsed());

    // Only the headers of the trees are read yet. Surfaces of fewer than 1,024 triangles have no
    // tree in a sidecar; their trees are built here, or they need none.
    let start = Instant::now();
    let scene = mesh.scene()?;
    let in_sidecar = scene.trees().filter(|(_, tree)| tree.is_stored()).count();
    let surfaces = mesh.model.geometry()?.surface_count()?;
    println!("{surfaces} surfaces, {in_sidecar} with a tree in the sidecar, in {:.1?}", start.elapsed());

    let rays = rays(&scene.bounds(), count);
    let start = Instant::now();
    let hits = rays.iter().filter(|ray| scene.ray(ray).is_some()).count();
    println!("{count} rays, {hits} hits in {:.1?}", start.elapsed());
    if let Some(bytes) = anonymous() {
        println!("anonymous memory of this process: {bytes}");
    }

    // Records the pages that the rays read. Recording takes memory and time, so it is done in a
    // second round.
    let mut pages = PagesTouched::default();
    let again = rays.iter().filter(|ray| scene.probed(&mut pages).ray(ray).is_some()).count();
    assert_eq!(hits, again);
    let all = fs::metadata(&path)?.len().div_ceil(meshpeek::PAGE);
    println!("pages read: {} of {all} of the mesh, {} of the trees", pages.mesh(), pages.tree());
    Ok(())
}

/// Returns random rays from a sphere around a box to points in the box.
fn rays(bounds: &Bounds, count: u32) -> Vec<Ray> {
    let mut state = 1_u64;
    // Returns a number from 0 to 1, which is random enough for this purpose.
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 24) as f32
    };
    let size: [f32; 3] = std::array::from_fn(|axis| bounds.max[axis] - bounds.min[axis]);
    let radius = size.iter().map(|side| side * side).sum::<f32>().sqrt();
    let mut ray = || {
        let (turn, height) = (random() * std::f32::consts::TAU, random() * 2.0 - 1.0);
        let level = (1.0 - height * height).sqrt();
        let out = [turn.cos() * level, turn.sin() * level, height];
        let target: [f32; 3] = std::array::from_fn(|axis| bounds.min[axis] + size[axis] * random());
        Ray::toward(std::array::from_fn(|axis| bounds.min[axis] + size[axis] * 0.5 + out[axis] * radius), target)
    };
    (0..count).map(|_| ray()).collect()
}

/// Returns the memory of this process that is not backed by a file, as reported by Linux. Pages of
/// mapped files are not included.
fn anonymous() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?.trim().to_owned())
}
