//! Measures what grows with the size of a file of 16 surfaces. Opening it and reading its first
//! vertex must not cost more for a larger file. A scan of a file larger than memory must not keep
//! it in memory.
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, folder, inputs, map, memory, open};

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use meshpeek::array::Bounds;
use meshpeek::unigine::Mesh;
use meshpeek::{Array, Map, MeshFile as _, OpenOptions};
use support::claims::{Bar, Series, claim, skipped};

/// The names and sizes of the files in bytes, the smallest first.
const SIZES: [(&str, u64); 4] =
    [("10 MB", 10_000_000), ("100 MB", 100_000_000), ("1 GB", 1_000_000_000), ("10 GB", 10_000_000_000)];
/// The variables with the job and the file of a child process, which measures its own memory or
/// instructions.
const CHILD: [&str; 2] = ["MESHPEEK_BENCH_JOB", "MESHPEEK_BENCH_FILE"];
/// The number of bytes of positions between two releases of pages.
const PART: usize = 64 << 20;
/// The size of a file in bytes from which the rates are compared with their bars.
const LARGE: u64 = 1_000_000_000;
/// The number of rounds of scans.
const ROUNDS: usize = 5;

fn main() {
    if let [Ok(job), Ok(path)] = CHILD.map(std::env::var) {
        return child(&job, Path::new(&path));
    }
    let sizes = if claims::testing() { &SIZES[..2] } else { &SIZES[..] };
    let folder = folder();
    let mut first = None;
    for (name, bytes) in sizes {
        let path = folder.path().join("scale.mesh");
        inputs::repeat(&inputs::mesh(1, inputs::side(*bytes, false), false), File::create(&path).unwrap());
        claims::title(&format!("open to the first vertex, {name} in 16 surfaces"));
        let found = opening(&path);
        let pages = not_above(first.as_ref().map(|first: &Opening| first.pages));
        assert!(claim("pages touched", found.pages, "pages", pages), "opening a larger file touches more pages");
        match (found.instructions, first.as_ref().map(|first| first.instructions)) {
            (Some(count), known) => {
                // The work of the program loader varies by a few instructions.
                let bar = not_above(known.flatten().map(|known| known + 2_000.0));
                let holds = claim("instructions of a process that does this", count, "instructions", bar);
                assert!(holds, "opening a larger file takes more instructions");
            }
            (None, _) => skipped("instructions", "valgrind is not installed"),
        }
        let growth = tell("grow", &path);
        claim("anonymous memory grows by", growth / 1e6, "MB", Bar::AtMost(1.0));
        claims::title(&format!("box around all positions, {name}, pages released every 64 MiB"));
        scan(&path, *bytes >= LARGE);
        first = first.or(Some(found));
    }
}

/// The cost of opening a file.
struct Opening {
    pages: f64,
    instructions: Option<f64>,
}

fn not_above(first: Option<f64>) -> Bar {
    first.map_or(Bar::None, Bar::AtMost)
}

fn opening(path: &Path) -> Opening {
    let options = OpenOptions::default().with_record_access(true);
    let mesh = Mesh::open_with(map(path), &options).unwrap();
    std::hint::black_box(mesh.surface(0).unwrap().positions().unwrap().get(0));
    Opening { pages: mesh.access_log(0).unwrap().pages() as f64, instructions: instructions(path) }
}

/// Returns the number of instructions of a process that opens the file and reads its first vertex.
/// The line is `==1== Collected : 12345`.
fn instructions(path: &Path) -> Option<f64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().unwrap());
    valgrind.env(CHILD[0], "open").env(CHILD[1], path).stdout(Stdio::null());
    let report = String::from_utf8(valgrind.output().ok()?.stderr).unwrap();
    let (_, count) = report.split_once("Collected : ")?;
    Some(count.lines().next().unwrap().trim().parse().unwrap())
}

/// Runs a job in a new process, and returns the number that it prints.
fn tell(job: &str, path: &Path) -> f64 {
    let told = Command::new(std::env::current_exe().unwrap()).env(CHILD[0], job).env(CHILD[1], path).output().unwrap();
    String::from_utf8(told.stdout).unwrap().trim().parse().unwrap()
}

fn child(job: &str, path: &Path) {
    let first = |mesh: &Mesh<Map>| std::hint::black_box(mesh.surface(0).unwrap().positions().unwrap().get(0));
    match job {
        "open" => drop(first(&open(path))),
        "grow" => {
            memory::anonymous();
            let before = memory::anonymous();
            let mesh = open(path);
            first(&mesh);
            println!("{}", memory::anonymous().zip(before).map_or(0.0, |(now, before)| now - before));
        }
        "peak" => {
            bounds(&map(path), true);
            println!("{}", memory::peak().unwrap_or_default());
        }
        "released" | "held" => {
            let map = map(path);
            let start = Instant::now();
            bounds(&map, job == "released");
            println!("{}", start.elapsed().as_secs_f64());
        }
        _ => unreachable!("jobs are named above"),
    }
}

/// Returns the bounding box of all positions. With `release`, pages are released after they are
/// read.
fn bounds(map: &Map, release: bool) -> Bounds {
    let mesh = Mesh::open(map.as_ref()).unwrap();
    let mut all = Bounds::EMPTY;
    for surface in mesh.surfaces() {
        let positions = surface.unwrap().positions().unwrap();
        for part in positions.parts(positions.as_bytes().len().div_ceil(PART)) {
            all = all.union(&part.bounds());
            if release {
                map.release(part.as_bytes());
            }
        }
    }
    all
}

/// Scans the file in separate processes, which take turns. Neither finds the pages of the other in
/// its page tables.
fn scan(path: &Path, is_large: bool) {
    claim("peak resident memory", tell("peak", path) / 1e6, "MB", Bar::AtMost(256.0));
    let mut seconds = [const { Vec::new() }; 2];
    for _ in 0..claims::rounds(ROUNDS) {
        for (seconds, job) in seconds.iter_mut().zip(["released", "held"]) {
            seconds.push(tell(job, path));
        }
    }
    let [released, held] = seconds.map(Series);
    let bytes: usize = {
        let map = map(path);
        let mesh = Mesh::open(map.as_ref()).unwrap();
        mesh.surfaces().map(|surface| surface.unwrap().positions().unwrap().as_bytes().len()).sum()
    };
    claim("released", released.rate(bytes as f64 / 1e9), "GB/s", Bar::None);
    claim("held", held.rate(bytes as f64 / 1e9), "GB/s", Bar::None);
    // The positions of a small file are one part, and releasing it takes most of the time.
    let bar = if is_large { Bar::AtLeast(0.95) } else { Bar::None };
    claim("rate released / held", held.over(&released), "times", bar);
}
