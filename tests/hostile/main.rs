//! Hostile and damaged files. Whatever the bytes say, `support::<format>::invariants` must hold, in bounded memory and time.
//!
//! The sweeps are ignored by default: `cargo test --profile sweep --test hostile -- --include-ignored` runs them.
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
mod secondlife;
mod sidecar;
mod sidecar_trees;
#[path = "../support/mod.rs"]
mod support;
mod unigine;
mod unigine_animation;
mod unigine_blocks;
mod unreal;

use std::time::Duration;

use crate::support::allocations::most_held;
use crate::support::stopwatch::Stopwatch;

#[global_allocator]
static ALLOCATOR: support::allocations::CountingAllocator = support::allocations::CountingAllocator;

/// Returns the most memory that this thread held at a time while `work` ran.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    usize::try_from(most_held(work).1).unwrap()
}

/// Asserts the documented bound, 16 times the files and 1 MiB, on what `work` holds of files of `length` bytes; returns
/// the peak, also as a part of their size.
fn bounded<T>(length: usize, what: &str, work: impl FnOnce() -> T) -> (f64, usize) {
    let peak = peak(work);
    assert!(peak <= 16 * length + (1 << 20), "{what}: {peak} bytes for {length} of files");
    (peak as f64 / length.max(1) as f64, peak)
}

/// Asserts that `work` is done in time: many times what it takes on a slow machine, and far from what a trap takes.
fn within<T>(seconds: u64, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Stopwatch::start();
    let result = work();
    assert!(start.elapsed() < Duration::from_secs(seconds), "{what} took {:?}", start.elapsed());
    result
}

/// The values that a field of `width` bytes is set to: the ends of its range, and the length of the file.
fn edges(width: usize, length: usize) -> Vec<u64> {
    let all = u64::MAX >> (64 - 8 * width);
    let length = length as u64;
    vec![0, 1, all >> 1, (all >> 1) + 1, all, length, length - 1, length + 1]
}
