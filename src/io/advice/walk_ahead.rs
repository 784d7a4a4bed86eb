//! Prefetching for a parser that passes the sections of a file.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::residency::{are_cached, touch};
use super::system::advise_will_need;
use crate::math::as_u64;

/// The size of the largest section after which the next sections are prefetched, in bytes.
///
/// A parser reads a few fields of a section and skips its arrays. Reading all of a section of this
/// size takes as long as waiting for two or three single pages.
const MAX_SECTION: u64 = 128 << 10;

/// The least and the greatest number of bytes that are prefetched at a time.
const AHEAD: [u64; 2] = [64 << 10, 1 << 20];

/// Prefetches the sections of a file for a parser that passes one section after another, because no
/// table contains the offsets of the sections.
///
/// If the sections are small, each field is on another page, and the parser would wait for the disk
/// once for each field. Large sections are not prefetched, because the parser reads only a small
/// part of them.
#[derive(Debug, Default)]
pub(crate) struct WalkAhead {
    /// The offset in the file up to which the sections are prefetched, or in memory.
    until: AtomicU64,
}

impl WalkAhead {
    /// Prefetches the bytes after the section `passed` if the section is small. Threads may call
    /// the method at the same time.
    pub(crate) fn pass(&self, bytes: &[u8], passed: Range<u64>) {
        let at = passed.end;
        if at.saturating_sub(passed.start) > MAX_SECTION || at < self.until.load(Ordering::Relaxed) {
            return;
        }
        let next = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let [least, most] = AHEAD;
        let ahead = at.clamp(least, most).min(as_u64(next.len()));
        self.until.store(at.saturating_add(ahead), Ordering::Relaxed);
        if !are_cached(1, |_| touch(next)) {
            advise_will_need(next.as_ptr(), usize::try_from(ahead).unwrap_or_default());
        }
    }
}
