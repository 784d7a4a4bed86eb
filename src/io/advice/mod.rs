//! Advice to the operating system (`madvise`) about the bytes of a memory map that the program will
//! read next.

mod prefetch_list;
mod residency;
mod sequence;
mod system;

pub use prefetch_list::PrefetchList;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::math::as_u64;
use residency::{are_cached, seem_cached, touch};
pub(super) use sequence::doubt_scans;
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) use system::PIECE;
use system::advise_in_order;
#[cfg(all(unix, not(miri)))]
pub(super) use system::page_mask;
pub(super) use system::{PAGE, advise_will_need};

/// Maximum number of bytes that one call of [`ReadAhead::pass`] prefetches.
const WINDOW: usize = 1 << 20;

/// Minimum number of bytes for which [`prefetch_file`] asks for pages of 2 MiB.
const MIN_FILE_BYTES: usize = 4 << 20;
/// The size of the largest section after which the next sections are prefetched, in bytes.
///
/// A parser reads a few fields of a section and skips its arrays. Reading all of a section of this
/// size takes as long as waiting for two or three single pages.
const MAX_SECTION: u64 = 128 << 10;
/// The least and the greatest number of bytes that are prefetched at a time.
const AHEAD: [u64; 2] = [64 << 10, 1 << 20];

/// Advises the operating system that the calling thread will soon read exactly `bytes`, from the
/// first to the last.
///
/// If `bytes` are in a [`Map`](crate::Map), the operating system starts to read them from the disk
/// in large pieces. If `bytes` are in other memory, `prefetch` has no effect. `prefetch` waits for
/// a few pages at most to be read from the disk. If `bytes` are already in memory, `prefetch` makes
/// a few system calls to detect that they are, and then gives no advice. Giving the advice for
/// bytes that are already in memory would take a third of the time that reading them takes.
///
/// Calls for bytes that follow each other in a file are recognised as one scan of the file, even if
/// each call is for less than a page, and if the thread makes up to eight such scans in turn. The
/// advice then reaches beyond the end of `bytes`, by at most as many bytes as the scan has passed
/// and at most 4 MiB. A program can therefore read an array in pieces of any size, and call
/// `prefetch` before each piece.
///
/// Use [`Model::prefetch`](crate::Model::prefetch) for a whole file, and a [`PrefetchList`] for bytes
/// at many places.
pub fn prefetch(bytes: &[u8]) {
    if !bytes.is_empty() {
        sequence::prefetch(bytes);
    }
}

/// Advises the operating system that the program will soon read `bytes`, which are a file or the
/// larger part of a file, from the first byte to the last.
///
/// On Linux, the operating system then reads the bytes while the program does, in pieces of 2 MiB
/// where the file system supports them. Such pieces also make later reads faster, because the page
/// tables map 2 MiB at once. Scanning a file of 100 MB that is not in memory takes about half the
/// time that it takes after [`prefetch`]. The operating system may read up to 8 MiB beyond the end
/// of `bytes`. Calls of [`prefetch`] for parts of `bytes` by the same thread then give no advice.
///
/// The operating system can't read a piece of 2 MiB if a part of it is in memory already.
/// If at most a quarter of a piece is in memory, `prefetch_file` therefore drops its pages, and the
/// operating system reads them again. It drops no pages of a file that the program may not write.
///
/// The advice stays in effect for the memory map. If the operating system drops pages from memory
/// later, the first access to such a page reads 2 MiB or more. Use [`prefetch`] for a part of a
/// file.
pub fn prefetch_file(bytes: &[u8]) {
    if bytes.len() < MIN_FILE_BYTES {
        prefetch(bytes);
    } else if !seem_cached(&std::iter::once(bytes)) {
        if advise_in_order(bytes.as_ptr(), bytes.len()) {
            sequence::remember_in_order(bytes);
        } else {
            advise_will_need(bytes.as_ptr(), bytes.len());
        }
    }
}

/// Advises the operating system that the program will soon read all `parts`, as [`prefetch`] does
/// for one. If all parts are in memory, it makes no more system calls than `prefetch` makes for the
/// largest part. Otherwise it waits for at most a few pages of each part.
pub(crate) fn prefetch_all<'b>(parts: impl Iterator<Item = &'b [u8]> + Clone) {
    let parts = parts.filter(|part| part.len() >= 2 * PAGE && !sequence::are_in_order(part));
    if !seem_cached(&parts) {
        parts.for_each(|part| advise_will_need(part.as_ptr(), part.len()));
    }
}

/// Prefetches bytes before a loop reads them, for a loop that does not know in advance at which
/// byte it ends.
///
/// When the loop has read the MiB that was prefetched last, `ReadAhead` prefetches the next MiB.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Offset of the end of the prefetched bytes, in the slice that the loop reads.
    until: usize,
}

impl ReadAhead {
    /// Prefetches more bytes if the loop, which has reached byte `at` of `bytes`, has read all
    /// prefetched bytes.
    ///
    /// Returns the offset of the end of the prefetched bytes.
    ///
    /// `left` returns an estimate of the number of bytes that the loop still has to read. `pass`
    /// prefetches at most the estimated number of bytes, to avoid reading the arrays that follow in
    /// the file.
    #[inline]
    pub(crate) fn pass(&mut self, bytes: &[u8], at: usize, left: impl FnOnce() -> usize) -> usize {
        if at >= self.until {
            self.until = at.saturating_add(left().min(WINDOW));
            prefetch_all(std::iter::once(bytes.get(at..self.until.min(bytes.len())).unwrap_or_default()));
        }
        self.until
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefetches_any_slice() {
        let bytes = vec![7_u8; 5_000_000];
        prefetch(&bytes[1..]);
        prefetch(&bytes[..0]);
        prefetch_file(&bytes);
        prefetch_file(&bytes[..10]);
        prefetch_all([&bytes[..50_000], &bytes[..0], &bytes[60_000..]].into_iter());
        prefetch_all(std::iter::empty());
        for piece in [1, 100, 4096, 10_000, 1_000_000] {
            bytes.chunks(piece).take(300).for_each(prefetch);
        }
        assert!(bytes.iter().all(|byte| *byte == 7));
    }
}
