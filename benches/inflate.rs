//! Compares inflating through this crate with the inflater alone, and measures the speed with two
//! threads.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod support;

use support::{claims, inputs};

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::unigine_builder as builder;
use meshpeek::Limits;
use meshpeek::secondlife::{InflateBuffer, Lod, Mesh};
use meshpeek::unigine::{self, Generation};
use support::claims::{Bar, Contestant, claim};
use zlib_rs::{InflateConfig, ReturnCode, decompress_slice};

/// How many times a block is inflated in one measurement.
const TIMES: usize = 20;
/// How many times an asset is inflated, and the number of surfaces of the ms14 mesh.
const MANY: usize = 120;
/// The number of quads along one side of each surface.
const SIDE: u32 = 140;

fn main() {
    let asset = inputs::asset::asset(false);
    let mesh = Mesh::open(asset.as_slice()).unwrap();
    let (_, stored) = mesh.view().stored(Lod::High.part()).unwrap().unwrap();
    let mut buffer = InflateBuffer::default();
    let size = buffer.inflate(Lod::High.part(), stored, &Limits::default()).unwrap().bytes().len();
    let mut criterion = claims::criterion();
    claims::compare(&mut criterion, "inflate", "the highest level of a Second Life asset", &alone(stored, size));
    criterion.final_summary();
    claims::title(&format!("inflate a zlib block to {size} bytes"));
    let [ours, zlib] = claims::race(41, &alone(stored, size)).map(|times| times.rate((size * TIMES) as f64 / 1e6));
    claim("meshpeek, through flate2", ours.clone(), "MB/s", Bar::None);
    claim("zlib-rs alone", zlib.clone(), "MB/s", Bar::None);
    claim("time of meshpeek / zlib-rs alone", zlib.over(&ours), "times", Bar::AtMost(1.05));

    claims::title(&format!("{MANY} times the blocks of a Second Life asset, into a buffer of each thread"));
    let blocks: Vec<_> =
        Lod::ALL.iter().map(|lod| (lod.part(), mesh.view().stored(lod.part()).unwrap().unwrap().1)).collect();
    let blocks = &blocks;
    compare(&[1, 2].map(|threads| {
        Contestant::new("meshpeek", move || {
            let job = |buffer: &mut InflateBuffer, _| {
                for (part, stored) in blocks {
                    black_box(buffer.inflate(*part, stored, &Limits::default()).unwrap());
                }
            };
            ((), share(threads, &job))
        })
    }));
    claims::title(&format!("{MANY} surfaces of one ms14 mesh, into a buffer of each thread"));
    let quads = if claims::testing() { 16 } else { SIDE };
    let mesh = builder::Mesh { generation: Generation::Ms14, ..inputs::mesh(MANY, quads, false) };
    let mesh = &unigine::Mesh::open(mesh.to_bytes().unwrap()).unwrap();
    compare(&[1, 2].map(|threads| {
        Contestant::new("meshpeek", move || {
            let job = |buffer: &mut unigine::InflateBuffer, number| {
                black_box(mesh.surface_in(number, buffer).unwrap());
            };
            ((), share(threads, &job))
        })
    }));
}

/// Inflates a block through the crate and through the inflater that `flate2` calls, each into an
/// existing buffer.
fn alone(stored: &[u8], size: usize) -> [Contestant<'_, usize>; 2] {
    let (buffer, out) = (RefCell::new(InflateBuffer::default()), RefCell::new(vec![0; size]));
    let ours = move || {
        let mut buffer = buffer.borrow_mut();
        let inflate =
            |_| buffer.inflate(Lod::High.part(), black_box(stored), &Limits::default()).unwrap().bytes().len();
        ((0..TIMES).map(inflate).last().unwrap(), ())
    };
    let zlib = move || {
        let mut out = out.borrow_mut();
        let mut inflate = |_| {
            let (inflated, code) = decompress_slice(&mut out, black_box(stored), InflateConfig::default());
            assert!(code == ReturnCode::Ok);
            inflated.len()
        };
        ((0..TIMES).map(&mut inflate).last().unwrap(), ())
    };
    [Contestant::new("meshpeek", ours), Contestant::new("zlib-rs", zlib)]
}

/// Runs a job for each number on several threads. Each thread takes the next number when it is
/// finished with one, and has a value of type `B` that it reuses.
fn share<B: Default>(threads: usize, job: &(dyn Fn(&mut B, usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = B::default();
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < MANY);
        std::iter::from_fn(take).for_each(|number| job(&mut own, number));
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
}

fn compare(contestants: &[Contestant<'_, ()>; 2]) {
    let [one, two] = claims::race(15, contestants);
    claim("one thread", one.times(1e3), "ms", Bar::None);
    claim("two threads", two.times(1e3), "ms", Bar::None);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let bar = if cores > 1 { Bar::AtLeast(1.8) } else { Bar::None };
    claim("one thread / two threads", one.over(&two), "times", bar);
}
