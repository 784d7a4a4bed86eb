//! The allocator of the test binaries.
//!
//! It counts per thread, because tests run in parallel, and refuses allocations on request.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use meshpeek::{ErrorKind, Result};

/// Counts the allocations of each thread, including reallocations, and the bytes that the thread
/// holds.
pub struct CountingAllocator;

/// The size in bytes from which an allocation counts as large.
///
/// Errors and their messages are smaller.
const LARGE: usize = 1024;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    // This thread may free memory of another thread, so the count can become negative.
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
    /// The number of large allocations that are granted before one is refused.
    pub static GRANTED: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Counts an allocation, and returns whether it is granted.
fn grant(layout: Layout) -> bool {
    if layout.size() >= LARGE {
        let left = GRANTED.get();
        // A refusal while a panic is printed would stop the process for ever.
        if left == 0 && !std::thread::panicking() {
            return false;
        }
        GRANTED.set(left.saturating_sub(usize::from(left != usize::MAX)));
    }
    COUNT.set(COUNT.get() + 1);
    HELD.set(HELD.get() + size(layout));
    PEAK.set(PEAK.get().max(HELD.get()));
    true
}

fn size(layout: Layout) -> i64 {
    i64::try_from(layout.size()).unwrap_or(i64::MAX)
}

// SAFETY: every call is passed to the system allocator with its own arguments. A refusal is a null
// pointer, which callers must expect. Counting uses plain cells without destructors, so it neither
// allocates nor unwinds.
#[allow(unsafe_code, reason = "an allocator is unsafe by its nature")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !grant(layout) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller guarantees a valid layout, and it is passed on unchanged.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !grant(layout) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller guarantees a valid layout, and it is passed on unchanged.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - size(layout));
        // SAFETY: the memory came from the system allocator with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns the number of allocations that `work` makes.
pub fn allocations<T>(work: impl FnOnce() -> T) -> u64 {
    let before = COUNT.get();
    let result = work();
    let count = COUNT.get() - before;
    drop(result);
    count
}

/// Returns the result of `work`, and the maximum number of bytes that this thread held while it
/// ran.
pub fn most_held<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = HELD.get();
    PEAK.set(before);
    let result = work();
    (result, u64::try_from(PEAK.get() - before).unwrap())
}

/// Returns the result of `work`, and the number of bytes that this thread holds afterwards in
/// addition to those that it held before.
pub fn still_held<T>(work: impl FnOnce() -> T) -> (T, i64) {
    let before = HELD.get();
    let result = work();
    (result, HELD.get() - before)
}

/// Refuses the first large allocation of `work`, then the second, and so on, until `work` returns
/// no error. Each error must be [`ErrorKind::OutOfMemory`].
///
/// Returns the number of large allocations of `work`.
pub fn refuse_each(what: &str, mut work: impl FnMut() -> Result<()>) -> usize {
    let mut granted = 0;
    loop {
        GRANTED.set(granted);
        let result = work();
        GRANTED.set(usize::MAX);
        let Err(error) = result else { return granted };
        assert!(error.kind() == ErrorKind::OutOfMemory, "{what}: {error}");
        granted += 1;
        assert!(granted < 100, "{what} makes at least {granted} large allocations");
    }
}
