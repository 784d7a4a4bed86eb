//! Compares walking over bone weights with only reading their bytes. Each list of weights has a
//! count, from which the start of the next list follows. Also compares a look-up through the
//! compact index with one through a table of all offsets.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs};

use std::hint::black_box;

use meshpeek::array::runs::CountedRuns;
use support::claims::{Bar, Contestant, claim, keep};
use support::machine_limit::plain_read;

/// A record as it is stored in the file: a bone and a weight.
type Record = [u8; 4];

/// A function that returns the number of records of a vertex.
type Count = fn(u32) -> u8;

/// The number of vertices. Their weights fit into no cache.
const VERTICES: u32 = 20_000_000;
/// The number of look-ups in one measurement.
const LOOKUPS: u32 = 1_000_000;

fn main() {
    let vertices = if claims::testing() { 60_000 } else { VERTICES };
    let kinds: [(&str, Count, Bar); 3] = [
        ("all 4", |_| 4, Bar::AtLeast(0.75)),
        ("1 to 4, equal for 16 in a row", |vertex| one_to_four(vertex / 16), Bar::None),
        ("1 to 4 at random", one_to_four, random_bar()),
    ];
    for (name, count, bar) in kinds {
        let bytes = weights(vertices, count);
        let runs = CountedRuns::<Record>::new(&bytes, vertices as usize);
        claims::title(&format!("walk over the weights of {vertices} vertices, {name}"));
        walk(&runs, &bytes, bar);
        look_up(&runs, &bytes, name == "1 to 4 at random");
    }
}

/// Returns the bar for random counts. It is higher for a processor that can look up 64 bytes at
/// once.
fn random_bar() -> Bar {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512vbmi") {
        return Bar::AtLeast(0.55);
    }
    Bar::AtLeast(0.42)
}

fn one_to_four(seed: u32) -> u8 {
    (inputs::random(seed) % 4) as u8 + 1
}

/// Returns weights in the format of the files: a count, then that number of bones out of 64, with
/// weights that sum to 65535.
fn weights(vertices: u32, count: Count) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(vertices as usize * 17);
    for vertex in 0..vertices {
        let count = count(vertex);
        bytes.push(count);
        let mut left = 0xffff;
        for record in 0..count {
            let random = inputs::random(vertex.wrapping_mul(4).wrapping_add(record.into()));
            let weight = if record + 1 == count { left } else { random % (left / 2) };
            left -= weight;
            bytes.extend((random as i16 >> 8 & 63).to_le_bytes());
            bytes.extend((weight as u16).to_le_bytes());
        }
    }
    bytes
}

fn walk(runs: &CountedRuns<'_, Record>, bytes: &[u8], bar: Bar) {
    let contestants = [
        Contestant::new("meshpeek", || ((), keep(black_box(runs).measure()))),
        Contestant::new("plain read", || ((), keep(plain_read(black_box(bytes))))),
        Contestant::new("step by step", || ((), keep(black_box(runs).iter().map(<[_]>::len).sum::<usize>()))),
        Contestant::new("index", || ((), black_box(black_box(runs).index()))),
    ];
    let times = claims::race(15, &contestants);
    let [ours, plain, steps, index] = times.map(|times| times.rate(bytes.len() as f64 / 1e9));
    claim("meshpeek", ours.clone(), "GB/s", Bar::None);
    claim("plain read", plain.clone(), "GB/s", Bar::None);
    claim("step by step", steps, "GB/s", Bar::None);
    claim("meshpeek / plain read", ours.over(&plain), "of its rate", bar);
    claim("building the index / plain read", index.over(&plain), "of its rate", Bar::None);
}

fn look_up(runs: &CountedRuns<'_, Record>, bytes: &[u8], judged: bool) {
    let index = runs.index().unwrap();
    let starts = runs.iter().map(|run| run.as_ptr().addr() - bytes.as_ptr().addr() - 1);
    let table: Vec<u32> = starts.map(|start| start as u32).collect();
    let sum = |run: &[Record]| run.iter().fold(run.len() as u32, |sum, record| sum ^ u32::from_le_bytes(*record));
    let wanted = || (0..LOOKUPS).map(|number| inputs::random(number) as usize % table.len());
    let through_table = |vertex: usize| {
        let start = table[vertex] as usize;
        let end = start + 1 + usize::from(bytes[start]) * size_of::<Record>();
        sum(bytes[start + 1..end].as_chunks().0)
    };
    let contestants = [
        Contestant::new("index", || {
            (wanted().fold(0, |all: u32, vertex| all.wrapping_add(sum(runs.get(&index, vertex).unwrap()))), ())
        }),
        Contestant::new("table", || (wanted().fold(0, |all: u32, vertex| all.wrapping_add(through_table(vertex))), ())),
    ];
    let [ours, table] = claims::race(15, &contestants).map(|times| times.times(1e9 / f64::from(LOOKUPS)));
    let [time, space] = if judged { [Bar::AtMost(3.5), Bar::AtMost(0.63)] } else { [Bar::None; 2] };
    claim("random look-up, index", ours.clone(), "ns", Bar::None);
    claim("random look-up, table of offsets", table.clone(), "ns", Bar::None);
    claim("random look-up, index / table of offsets", ours.over(&table), "times", time);
    claim("index", index.bytes() as f64 / runs.len() as f64, "bytes a vertex", space);
}
