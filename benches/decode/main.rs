//! Compares the speed of decoding packed vertices with copying the decoded values, and the speed of
//! their bounding box with reading the bytes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "a panic is how a bench fails"
)]

mod codecs;
#[path = "../support/mod.rs"]
mod support;

use support::{claims, inputs};

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::ops::Range;
use std::rc::Rc;

use codecs::Rivals;
use meshpeek::decode::{Packed32, Packed64};
use meshpeek::internals::without_avx512;
use meshpeek::model::{PositionEncoding, Positions};
use meshpeek::{Array, Packed};
use support::claims::{Bar, Contestant, claim, keep};
use support::machine_limit::plain_read;
use zerocopy::FromBytes;

/// The number of vertices whose floats take 384 KiB. The floats and their source fit into the
/// second-level cache.
const CACHED: usize = (384 << 10) / 12;
/// The number of such blocks of vertices, each at another address.
const PLACES: usize = 8;
/// A number of bytes that fits into no cache.
const LARGE: usize = 256 << 20;
/// The number of source bytes for the decoders. It is enough for float triples, plus the bytes of
/// the unaligned start.
const SOURCE: usize = (384 << 20) + 64;
/// How many times a job in cache is repeated in one measurement.
const TIMES: usize = 500;

fn main() {
    let large = random_bytes(if claims::testing() { CACHED * PLACES * 12 + 64 } else { SOURCE });
    let [small32, small64] = [4, 8].map(|size| &large[..CACHED * PLACES * size]);
    let mut criterion = claims::criterion();
    for (name, positions) in [("packed32", packed32(small32)), ("packed64", packed64(small64))] {
        claims::compare(&mut criterion, "decode in cache", name, &decoding(positions));
    }
    criterion.final_summary();
    claims::title("decode to 384 KiB, in cache");
    codecs::ask(&large, Rivals::CopyInCache);
    claims::title("decode to 384 MiB, in memory");
    codecs::ask(&large, Rivals::CopyInMemory);
    claims::title("kernels for AVX-512 and for AVX2, decode to 384 KiB, in cache");
    match without_avx512(|| ()) {
        Some(()) => codecs::ask(&large, Rivals::Avx512),
        None => claims::skipped("AVX-512 / AVX2", "the processor has no AVX-512"),
    }
    claims::title("box around packed vertices, 384 KiB, in cache");
    bound("packed32", packed32(&large[..CACHED * 12]), TIMES, Bar::None);
    bound("packed64", packed64(&large[..CACHED * 12]), TIMES, Bar::None);
    claims::title("box around packed vertices, 256 MiB");
    let large = large.get(..LARGE).unwrap_or(&large[..CACHED * PLACES * 8]);
    bound("packed32", packed32(large), 1, Bar::AtLeast(0.9));
    bound("packed64", packed64(large), 1, Bar::AtLeast(0.9));
}

/// Returns random bytes, in which no vertex is similar to the next one.
fn random_bytes(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for (seed, word) in (0..).zip(bytes.as_chunks_mut().0) {
        *word = inputs::random(seed).to_le_bytes();
    }
    bytes
}

fn packed32(bytes: &[u8]) -> Positions<'_> {
    Positions(PositionEncoding::Packed32(Packed::new(FromBytes::ref_from_bytes(bytes).unwrap(), Packed32)))
}

fn packed64(bytes: &[u8]) -> Positions<'_> {
    Positions(PositionEncoding::Packed64(Packed::new(FromBytes::ref_from_bytes(bytes).unwrap(), Packed64)))
}

/// Decodes the floats of vertices, or copies them from a list of floats. Each run uses another
/// place in memory, because the cache works better for some addresses than for others.
fn decoding(positions: Positions<'_>) -> [Contestant<'_, bool>; 2] {
    let floats: Rc<Vec<_>> = Rc::new((0..positions.len()).map(|vertex| positions.get(vertex).unwrap()).collect());
    let out = Rc::new(RefCell::new(floats.to_vec()));
    let (expected, decoded, decodings) = (Rc::clone(&floats), Rc::clone(&out), places());
    let (copied, repeats) = (out, places());
    let decode = move || {
        let place = decodings();
        let (out, positions) = (&mut decoded.borrow_mut()[place.clone()], positions.slice(place.clone()).unwrap());
        (0..TIMES).for_each(|_| black_box(positions).decode_into(black_box(out)).unwrap());
        (*out == expected[place], ())
    };
    let copy = move || {
        let place = repeats();
        let (out, floats) = (&mut copied.borrow_mut()[place.clone()], &floats[place]);
        (0..TIMES).for_each(|_| black_box(&mut *out).copy_from_slice(black_box(floats)));
        (*out == *floats, ())
    };
    [Contestant::new("meshpeek", decode), Contestant::new("memcpy", copy)]
}

/// Returns a function that returns one place after another, and then starts again with the first.
fn places() -> impl Fn() -> Range<usize> {
    let next = Cell::new(0);
    move || {
        let place = next.get();
        next.set((place + 1) % PLACES);
        place * CACHED..(place + 1) * CACHED
    }
}

fn bound(name: &str, positions: Positions<'_>, times: usize, bar: Bar) {
    let contestants = [
        Contestant::new("meshpeek", || ((), (0..times).for_each(|_| keep(black_box(positions).bounds())))),
        Contestant::new("plain read", || {
            ((), (0..times).for_each(|_| keep(plain_read(black_box(positions).as_bytes()))))
        }),
    ];
    let read = (positions.as_bytes().len() * times) as f64;
    let [ours, plain] = claims::race(21, &contestants).map(|times| times.rate(read / 1e9));
    claim(&format!("{name}, meshpeek"), ours.clone(), "GB/s", Bar::None);
    claim(&format!("{name}, plain read"), plain.clone(), "GB/s", Bar::None);
    claim(&format!("{name}, meshpeek / plain read"), ours.over(&plain), "of its rate", bar);
}
