//! Asks a mesh that may be larger than memory: mesh and trees are mapped, and what a ray takes is a few pages of both.
//!
//! `cargo run --release --example out_of_core [--cache] [FILE [RAYS]]`: where the file has no sidecar with trees, one is made
//! first, in a temporary folder, or with `--cache` in the user's cache, for the next time.
#![allow(
    unsafe_code,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the files are mapped, and an example is to be short"
)]

use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use meshpeek::query::{PagesTouched, Ray, Scene, write_sidecar};
use meshpeek::sidecar::{self, Builder, Key, Kind, Sidecar, Trust};
use meshpeek::{Bounds, Map, Model};

fn main() -> Result<(), Box<dyn Error>> {
    let (options, words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let path = words.first().map_or("data/unigine/room_ms11.mesh".into(), PathBuf::from);
    let count: u32 = words.get(1).map_or(Ok(1_000), |count| count.parse())?;
    let keep = options.iter().any(|option| option == "--cache");

    // The key tells a file from what it becomes when somebody writes to it: it is taken first.
    let key = Key::of(&fs::metadata(&path)?);
    let model = Model::open(map(&path)?)?;

    // A sidecar from the user's own cache is mapped and believed. What lies beside the file came with it: its trees would
    // be compared with all triangles first, so that this makes another.
    let folder = tempfile::tempdir()?;
    let place = if keep { sidecar::cache_path(&path) } else { None };
    let place = place.unwrap_or_else(|| folder.path().join("trees.mpidx"));
    let found = open(&place, &key).filter(|stored| stored.count(Kind::Trees) > 0);
    if found.is_none() {
        let start = Instant::now();
        make(&model, &key, &place)?;
        println!("{}: {} bytes, made in {:.1?}", place.display(), fs::metadata(&place)?.len(), start.elapsed());
    }
    let stored = found.or_else(|| open(&place, &key)).ok_or("the file was written to while its sidecar was made")?;

    // Nothing of the trees is read yet, but what they say of themselves. Surfaces of fewer than 1,024 triangles have none in
    // a sidecar: those are built.
    let stored = Arc::new(stored);
    let model = model.with_sidecar(Arc::clone(&stored));
    let start = Instant::now();
    let scene = Scene::indexed(model.geometry()?, &stored)?;
    let in_sidecar = scene.trees().filter(|(_, tree)| tree.is_stored()).count();
    println!("{} surfaces, {in_sidecar} with a tree in the sidecar, in {:.1?}", scene.trees().len(), start.elapsed());

    let rays = rays(&scene.bounds(), count);
    let start = Instant::now();
    let hits = rays.iter().filter(|ray| scene.ray(ray).is_some()).count();
    println!("{count} rays, {hits} hits in {:.1?}", start.elapsed());
    if let Some(bytes) = anonymous() {
        println!("anonymous memory of this process: {bytes}");
    }

    // Which pages that took. To note them takes memory itself, and time, so that it is another round.
    let mut pages = PagesTouched::default();
    let again = rays.iter().filter(|ray| scene.probed(&mut pages).ray(ray).is_some()).count();
    assert_eq!(hits, again);
    let all = fs::metadata(&path)?.len().div_ceil(meshpeek::PAGE);
    println!("pages looked at: {} of the mesh's {all}, {} of the trees", pages.mesh(), pages.tree());
    Ok(())
}

fn map(path: &Path) -> meshpeek::Result<Map> {
    // SAFETY: nobody writes to the file while this runs. `meshpeek::read` is the safe way, and copies.
    unsafe { meshpeek::map(path) }
}

/// Maps the sidecar, if it is there, and speaks for the file as it is now.
fn open(place: &Path, key: &Key) -> Option<Sidecar> {
    Sidecar::new(map(place).ok()?, key, Trust::Trusted)
}

/// Makes the sidecar: under another name first, so that nobody finds half of it.
fn make(model: &Model<Map>, key: &Key, place: &Path) -> Result<(), Box<dyn Error>> {
    let folder = place.parent().ok_or("a place for the sidecar has a folder")?;
    fs::create_dir_all(folder)?;
    let mut out = BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
    let mut builder = Builder::default();
    model.file().index(&mut builder)?;
    write_sidecar(&mut builder, model.geometry()?, key, &mut out)?;
    out.flush()?;
    out.into_inner()?.persist(place)?;
    Ok(())
}

/// Makes random rays: from a sphere around a box to somewhere in it.
fn rays(bounds: &Bounds, count: u32) -> Vec<Ray> {
    let mut state = 1_u64;
    // From 0 to 1: good enough to aim with.
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

/// Returns what no file backs of this process's memory, as Linux says it: pages of the mapped files are not part of it.
fn anonymous() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?.trim().to_owned())
}
