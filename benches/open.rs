//! Measures the time from a closed file to its first vertex, and how many pages of the file and how
//! much memory that takes.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "the files are mapped, no other process uses them, and a panic is how a bench fails"
)]

mod support;

use support::{claims, load, map, memory};

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use meshpeek::sidecar::{self, Builder, Key, Sidecar, Trust};
use meshpeek::unigine::{Mesh, SurfaceView};
use meshpeek::{Array, Map, MeshFile as _, OpenOptions, Result};
use support::claims::{Bar, Contestant, claim, skipped};
use support::inputs::{Input, Inputs};

fn main() {
    if let Some((path, loader)) = memory::child() {
        let ours = || memory::print_growth(|| first_vertex_of(&path));
        return if loader == "copying" { memory::print_growth(|| load(&path)) } else { ours() };
    }
    let inputs = Inputs::write();
    let mut criterion = claims::criterion();
    for input in &inputs.all {
        claims::compare(&mut criterion, "open to first vertex", &input.name, &loaders(&input.path));
    }
    criterion.final_summary();
    for input in inputs.largest() {
        claims::title(&format!("open to first vertex, {}", input.name));
        time(input);
        floor(input);
        memory::claim_growth(&input.path, [("meshpeek", Bar::AtMost(1.0)), ("copying", Bar::None)]);
        pages(input).unwrap();
        cold(input);
        cold_by_sidecar(input);
    }
}

fn loaders(path: &Path) -> [Contestant<'_, Option<[f32; 3]>>; 2] {
    [
        Contestant::new("meshpeek", move || {
            let mesh = Mesh::open(map(path)).unwrap();
            (first_vertex(&mesh), mesh)
        }),
        Contestant::new("copying", move || {
            let mesh = load(path);
            (mesh.first().and_then(|surface| surface.targets.first()?.positions.first().copied()), mesh)
        }),
    ]
}

fn first_vertex(mesh: &Mesh<Map>) -> Option<[f32; 3]> {
    mesh.surface(0).unwrap().positions().unwrap().get(0)
}

fn time(input: &Input) {
    let [ours, copying] = claims::race(7, &loaders(&input.path));
    let bar = if input.skinned { Bar::None } else { Bar::AtLeast(10_000.0) };
    claim("meshpeek", ours.times(1e6), "us", Bar::None);
    claim("copying", copying.times(1e6), "us", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", bar);
}

/// Compares with the minimum that every reader needs: opening the file, mapping it, and reading one
/// byte.
fn floor(input: &Input) {
    let contestants = [
        Contestant::asked("meshpeek", || first_vertex_of(&input.path), |_| ()),
        Contestant::asked("bare", || touched(&input.path), |_| ()),
    ];
    let [ours, bare] = claims::race(301, &contestants);
    claim("meshpeek, again and again", ours.times(1e6), "us", Bar::None);
    claim("bare open, map and touch", bare.times(1e6), "us", Bar::None);
    claim("meshpeek / bare", ours.over(&bare), "times", Bar::AtMost(1.25));
}

fn first_vertex_of(path: &Path) -> (Mesh<Map>, Option<[f32; 3]>) {
    let mesh = Mesh::open(map(path)).unwrap();
    let first = first_vertex(&mesh);
    (mesh, first)
}

fn touched(path: &Path) -> (memmap2::Mmap, File, u8) {
    let file = File::open(path).unwrap();
    // SAFETY: as in `support::map`.
    let map = unsafe { memmap2::Mmap::map(&file).unwrap() };
    let first = map.first().copied().unwrap();
    (map, file, first)
}

/// Prints the number of pages that the parser reads, step by step.
fn pages(input: &Input) -> Result<()> {
    let options = OpenOptions::default().with_record_access(true);
    let mesh = Mesh::open_with(map(&input.path), &options)?;
    let print = |step: &str, bar| {
        let (pages, bytes) = mesh.access_log(0).map(|touched| (touched.pages(), touched.bytes())).unwrap();
        claim(&format!("touched, {step}"), pages as f64, &format!("pages, {bytes} bytes"), bar);
    };
    print("after open", Bar::None);
    first_vertex(&mesh);
    print("after the first vertex", Bar::AtMost(4.0));
    let surface = mesh.surface(0)?;
    for (array, locate) in ARRAYS {
        locate(&surface)?;
        print(&format!("after locating surface 0's {array}"), Bar::None);
    }
    Ok(())
}

type Locate = fn(&SurfaceView<'_>) -> Result<()>;

/// The arrays of a surface in file order, each with a function that locates it.
const ARRAYS: [(&str, Locate); 6] = [
    ("positions", |surface| surface.positions().map(drop)),
    ("frames", |surface| surface.tangent_frames().map(drop)),
    ("weights", |surface| surface.weights().map(drop)),
    ("UVs", |surface| surface.uvs(0).map(drop)),
    ("indices", |surface| surface.indices().map(drop)),
    ("attribute indices", |surface| surface.attribute_indices().map(drop)),
];

/// Opens the file when no page of it is in memory, and queries which pages were loaded.
fn cold(input: &Input) {
    let what = "cold, pages of the file that were loaded into memory";
    memory::evict(&input.path);
    let Some(before) = memory::resident(map(&input.path).as_ref()) else { return skipped(what, "Linux only") };
    let start = std::time::Instant::now();
    let mesh = Mesh::open(map(&input.path)).unwrap();
    std::hint::black_box(first_vertex(&mesh));
    let time = start.elapsed();
    claim("cold, pages in memory before", before, "pages", Bar::None);
    claim(what, memory::resident(mesh.as_bytes()).unwrap(), "pages", Bar::AtMost(3.0));
    claim("cold", time.as_secs_f64() * 1e6, "us", Bar::None);
}

/// Reads one vertex of the last surface of a cold file with the help of a cold sidecar.
fn cold_by_sidecar(input: &Input) {
    let path = sidecar::adjacent_path(&input.path);
    let key = Key::of(&input.path.metadata().unwrap());
    let mut builder = Builder::default();
    Mesh::open(map(&input.path)).unwrap().index(&mut builder).unwrap();
    builder.write_to(&key, &mut BufWriter::new(File::create(&path).unwrap())).unwrap();
    memory::evict(&input.path);
    memory::evict(&path);
    let files = [map(&input.path), map(&path)];
    let resident = || files.iter().map(|file| memory::resident(file.as_ref())).sum::<Option<f64>>();
    let Some(before) = resident() else { return skipped("cold, by a sidecar", "Linux only") };
    let sidecar = Sidecar::open(map(&path), &key, Trust::Trusted).unwrap();
    let mesh = Mesh::open(map(&input.path)).unwrap().with_sidecar(Arc::new(sidecar));
    let last = mesh.surface(mesh.surface_count() - 1).unwrap();
    let positions = last.positions().unwrap();
    std::hint::black_box(positions.get(positions.len() - 1));
    let pages = resident().unwrap();
    claim("cold, both files' pages in memory before", before, "pages", Bar::None);
    claim("cold, last surface's last vertex by a sidecar", pages, "pages", Bar::AtMost(8.0));
    if let Some(weights) = last.weights().unwrap() {
        std::hint::black_box(weights.get(u32::try_from(positions.len()).unwrap() - 1));
        claim("cold, its weights, too", resident().unwrap(), "pages", Bar::None);
    }
}
