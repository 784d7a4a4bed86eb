//! Tests of hostile and damaged files.
//!
//! For any bytes, `support::<format>::invariants` must hold in bounded memory and time.
//!
//! The sweeps are ignored by default: `cargo test --profile sweep --test hostile --
//! --ignored` runs them. A sweep flips one bit of most bytes of a file. With
//! `MESHPEEK_SWEEP=all` it flips all eight.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::cast_sign_loss,
    clippy::format_collect,
    clippy::too_many_lines,
    reason = "a panic is how a test fails, and exact floats are meant"
)]

mod ezmesh;
#[cfg(feature = "images")]
mod images;
mod many_surfaces;
mod refused_allocations;
mod secondlife;
#[cfg(target_os = "linux")]
mod shortened;
mod sidecar;
mod sidecar_trees;
#[cfg(unix)]
mod storm;
#[path = "../support/mod.rs"]
mod support;
mod unigine;
mod unigine_animation;
mod unigine_blocks;
mod unreal;
#[cfg(unix)]
mod visit;

use std::sync::LazyLock;
use std::time::Duration;

use crate::support::allocations::most_held;
use crate::support::stopwatch::Stopwatch;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;

/// Returns the maximum number of bytes that this thread held while `work` ran.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    usize::try_from(most_held(work).1).unwrap()
}

/// Asserts the documented bound on the memory of `work`: 16 times the size of the files, and 1 MiB.
///
/// `length` is the size of the files in bytes. Returns the peak relative to that size, and in
/// bytes.
fn bounded<T>(length: usize, what: &str, work: impl FnOnce() -> T) -> (f64, usize) {
    let peak = peak(work);
    assert!(peak <= 16 * length + (1 << 20), "{what}: {peak} bytes held for files of {length} bytes");
    (peak as f64 / length.max(1) as f64, peak)
}

/// Asserts that `work` ends in time.
///
/// The limit is many times the time of a slow machine, but far less than the time that a trap would
/// take.
fn within<T>(seconds: u64, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Stopwatch::start();
    let result = work();
    assert!(start.elapsed() < Duration::from_secs(seconds), "{what} took {:?}", start.elapsed());
    result
}

/// Returns the bits of the byte at offset `at` that a sweep flips: one bit, or all bits if
/// `MESHPEEK_SWEEP` is `all`. The bit differs from byte to byte, and from field to field.
fn swept_bits(at: usize) -> impl Iterator<Item = usize> {
    static ALL: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("MESHPEEK_SWEEP").is_some_and(|value| value == "all"));
    (0..8).filter(move |bit| *ALL || *bit == (at + at / 8) % 8)
}

/// Returns the values that a field of `width` bytes is set to: the ends of its range, and the
/// file's length with its neighbours.
fn edges(width: usize, length: usize) -> Vec<u64> {
    let all = u64::MAX >> (64 - 8 * width);
    let length = length as u64;
    vec![0, 1, all >> 1, (all >> 1) + 1, all, length, length - 1, length + 1]
}
