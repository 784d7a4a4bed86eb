//! Measures the time to get one surface, or all surfaces, of a compressed mesh.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs, open};

use std::cell::RefCell;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::support::unigine_builder as builder;
use meshpeek::internals::Lists;
use meshpeek::unigine::{BlockLocation, Generation, InflateBuffer, Mesh, Storage};
use meshpeek::{Array, Map};
use support::claims::{Bar, Contestant, bits, claim};
use tempfile::TempDir;

/// The number of surfaces, the same as in a real ms14 file.
const SURFACES: usize = 26;
/// The number of quads along one side of each surface, which gives 19,881 vertices.
const SIDE: u32 = 140;

fn main() {
    let input = Input::write();
    let mut criterion = claims::criterion();
    for (question, contestants) in [
        ("open to the first surface", at_first(&input, 0)),
        ("open to the last surface", at_first(&input, SURFACES - 1)),
    ] {
        claims::compare(&mut criterion, question, "ms14", &contestants);
    }
    criterion.final_summary();
    claims::title(&format!("ms14 file of {SURFACES} surfaces of {} vertices each", input.vertices));
    let mut holds = sizes(&input);
    holds &= first(&input);
    holds &= last(&input);
    holds &= tree(&input);
    holds &= verbatim(&input);
    holds &= rate(&input);
    assert!(holds || claims::testing(), "a claim does not hold");
}

/// One mesh in two files, which are removed when this value is dropped.
struct Input {
    /// The file with compressed blocks, as the engine writes them.
    lz4: PathBuf,
    /// The same mesh with uncompressed blocks.
    raw: PathBuf,
    vertices: u32,
    _folder: TempDir,
}

impl Input {
    fn write() -> Self {
        let side = if claims::testing() { 16 } else { SIDE };
        let folder = tempfile::tempdir().unwrap();
        let [lz4, raw] = ["lz4.mesh", "raw.mesh"].map(|name| folder.path().join(name));
        let mesh = builder::Mesh { generation: Generation::Ms14, ..inputs::mesh(SURFACES, side, false) };
        let mesh = Mesh::open(mesh.to_bytes().unwrap()).unwrap();
        let written = [(&lz4, Storage::Kept), (&raw, Storage::Raw)];
        for (path, storage) in written {
            mesh.write_stored(BufWriter::new(File::create(path).unwrap()), storage).unwrap();
        }
        Self { lz4, raw, vertices: (side + 1) * (side + 1), _folder: folder }
    }
}

/// Loads a file as a loader that copies does, with all trees.
fn load(path: &Path) -> (Lists, Vec<usize>) {
    let mesh = Mesh::open(meshpeek::read(path).unwrap()).unwrap();
    let trees = (0..SURFACES).map(|surface| mesh.tree(surface).unwrap().unwrap().nodes().len()).collect();
    (Lists::load(&mesh).unwrap(), trees)
}

fn copied_position((mesh, _): &(Lists, Vec<usize>), surface: usize) -> u64 {
    bits(mesh.surfaces[surface].targets[0].positions[0])
}

fn position(mesh: &Mesh<Map>, surface: usize) -> u64 {
    bits(mesh.surface(surface).unwrap().positions().unwrap().get(0).unwrap())
}

fn length(path: &Path) -> f64 {
    std::fs::metadata(path).unwrap().len() as f64
}

fn sizes(input: &Input) -> bool {
    let mesh = open(&input.lz4);
    let blocks: Vec<[BlockLocation; 2]> = (0..SURFACES).map(|surface| mesh.blocks(surface).unwrap().unwrap()).collect();
    let [geometry, trees] = [0, 1].map(|part| blocks.iter().map(|all| all[part].raw as f64).sum::<f64>() / 1e6);
    claim("file", length(&input.lz4) / 1e6, "MB", Bar::None);
    claim("inflated: geometry", geometry, "MB", Bar::None);
    claim("inflated: trees", trees, "MB", Bar::None);
    true
}

/// Reads the first position of a surface in three ways: with only this surface inflated, with all
/// surfaces inflated, and with a loader that inflates the whole file.
fn at_first(input: &Input, surface: usize) -> [Contestant<'_, u64>; 3] {
    [
        Contestant::new("meshpeek", move || {
            let mesh = open(&input.lz4);
            (position(&mesh, surface), mesh)
        }),
        Contestant::new("meshpeek, all", move || {
            let mesh = open(&input.lz4);
            mesh.inflate(&(0..SURFACES).collect::<Vec<_>>()).unwrap();
            (position(&mesh, surface), mesh)
        }),
        Contestant::new("copying", move || {
            let mesh = load(&input.lz4);
            (copied_position(&mesh, surface), mesh)
        }),
    ]
}

fn first(input: &Input) -> bool {
    let [ours, all, copying] = claims::race(11, &at_first(input, 0));
    let threads = if cfg!(feature = "rayon") { "in parallel" } else { "one after another" };
    claim("open to the first surface's first position", ours.times(1e6), "us", Bar::None);
    claim(&format!("the same with all inflated, {threads}"), all.times(1e6), "us", Bar::None);
    claim("copying, everything inflated", copying.times(1e6), "us", Bar::None);
    // More threads inflate all surfaces faster, but not the first one.
    let bar = if cfg!(feature = "rayon") { Bar::None } else { Bar::AtLeast(10.0) };
    claim("all inflated / first surface alone", all.over(&ours), "times", bar)
        & claim("copying / first surface alone", copying.over(&ours), "times", Bar::AtLeast(10.0))
}

/// The table of offsets locates the last block, so it costs the same as the first one.
fn last(input: &Input) -> bool {
    let [first, ..] = at_first(input, 0);
    let [last, ..] = at_first(input, SURFACES - 1);
    let [first, last] = claims::race(21, &[first, last]);
    claim("open to the last surface's first position", last.times(1e6), "us", Bar::None);
    claim("last surface / first surface", last.over(&first), "times", Bar::AtMost(1.5))
}

fn tree(input: &Input) -> bool {
    let contestants = [
        Contestant::new("meshpeek", || {
            let mesh = open(&input.lz4);
            assert!(!mesh.tree(0).unwrap().unwrap().nodes().is_empty());
            ((), mesh)
        }),
        Contestant::new("copying", || ((), load(&input.lz4))),
    ];
    let [ours, copying] = claims::race(11, &contestants);
    claim("open to the first tree, read", ours.times(1e6), "us", Bar::None);
    claim("copying / first tree", copying.over(&ours), "times", Bar::AtLeast(10.0))
}

/// An uncompressed block costs no inflating.
fn verbatim(input: &Input) -> bool {
    let contestants = [
        Contestant::new("raw", || {
            let mesh = open(&input.raw);
            let found = position(&mesh, 0);
            assert_eq!(mesh.inflated_bytes(), 0);
            (found, mesh)
        }),
        Contestant::new("lz4", || {
            let mesh = open(&input.lz4);
            (position(&mesh, 0), mesh)
        }),
        Contestant::new("copying", || {
            let mesh = load(&input.raw);
            (copied_position(&mesh, 0), mesh)
        }),
    ];
    let [raw, lz4, copying] = claims::race(21, &contestants);
    claim("stored verbatim, open to the first position", raw.times(1e6), "us", Bar::None);
    claim("compressed / verbatim", lz4.over(&raw), "times", Bar::None);
    claim("copying / verbatim", copying.over(&raw), "times", Bar::AtLeast(100.0))
}

/// Compares inflating through this crate with the LZ4 decoder alone.
fn rate(input: &Input) -> bool {
    let mesh = open(&input.lz4);
    let blocks: Vec<BlockLocation> = (0..SURFACES).map(|surface| mesh.blocks(surface).unwrap().unwrap()[0]).collect();
    let file = std::fs::read(&input.lz4).unwrap();
    let bytes = blocks.iter().map(|block| block.raw as f64).sum::<f64>();
    let stored = |block: &BlockLocation| &file[block.start() as usize..block.end() as usize];
    let (buffer, out) = (RefCell::new(InflateBuffer::default()), RefCell::new(Vec::new()));
    let reused = [
        Contestant::new("meshpeek", || {
            let mut buffer = buffer.borrow_mut();
            for surface in 0..SURFACES {
                std::hint::black_box(mesh.surface_in(surface, &mut buffer).unwrap().positions().unwrap().get(0));
            }
            ((), ())
        }),
        Contestant::new("decoder", || {
            let mut out = out.borrow_mut();
            for block in &blocks {
                out.resize(block.raw as usize, 0);
                lz4_flex::block::decompress_into(stored(block), &mut out).unwrap();
            }
            ((), ())
        }),
    ];
    claims::race(1, &reused);
    let [ours, alone] = claims::race(21, &reused);
    claim("inflate into one buffer, meshpeek", ours.rate(bytes / 1e9), "GB/s", Bar::None);
    claim("inflate into one buffer, decoder alone", alone.rate(bytes / 1e9), "GB/s", Bar::None);
    let holds = claim("meshpeek / decoder alone", ours.over(&alone), "times", Bar::AtMost(1.3));
    let kept = [
        Contestant::new("meshpeek", || {
            let mesh = open(&input.lz4);
            for surface in 0..SURFACES {
                mesh.surface(surface).unwrap();
            }
            ((), mesh)
        }),
        Contestant::new("decoder", || {
            let inflate = |block: &BlockLocation| {
                let mut out = vec![0; block.raw as usize];
                lz4_flex::block::decompress_into(stored(block), &mut out).unwrap();
                out
            };
            ((), blocks.iter().map(inflate).collect::<Vec<_>>())
        }),
    ];
    let [ours, alone] = claims::race(21, &kept);
    claim("inflate all and keep it, meshpeek, from a closed file", ours.rate(bytes / 1e9), "GB/s", Bar::None);
    claim("inflate all and keep it, decoder alone", alone.rate(bytes / 1e9), "GB/s", Bar::None);
    holds & claim("meshpeek / decoder alone, kept", ours.over(&alone), "times", Bar::AtMost(1.3))
}
