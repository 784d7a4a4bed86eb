//! Measures the time from a closed file to the bounding box of all its positions, and compares it
//! with only reading the positions.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, load, map, memory, open};

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use meshpeek::array::Bounds;
use meshpeek::decode::Floats;
use meshpeek::internals::bounds;
use meshpeek::unigine::Mesh;
use meshpeek::{Map, Packed};
use support::claims::{Bar, Contestant, claim};
use support::inputs::{Input, Inputs};
use support::machine_limit::plain_read;
use zerocopy::IntoBytes;

fn main() {
    let inputs = Inputs::write();
    let mut criterion = claims::criterion();
    for input in &inputs.all {
        claims::compare(&mut criterion, "box around all positions", &input.name, &loaders(&input.path));
    }
    criterion.final_summary();
    let [still, skinned] = inputs.largest();
    claims::title(&format!("box around all positions, {}", still.name));
    time(still, Bar::AtLeast(5.0));
    already_mapped(still);
    freshly_mapped(still);
    cold(still);
    claims::title(&format!("box around all positions, {}", skinned.name));
    time(skinned, Bar::None);
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
            let mesh = load(path);
            let boxes = mesh.shapes.iter().map(|shape| bounds(&shape.positions));
            (boxes.fold(Bounds::EMPTY, |all, one| all.union(&one)), mesh)
        }),
    ]
}

fn mapped_bounds(positions: &[Packed<'_, Floats<3>>]) -> Bounds {
    positions.iter().fold(Bounds::EMPTY, |bounds, array| bounds.union(&array.bounds()))
}

fn time(input: &Input, bar: Bar) {
    let [ours, copying] = claims::race(7, &loaders(&input.path));
    claim("meshpeek, open and scan", ours.times(1e3), "ms", Bar::None);
    claim("copying, load and scan", copying.times(1e3), "ms", Bar::None);
    claim("copying / meshpeek", copying.over(&ours), "times", bar);
}

/// Scans positions that are already mapped, located and in the page tables.
fn already_mapped(input: &Input) {
    let mesh = open(&input.path);
    let positions = positions(&mesh);
    let contestants = [
        Contestant::new("meshpeek", || ((), mapped_bounds(&positions))),
        Contestant::new("plain read", || {
            let sums = positions.iter().map(|one| plain_read(one.raw().as_bytes()));
            ((), sums.fold(0, u64::wrapping_add))
        }),
    ];
    rates("already mapped", bytes(&positions), &contestants);
}

/// Maps the file and scans it, which causes all page faults. The plain read gets the ranges of
/// bytes to read.
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
            let map = map(&input.path);
            let sums = ranges.iter().map(|range| plain_read(&map.as_ref()[range.clone()]));
            ((), (sums.fold(0, u64::wrapping_add), map))
        }),
    ];
    rates("fresh map", bytes, &contestants);
    for Contestant { name, run } in &contestants {
        let what = format!("fresh map, {name}: pages per fault");
        let before = memory::faults();
        run();
        match memory::faults().zip(before) {
            Some((after, before)) => drop(claim(&what, bytes as f64 / 4096.0 / (after - before), "", Bar::None)),
            None => claims::skipped(&what, "Linux only"),
        }
    }
}

/// Scans the file when no page of it is in memory, and queries which pages were loaded.
fn cold(input: &Input) {
    memory::evict(&input.path);
    let mesh = open(&input.path);
    let before = memory::resident(mesh.as_bytes());
    let start = Instant::now();
    let positions = positions(&mesh);
    std::hint::black_box(mapped_bounds(&positions));
    let rate = bytes(&positions) as f64 / 1e9 / start.elapsed().as_secs_f64();
    match memory::resident(mesh.as_bytes()).zip(before) {
        Some((after, before)) => {
            claim("cold, meshpeek", rate, "GB/s", Bar::None);
            let needed = bytes(&positions) as f64 / 4096.0;
            claim("cold, pages read / pages of positions", (after - before) / needed, "times", Bar::None);
        }
        None => claims::skipped("cold", "Linux only"),
    }
}

fn bytes(positions: &[Packed<'_, Floats<3>>]) -> usize {
    positions.iter().map(|one| one.raw().as_bytes().len()).sum()
}

fn offsets(bytes: &[u8], start: usize) -> Range<usize> {
    let at = bytes.as_ptr().addr() - start;
    at..at + bytes.len()
}

fn rates(state: &str, bytes: usize, contestants: &[Contestant<'_, ()>; 2]) {
    let [ours, plain] = claims::race(21, contestants).map(|times| times.rate(bytes as f64 / 1e9));
    claim(&format!("{state}, meshpeek"), ours.clone(), "GB/s", Bar::None);
    claim(&format!("{state}, plain read"), plain.clone(), "GB/s", Bar::None);
    claim(&format!("{state}, meshpeek / plain read"), ours.over(&plain), "of its rate", Bar::AtLeast(0.9));
}
