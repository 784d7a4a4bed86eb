//! Scans of whole arrays that store nothing, and walks over runs.

use std::hint::black_box;

use meshpeek::array::runs::CountedRuns;
use meshpeek::decode::{MinMax16, Packed32, Packed64, Quat7, Quat8};
use meshpeek::model::{Indices, PositionEncoding, Positions};
use meshpeek::unigine::Mesh;
use meshpeek::{Array, Packed};
use zerocopy::FromBytes;

use super::callgrind::{Kernel, keep, lend};
use crate::support::inputs;

/// The number of items in the shorter of two runs: a multiple of every number of lanes.
const ITEMS: usize = 9600;
/// The number of runs in the shorter of two walks. It is so large that the few runs that are walked
/// step by step hardly count.
const RUNS: usize = 60_000;
/// The number of quads along one side of the surface, which has enough positions for the longer
/// run.
const SIDE: u32 = 140;
/// The size of the largest record in bytes.
const LARGEST: usize = 8;

/// A record of a run: a bone and a weight.
type Record = [u8; 4];

pub fn kernels() -> Vec<Kernel> {
    let words = (0..(2 * ITEMS * LARGEST / 4 + 1) as u32).flat_map(|word| inputs::random(word).to_le_bytes());
    // The data starts at offset 1, so nothing is aligned.
    let bytes = &lend(words.collect::<Vec<u8>>())[1..];
    let mesh = lend(Mesh::open(inputs::mesh(1, SIDE, true).to_bytes().unwrap()).unwrap());
    let surface = mesh.surface(0).unwrap();
    let (positions, indices) = (surface.positions().unwrap(), surface.indices().unwrap());
    let weights = surface.weights().unwrap().unwrap();
    let first = move |items: usize| positions.slice(0..items).unwrap();
    let domain = MinMax16::new([-0.5, -0.25, 0.1], [0.5, 0.254_558_74, 7.0]);
    let uniform = lend(spell(|_| 4)).as_slice();
    let random = lend(spell(|vertex| (inputs::random(vertex) % 4) as u8 + 1)).as_slice();
    vec![
        scan("bounds, float triples", move |items| first(items).bounds()),
        scan("bounds, u16 positions (min_max16)", move |items| Packed::new(raw(bytes, items), domain).bounds()),
        scan("bounds, 11/11/10 (packed32)", move |items| Packed::new(raw(bytes, items), Packed32).bounds()),
        scan("bounds, three i16 and a pad (packed64)", move |items| Packed::new(raw(bytes, items), Packed64).bounds()),
        scan("sums, frames of 8 bytes", move |items| Packed::new(raw(bytes, items), Quat8).sums()),
        scan("sums, frames of 7 bytes", move |items| Packed::new(raw(bytes, items), Quat7).sums()),
        scan("sums, float triples", move |items| first(items).sums()),
        scan("sphere, float triples", move |items| Positions(PositionEncoding::F32(first(items))).sphere()),
        scan("sphere, 11/11/10", move |items| {
            Positions(PositionEncoding::Packed32(Packed::new(raw(bytes, items), Packed32))).sphere()
        }),
        scan("wild, float triples", move |items| first(items).non_finite()),
        scan("first index beyond", move |items| beyond(indices.slice(0..items).unwrap())),
        // A histogram cannot be limited to some vertices, so the longer run computes it twice.
        Kernel::new("histogram of influences", weights.len(), move |items| {
            (0..items / weights.len()).for_each(|_| keep(black_box(&weights).histogram()));
        }),
        walk("CountedRuns::extent, all 4", uniform, |runs| runs.measure().unwrap().bytes),
        walk("CountedRuns::extent, 1 to 4 at random", random, |runs| runs.measure().unwrap().bytes),
        walk("CountedRuns::index", random, |runs| runs.index().unwrap().bytes() as u64),
    ]
}

fn scan<T>(name: &'static str, scan: impl Fn(usize) -> T + 'static) -> Kernel {
    Kernel::new(name, ITEMS, move |items| keep(scan(items)))
}

fn walk(name: &'static str, bytes: &'static [u8], walk: fn(CountedRuns<'_, Record>) -> u64) -> Kernel {
    Kernel::new(name, RUNS, move |runs| keep(walk(CountedRuns::new(black_box(bytes), runs))))
}

fn raw<R: meshpeek::parse::Record>(bytes: &'static [u8], items: usize) -> &'static [R] {
    <[R]>::ref_from_prefix_with_elems(black_box(bytes), items).unwrap().0
}

fn beyond(indices: Indices<'_>) -> Option<(usize, u32)> {
    black_box(indices).first_out_of_range(u32::MAX)
}

/// Returns the bytes of the runs for the longer walk.
fn spell(count: impl Fn(u32) -> u8) -> Vec<u8> {
    let run = |run: u32| {
        let count = count(run);
        let records = (0..u32::from(count)).flat_map(move |record| inputs::random(run * 4 + record).to_le_bytes());
        std::iter::once(count).chain(records)
    };
    (0..2 * RUNS as u32).flat_map(run).collect()
}
