//! How long from a closed file to the box around all its positions, and how near is that to only reading them?
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "the files are mapped, nobody else knows of them, and a panic is how a bench fails"
)]

mod claims;
mod inputs;
mod memory;
mod rival;

use std::ops::Range;
use std::path::Path;

use claims::{Bar, Contestant, claim};
use inputs::{Input, Inputs};
use meshpeek::decode::Floats;
use meshpeek::surface::Bounds;
use meshpeek::unigine::Mesh;
use meshpeek::{Map, Packed};
use zerocopy::IntoBytes;

fn main() {
    let inputs = Inputs::write();
    let mut criterion = claims::criterion();
    for input in &inputs.all {
        claims::compare(&mut criterion, "box around all positions", &input.name, &loaders(&input.path));
    }
    criterion.final_summary();
    for input in inputs.largest() {
        claims::title(&format!("box around all positions, {}", input.name));
        time(input);
        already_mapped(input);
        freshly_mapped(input);
    }
}

fn open(path: &Path) -> Mesh<Map> {
    // SAFETY: the file lies in a folder of this process's own, and nothing writes to it any more.
    Mesh::open(unsafe { meshpeek::map(path).unwrap() }).unwrap()
}

fn positions(mesh: &Mesh<Map>) -> Vec<Packed<'_, Floats<3>>> {
    mesh.surfaces().map(|surface| surface.unwrap().positions().unwrap()).collect()
}

fn loaders(path: &Path) -> [Contestant<'_, Bounds>; 2] {
    [
        Contestant::new("meshpeek", move || {
            let mesh = open(path);
            (mapped_bounds(&positions(&mesh)), mesh)
        }),
        Contestant::new("copying", move || {
            let mesh = rival::load(path);
            (copied_bounds(&mesh), mesh)
        }),
    ]
}

fn mapped_bounds(positions: &[Packed<'_, Floats<3>>]) -> Bounds {
    let extents = positions.iter().filter_map(Packed::extent);
    extents.fold(Bounds::EMPTY, |bounds, [min, max]| bounds.union(&Bounds { min, max }))
}

fn copied_bounds(mesh: &rival::Mesh) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for position in mesh.surfaces.iter().flat_map(|surface| &surface.positions) {
        for (axis, value) in position.iter().enumerate() {
            bounds.min[axis] = bounds.min[axis].min(*value);
            bounds.max[axis] = bounds.max[axis].max(*value);
        }
    }
    bounds
}

fn time(input: &Input) {
    let [ours, copying] = claims::race(7, &loaders(&input.path));
    claim("meshpeek, open and scan", ours.times(1e3), "ms", Bar::None);
    claim("copying, load and scan", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", bar(input, Bar::AtLeast(5.0)));
}

/// Judges the static file; the skinned one is there to be known.
const fn bar(input: &Input, bar: Bar) -> Bar {
    if input.skinned { Bar::None } else { bar }
}

/// Scans what is mapped, located and in the page tables already.
fn already_mapped(input: &Input) {
    let mesh = open(&input.path);
    let positions = positions(&mesh);
    let bytes = positions.iter().map(|one| one.raw().as_bytes().len()).sum();
    let contestants = [
        Contestant::new("meshpeek", || ((), mapped_bounds(&positions))),
        Contestant::new("plain read", || {
            let sums = positions.iter().map(|one| plain_read(one.raw().as_bytes()));
            ((), sums.fold(0, u64::wrapping_add))
        }),
    ];
    rates("already mapped", bytes, &contestants, bar(input, Bar::AtLeast(0.8)));
}

/// Maps the file, scans it, and so takes every page fault on the way. The plain read is told where to read.
fn freshly_mapped(input: &Input) {
    let mesh = open(&input.path);
    let start = mesh.as_bytes().as_ptr().addr();
    let ranges: Vec<Range<usize>> = positions(&mesh).iter().map(|one| offsets(one.raw().as_bytes(), start)).collect();
    let bytes = ranges.iter().map(Range::len).sum();
    drop(mesh);
    let contestants = [
        Contestant::new("meshpeek", || {
            let mesh = open(&input.path);
            ((), (mapped_bounds(&positions(&mesh)), mesh))
        }),
        Contestant::new("plain read", || {
            // SAFETY: as in `open`.
            let map = unsafe { meshpeek::map(&input.path).unwrap() };
            let sums = ranges.iter().map(|range| plain_read(&map.as_ref()[range.clone()]));
            ((), (sums.fold(0, u64::wrapping_add), map))
        }),
    ];
    rates("fresh map", bytes, &contestants, bar(input, Bar::AtLeast(0.8)));
    for contestant in &contestants {
        let before = memory::faults();
        (contestant.run)();
        if let Some(faults) = memory::faults().zip(before).map(|(after, before)| after - before) {
            let pages = (bytes / 4096) as f64;
            claim(&format!("fresh map, {}: pages per fault", contestant.name), pages / faults, "pages", Bar::None);
        }
    }
}

fn offsets(bytes: &[u8], start: usize) -> Range<usize> {
    let at = bytes.as_ptr().addr() - start;
    at..at + bytes.len()
}

fn rates(state: &str, bytes: usize, contestants: &[Contestant<'_, ()>; 2], bar: Bar) {
    let [ours, plain] = claims::race(21, contestants).map(|times| times.rate(bytes as f64 / 1e9));
    claim(&format!("{state}, meshpeek"), ours.clone(), "GB/s", Bar::None);
    claim(&format!("{state}, plain read"), plain.clone(), "GB/s", Bar::None);
    claim(&format!("{state}, meshpeek / plain read"), ours.over(&plain), "of its rate", bar);
}

/// Reads bytes as fast as one thread can. Of several shapes tried, explicit 32-byte vectors among them, none read memory
/// faster, and this one stays fast whatever processor it is built for.
#[inline(never)]
fn plain_read(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    words.chain(rest).fold(0, u64::wrapping_add)
}
