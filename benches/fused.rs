//! Compares scans of a whole array that store nothing with only reading its bytes.
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

use std::hint::black_box;

use meshpeek::Packed;
use meshpeek::decode::{Floats, Index, MinMax16, Packed32, Packed64, Quat7, Quat8};
use meshpeek::model::{IndexEncoding, Indices, PositionEncoding, Positions};
use support::claims::{Bar, Contestant, claim, keep};
use support::machine_limit::plain_read;
use zerocopy::{FromBytes, Immutable, KnownLayout};

/// A number of bytes that fits into no cache, and is a multiple of records of 3, 4, 6, 7, 8 and 12
/// bytes.
const LARGE: usize = (256_usize << 20).next_multiple_of(168);
/// The bar for the measured rate, as a fraction of the rate of reading.
const BAR: Bar = Bar::AtLeast(0.9);

fn main() {
    let length = if claims::testing() { 168 * 100 } else { LARGE };
    let mut all = vec![0_u8; length + 4];
    for (seed, word) in (0_u32..).zip(all.as_chunks_mut().0) {
        // The data has no infinities and NaNs. If floats start at the second byte, each float ends
        // in the first byte of the next word.
        *word = (inputs::random(seed) & 0xffff_ffbf).to_le_bytes();
    }
    // The data starts at an odd address, so nothing wider than a byte is aligned.
    let bytes = &all[1..=length];
    let floats = Packed::new(cast(bytes), Floats::<3>);
    claims::title("scans that store nothing, 256 MiB at an odd address");
    scan("box, three f32", bytes, BAR, &|| keep(floats.bounds()));
    scan("box, three u16 over an interval", bytes, BAR, &{
        let codes = Packed::new(cast(bytes), MinMax16::new([-1.0; 3], [1.0; 3]));
        move || keep(codes.bounds())
    });
    scan("box, 11, 11 and 10 bits", bytes, BAR, &|| keep(Packed::new(cast(bytes), Packed32).bounds()));
    scan("box, four i16", bytes, BAR, &|| keep(Packed::new(cast(bytes), Packed64).bounds()));
    scan("sums of tangents, four i16", bytes, BAR, &|| keep(Packed::new(cast(bytes), Quat8).sums()));
    scan("sums of tangents, three i16 and i8", bytes, BAR, &|| keep(Packed::new(cast(bytes), Quat7).sums()));
    scan("sums of three f32", bytes, Bar::None, &|| keep(floats.sums()));
    scan("infinities and NaNs of three f32", bytes, Bar::None, &|| keep(floats.non_finite()));
    scan("sphere, three f32 (two passes)", bytes, Bar::None, &|| {
        keep(Positions(PositionEncoding::F32(floats)).sphere());
    });
    let indices = Indices(IndexEncoding::U32(Packed::new(cast(bytes), Index::new())));
    scan("u32 indices out of range", bytes, Bar::None, &|| keep(indices.first_out_of_range(u32::MAX)));
}

fn cast<T: FromBytes + KnownLayout + Immutable + zerocopy::Unaligned>(bytes: &[u8]) -> &[T] {
    <[T]>::ref_from_bytes(bytes).unwrap()
}

fn scan(name: &str, bytes: &[u8], bar: Bar, job: &dyn Fn()) {
    let contestants = [
        Contestant::new("meshpeek", || ((), job())),
        Contestant::new("plain read", || ((), keep(plain_read(black_box(bytes))))),
    ];
    let [ours, plain] = claims::race(21, &contestants).map(|times| times.rate(bytes.len() as f64 / 1e9));
    claim(&format!("{name}, meshpeek"), ours.clone(), "GB/s", Bar::None);
    claim(&format!("{name}, meshpeek / plain read"), ours.over(&plain), "of its rate", bar);
}
