//! An allocator that counts, for tests that are programs of their own: each names it as its global one.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of each thread, those that make one larger included, and the bytes that are held. Tests run side by
/// side, so per thread.
pub struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

fn hold(bytes: i64) {
    HELD.set(HELD.get() + bytes);
    MOST.set(MOST.get().max(HELD.get()));
}

fn size(layout: Layout) -> i64 {
    i64::try_from(layout.size()).unwrap_or(i64::MAX)
}

// SAFETY: every call is the system allocator's, with the arguments it came with. Counting uses plain cells without a
// destructor, so it neither allocates nor unwinds.
#[allow(unsafe_code, reason = "an allocator is unsafe by its nature")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        hold(size(layout));
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        hold(-size(layout));
        // SAFETY: the memory came from the system allocator with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns how often memory was asked for while `work` ran.
pub fn allocations<T>(work: impl FnOnce() -> T) -> u64 {
    let before = COUNT.get();
    let result = work();
    let count = COUNT.get() - before;
    drop(result);
    count
}

/// Returns what `work` made, and the most bytes that were held for it at a time.
#[allow(dead_code, reason = "not every test asks")]
pub fn most_held<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = HELD.get();
    MOST.set(before);
    let result = work();
    (result, u64::try_from(MOST.get() - before).unwrap())
}
