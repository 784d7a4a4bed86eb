//! Tests that a mesh may be larger than memory. The trees of a mesh of 10 GB are written to its
//! sidecar, and 1,000 rays are cast with the sidecar. Each step runs in its own process, whose
//! anonymous memory is monitored. The bench also measures how much is read from the disk if no page
//! of the mesh and the sidecar is in memory.
//!
//! Run it with `cargo bench --bench huge -- --gigabytes 10 --folder FOLDER`; with `--cold`, only
//! the second measurement runs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, folder, map, memory, open, option};

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use meshpeek::MeshFile as _;
use meshpeek::query::{PagesTouched, ProbedScene, Ray, Scene, write_sidecar};
use meshpeek::sidecar::{Builder, Key, Sidecar, Trust, adjacent_path};
use support::claims::{Bar, Series, claim, skipped};
use support::inputs::random;
use support::inputs::tiles::{self, Seams};

/// The variables with the job and the file of a child process, which measures its own memory.
const CHILD: [&str; 2] = ["MESHPEEK_BENCH_JOB", "MESHPEEK_BENCH_FILE"];
/// The size of the mesh in gigabytes, and that of the mesh for tests.
const GIGABYTES: f64 = 10.0;
const SMALL: f64 = 0.02;
/// The free disk space that is needed, as a multiple of the size of the mesh.
const ROOM: f64 = 2.5;
/// The maximum anonymous memory in bytes: while the sidecar is built, and while it is queried.
const BUILDING: f64 = 1.5e9;
const ASKING: f64 = 200e6;
/// The number of rays that are cast.
const RAYS: u32 = 1_000;
/// The number of triangles of the cold mesh, which has one surface.
const COLD: u64 = 10_000_000;
/// The size of the cold mesh in bytes per triangle.
const TRIANGLE: u64 = 38;
/// The maximum from opening a cold mesh to the first hit, in seconds and in bytes read from the
/// disk. `EACH` is the maximum number of bytes per random ray.
const FIRST: [f64; 2] = [1e-3, 60.0 * 1024.0];
const EACH: f64 = 40.0 * 1024.0;
/// The number of measurements of the cold mesh.
const ROUNDS: usize = 5;

fn main() {
    if let [Ok(job), Ok(path)] = CHILD.map(std::env::var) {
        return child(&job, Path::new(&path));
    }
    let folder = folder();
    let path = folder.path().join("huge.mesh");
    if claims::testing() || !std::env::args().any(|argument| argument == "--cold") {
        let asked = option("--gigabytes").map_or(GIGABYTES, |number| number.parse().unwrap());
        larger_than_memory(&path, if claims::testing() { SMALL } else { asked });
    }
    cold(&path);
}

fn larger_than_memory(path: &Path, gigabytes: f64) {
    claims::title(&format!("a mesh of {gigabytes} GB in {} surfaces", tiles::TILES.len()));
    let Some(free) = memory::free(path.parent().unwrap()) else { return skipped("all of it", "Linux only") };
    if free < gigabytes * 1e9 * ROOM {
        return skipped(
            "all of it",
            &format!("{:.0} GB of the disk are free, but {} GB are needed", free / 1e9, gigabytes * ROOM),
        );
    }
    let start = Instant::now();
    let side = tiles::side((gigabytes * 1e9) as u64, tiles::TILES.len());
    tiles::write(side, tiles::TILES.len(), Seams::None, File::create(path).unwrap());
    claim("the mesh", size(path) / 1e9, "GB", Bar::None);
    claim("written in", start.elapsed().as_secs_f64(), "s", Bar::None);
    if claims::testing() {
        open(path).check().unwrap();
    }
    let triangles = 2.0 * f64::from(side).powi(2) * tiles::TILES.len() as f64;
    claim("triangles", triangles / 1e6, "million", Bar::None);
    let [seconds, most] = tell("build", path);
    claim("sidecar", size(&adjacent_path(path)) / 1e6, "MB", Bar::None);
    claim("sidecar, for each triangle", size(&adjacent_path(path)) / triangles, "bytes", Bar::None);
    claim("sidecar built in", seconds, "s", Bar::None);
    claim("sidecar built at", triangles / seconds / 1e6, "million triangles/s", Bar::None);
    let built = claim("most anonymous memory, building", most / 1e6, "MB", Bar::AtMost(BUILDING / 1e6));
    let [seconds, most, hits, mesh, tree] = tell("ask", path);
    claim(&format!("hits of {RAYS} random rays"), hits, "hits", Bar::None);
    claim("opened and asked in", seconds * 1e3, "ms", Bar::None);
    claim("pages of the mesh touched", mesh, "pages", Bar::None);
    claim("pages of the trees touched", tree, "pages", Bar::None);
    let asked = claim("most anonymous memory, asking", most / 1e6, "MB", Bar::AtMost(ASKING / 1e6));
    assert!(built && asked, "a mesh larger than memory uses too much memory");
    assert!(hits > f64::from(RAYS) / 2.0, "most rays point at the mesh");
}

/// Queries a mesh that has no page in memory.
fn cold(path: &Path) {
    let triangles = if claims::testing() { COLD / 100 } else { COLD };
    let side = tiles::side(triangles * TRIANGLE, 1);
    tiles::write(side, 1, Seams::None, File::create(path).unwrap());
    claims::title(&format!("a cold mesh of {} triangles, by a cold sidecar", 2 * u64::from(side).pow(2)));
    let [_, _] = tell("build", path);
    claim("mesh", size(path) / 1e6, "MB", Bar::None);
    claim("sidecar", size(&adjacent_path(path)) / 1e6, "MB", Bar::None);
    let fresh = |job: &str| {
        memory::evict(path);
        memory::evict(&adjacent_path(path));
        tell::<2>(job, path)
    };
    let mut found: [Vec<f64>; 4] = [const { Vec::new() }; 4];
    for _ in 0..claims::rounds(ROUNDS) {
        let [seconds, bytes] = fresh("first");
        let [all_seconds, all_bytes] = fresh("cold");
        let figures = [seconds * 1e3, bytes / 1024.0, all_seconds * 1e6 / f64::from(RAYS), all_bytes / 1024.0];
        found.iter_mut().zip(figures).for_each(|(list, figure)| list.push(figure));
    }
    let [seconds, bytes, all_seconds, all_bytes] = found.map(Series);
    if memory::read().is_none() {
        return skipped("bytes read", "Linux only");
    }
    claim("open to the first hit", seconds, "ms", Bar::AtMost(FIRST[0] * 1e3));
    claim("read from the disk for it", bytes, "KiB", Bar::AtMost(FIRST[1] / 1024.0));
    claim(&format!("{RAYS} random rays, each"), all_seconds, "us", Bar::None);
    let each = all_bytes.times(1.0 / f64::from(RAYS));
    claim("read from the disk for them, each", each, "KiB", Bar::AtMost(EACH / 1024.0));
}

fn size(path: &Path) -> f64 {
    path.metadata().unwrap().len() as f64
}

/// Runs a job in a new process, and returns the numbers that it prints.
fn tell<const N: usize>(job: &str, path: &Path) -> [f64; N] {
    let told = Command::new(std::env::current_exe().unwrap()).env(CHILD[0], job).env(CHILD[1], path).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told = String::from_utf8(told.stdout).unwrap();
    told.split_whitespace().map(|figure| figure.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap()
}

fn child(job: &str, path: &Path) {
    let (read, start) = (memory::read().unwrap_or_default(), Instant::now());
    let spent = |start: Instant| [start.elapsed().as_secs_f64(), memory::read().unwrap_or_default() - read];
    match job {
        "build" => {
            let most = watched(|| build(path));
            println!("{} {most}", start.elapsed().as_secs_f64());
        }
        "ask" => {
            let (mut pages, mut hits) = (PagesTouched::default(), 0);
            let most = watched(|| hits = asked(path, hits_of));
            let seconds = start.elapsed().as_secs_f64();
            // This runs a second time, because recording the pages also uses memory.
            let noted = |scene: &Scene<'_>| {
                rays(scene).filter(|ray| ProbedScene::new(scene, &mut pages).ray(ray).is_some()).count()
            };
            assert_eq!(asked(path, noted), hits);
            println!("{seconds} {most} {hits} {} {}", pages.mesh(), pages.tree());
        }
        "first" => {
            let [seconds, bytes] = asked(path, |scene| {
                assert!(scene.ray(&Ray::new([-0.7, -0.3, 9.0], [0.0, 0.0, -1.0])).is_some());
                spent(start)
            });
            println!("{seconds} {bytes}");
        }
        "cold" => {
            let [seconds, bytes] = asked(path, |scene| {
                assert!(hits_of(scene) > RAYS as usize / 2);
                spent(start)
            });
            println!("{seconds} {bytes}");
        }
        _ => unreachable!("jobs are named above"),
    }
}

/// Runs a job, and returns the maximum anonymous memory in bytes during the job, sampled every 5
/// ms.
fn watched(job: impl FnOnce()) -> f64 {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most: f64 = 0.0;
            while !done.load(Ordering::Relaxed) {
                most = most.max(memory::anonymous().unwrap_or_default());
                std::thread::sleep(Duration::from_millis(5));
            }
            most.max(memory::anonymous().unwrap_or_default())
        });
        job();
        done.store(true, Ordering::Relaxed);
        watch.join().unwrap()
    })
}

/// Writes the sidecar.
fn build(path: &Path) {
    let (key, mesh) = (Key::of(&path.metadata().unwrap()), open(path));
    let mut builder = Builder::default();
    mesh.index(&mut builder).unwrap();
    let mut out = BufWriter::new(File::create(adjacent_path(path)).unwrap());
    write_sidecar(&mut builder, &mesh, &key, &mut out).unwrap();
    out.into_inner().unwrap().sync_all().unwrap();
}

/// Opens the mesh and its sidecar, and runs a query.
fn asked<T>(path: &Path, ask: impl FnOnce(&Scene<'_>) -> T) -> T {
    let key = Key::of(&path.metadata().unwrap());
    let sidecar = Arc::new(Sidecar::open(map(&adjacent_path(path)), &key, Trust::Trusted).unwrap());
    let mesh = open(path).with_sidecar(Arc::clone(&sidecar));
    let scene = Scene::indexed(&mesh, &sidecar).unwrap();
    assert!(scene.trees().all(|(_, tree)| tree.is_stored()));
    ask(&scene)
}

fn hits_of(scene: &Scene<'_>) -> usize {
    rays(scene).filter(|ray| scene.ray(ray).is_some()).count()
}

/// Returns random rays from a sphere around all surfaces to points in their bounding box.
fn rays(scene: &Scene<'_>) -> impl Iterator<Item = Ray> {
    let bounds = scene.bounds();
    let part = |seed: u32| f64::from(random(seed)) as f32 / u32::MAX as f32;
    (0..RAYS).map(move |number| {
        let at = |choice: u32| part(number * 5 + choice);
        let (turn, height) = (at(0) * std::f32::consts::TAU, at(1) * 2.0 - 1.0);
        let level = (1.0 - height * height).sqrt();
        let from = [turn.cos() * level, turn.sin() * level, height].map(|axis| axis * 6.0);
        let inside = |axis: usize, at: f32| bounds.min[axis] + (bounds.max[axis] - bounds.min[axis]) * at;
        Ray::toward(from, [inside(0, at(2)), inside(1, at(3)), inside(2, at(4))])
    })
}
