//! Files made to do harm, and accidents that do the same. Each test names its line of the attack list: G for any file, U
//! for UNIGINE meshes, E for Unreal's, L, Z and S for Second Life's: their LLSD, their blocks, and what these mean; I
//! for sidecars. What must hold whatever the bytes say stands in `support::exercise`, `support::exercise_unreal` and
//! `support::exercise_secondlife`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::as_conversions,
    clippy::float_cmp,
    clippy::format_collect,
    clippy::too_many_lines,
    reason = "a panic is how a test fails, and exact floats are what is meant"
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

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Counts the memory that each thread holds, and refuses what it is told to. Tests run side by side, so per thread.
struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    /// How many large allocations are granted before one is refused.
    static GRANTED: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// What counts as large: errors and their texts are smaller.
const LARGE: usize = 1024;

fn grant(size: usize) -> bool {
    if size >= LARGE {
        let left = GRANTED.get();
        if left == 0 {
            return false;
        }
        GRANTED.set(left.saturating_sub(usize::from(left != usize::MAX)));
    }
    let held = HELD.get().wrapping_add(size);
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
    true
}

// SAFETY: every call is the system allocator's, with the arguments it came with; a refusal is a null pointer, which
// callers must expect. Counting uses plain cells without destructors, so it neither allocates nor unwinds.
#[allow(unsafe_code, reason = "an allocator is unsafe by its nature")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !grant(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !grant(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // What another thread allocated leaves this one's count too small, never the peak too large.
        HELD.set(HELD.get().saturating_sub(layout.size()));
        // SAFETY: the memory came from the system allocator with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the most memory that this thread held at a time while `work` ran.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = HELD.get();
    PEAK.set(before);
    work();
    PEAK.get().saturating_sub(before)
}

/// Asserts the documented bound, four times the files and 64 KiB, on what `work` holds of files of `length` bytes; returns
/// the peak, also as a part of their size.
fn bounded<T>(length: usize, what: &str, work: impl FnOnce() -> T) -> (f64, usize) {
    let peak = peak(work);
    assert!(peak <= 4 * length + (64 << 10), "{what}: {peak} bytes for {length} of files");
    (peak as f64 / length.max(1) as f64, peak)
}

/// Asserts that `work` is done in time: many times what it takes on a slow machine, and far from what a trap takes.
fn within<T>(seconds: u64, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
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
