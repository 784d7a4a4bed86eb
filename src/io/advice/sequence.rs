//! Recognises calls of [`prefetch`] that scan a file in pieces.
//!
//! A program may read an array in pieces that are too small to be prefetched one by one, or read
//! arrays that follow each other in the file. Each thread therefore remembers where its last scans
//! ended. A call that continues a scan advises the operating system to read further ahead, the more
//! the longer the scan is. A call for bytes of a file that is read in order already gives no
//! advice, because advice for a part of the file would make the system read it in small pieces.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::PAGE;
use super::residency::{are_cached, seem_cached, touch};
use super::system::advise_will_need;

/// The number of scans that a thread remembers.
const SCANS: usize = 8;

/// The least and the greatest number of bytes that are read ahead of a scan.
const AHEAD: [usize; 2] = [64 << 10, 4 << 20];

/// The number of bytes that a scan of bytes in memory passes before it is tested again whether they
/// are in memory.
const CACHED_AHEAD: usize = 128 << 10;

/// The greatest number of bytes of which a scan that continues tests only the first page.
const AHEAD_SAMPLED: usize = 128 << 10;

/// A scan of consecutive bytes. All places are addresses.
#[derive(Clone, Copy, Debug)]
struct Scan {
    /// The end of the bytes of the last call.
    next: usize,
    /// The end of the bytes for which advice was given, or which are in memory. It is the start of
    /// a page.
    until: usize,
    /// The end of the bytes for which advice was given before the last doubt. It has no meaning
    /// once the scan has passed it.
    doubted: usize,
    /// The number of bytes from the start of the scan to `next`.
    length: usize,
}

/// The number of files that a thread remembers. An Unreal mesh has two files with arrays.
const FILES: usize = 2;

/// The scans that a thread remembers.
struct Scans {
    all: [Cell<Scan>; SCANS],
    /// The index of the scan that was begun last.
    newest: Cell<usize>,
    files: FilesInOrder,
    /// The value of [`MAPS`] when the scans were begun.
    maps: Cell<usize>,
}

/// The addresses of the files that the operating system was last advised to read in order, from
/// the first byte of each file to its end. The newest file is first.
struct FilesInOrder([Cell<(usize, usize)>; FILES]);

/// The number of files that were mapped. A new map may have the addresses of an earlier map, whose
/// pages were in memory.
static MAPS: AtomicUsize = AtomicUsize::new(0);

/// Makes the scans of all threads test again whether bytes are in memory, because a file was
/// mapped.
pub(in crate::io) fn doubt_scans() {
    MAPS.fetch_add(1, Relaxed);
}

thread_local! {
    static SCANS_OF_THREAD: Scans = const {
        Scans {
            all: [const { Cell::new(Scan::NONE) }; SCANS],
            newest: Cell::new(0),
            files: FilesInOrder([const { Cell::new((0, 0)) }; FILES]),
            maps: Cell::new(0),
        }
    };
}

/// Advises the operating system that the thread will read `bytes`, as [`super::prefetch`] says.
pub(super) fn prefetch(bytes: &[u8]) {
    // At the end of a thread its variables are gone, and nothing is prefetched.
    let _ = SCANS_OF_THREAD.try_with(|scans| scans.add(bytes));
}

/// Remembers that the operating system was advised to read `file` in order.
pub(super) fn remember_in_order(file: &[u8]) {
    let _ = SCANS_OF_THREAD.try_with(|scans| {
        scans.doubt_after_map();
        scans.files.add(file);
    });
}

/// Returns whether the operating system was advised to read `bytes` in order.
pub(super) fn are_in_order(bytes: &[u8]) -> bool {
    let known = SCANS_OF_THREAD.try_with(|scans| {
        scans.doubt_after_map();
        scans.files.end_of(bytes).is_some()
    });
    known.unwrap_or_default()
}

impl FilesInOrder {
    fn add(&self, file: &[u8]) {
        let Range { start, end } = file.as_ptr_range();
        let mut newer = (start.addr(), end.addr());
        for cell in &self.0 {
            newer = cell.replace(newer);
        }
    }

    /// Returns the end of the file that contains all of `bytes`.
    fn end_of(&self, bytes: &[u8]) -> Option<usize> {
        let bytes = bytes.as_ptr_range();
        let contains = |(start, end): &(usize, usize)| *start <= bytes.start.addr() && bytes.end.addr() <= *end;
        self.0.iter().map(Cell::get).find(contains).map(|(_, end)| end)
    }

    fn forget(&self) {
        self.0.iter().for_each(|cell| cell.set((0, 0)));
    }
}

impl Scans {
    /// Doubts everything that is remembered if a file was mapped since the last call.
    fn doubt_after_map(&self) {
        let maps = MAPS.load(Relaxed);
        if self.maps.replace(maps) != maps {
            self.all.iter().for_each(|cell| cell.set(cell.get().doubted()));
            self.files.forget();
        }
    }

    fn add(&self, bytes: &[u8]) {
        self.doubt_after_map();
        let start = bytes.as_ptr().addr();
        let newest = self.newest.get();
        let continued = |cell: &&Cell<Scan>| start.wrapping_sub(cell.get().next) <= PAGE;
        let cell = self.all.get(newest).filter(continued).or_else(|| self.all.iter().find(continued));
        if let Some(cell) = cell {
            cell.set(cell.get().proceed(bytes, &self.files));
            return;
        }
        let oldest = newest.wrapping_add(1) % SCANS;
        self.newest.set(oldest);
        if let Some(cell) = self.all.get(oldest) {
            cell.set(Scan::begin(bytes, &self.files));
        }
    }
}

impl Scan {
    /// A place that remembers no scan. No bytes continue it.
    const NONE: Self = Self { next: usize::MAX, until: 0, doubted: 0, length: 0 };

    /// Returns the scan without knowledge of the bytes that the thread has not read.
    fn doubted(self) -> Self {
        let until = self.until.min(page_end(self.next));
        Self { until, doubted: self.doubted.max(self.until), ..self }
    }

    /// Begins a scan with `bytes`. Bytes of less than two pages are not prefetched, because most of
    /// such calls do not begin a scan.
    #[cold]
    fn begin(bytes: &[u8], files: &FilesInOrder) -> Self {
        let next = bytes.as_ptr_range().end.addr();
        let file_end = files.end_of(bytes);
        if file_end.is_none() && bytes.len() >= 2 * PAGE && !seem_cached(&std::iter::once(bytes)) {
            advise_will_need(bytes.as_ptr(), bytes.len());
        }
        Self { next, until: page_end(file_end.unwrap_or(next)), doubted: 0, length: bytes.len() }
    }

    /// Continues the scan with `bytes`.
    #[inline]
    fn proceed(self, bytes: &[u8], files: &FilesInOrder) -> Self {
        let next = bytes.as_ptr_range().end.addr();
        let scan = Self { next, length: self.length.saturating_add(bytes.len()), ..self };
        if next <= self.until { scan } else { scan.advise(bytes, files) }
    }

    /// Prefetches the bytes of the scan from `until`. `bytes` extend beyond `until`.
    #[cold]
    fn advise(self, bytes: &[u8], files: &FilesInOrder) -> Self {
        let known = self.until.saturating_sub(bytes.as_ptr().addr());
        let unknown = bytes.get(known..).unwrap_or_default();
        if let Some(end) = files.end_of(unknown) {
            return Self { until: page_end(end), ..self };
        }
        let is_short = unknown.len() <= AHEAD_SAMPLED;
        let are_cached =
            if is_short { are_cached(1, |_| touch(unknown)) } else { seem_cached(&std::iter::once(unknown)) };
        let [least, most] = AHEAD;
        let start = unknown.as_ptr().addr();
        if are_cached && is_short && start < self.doubted {
            // The first page may be in memory because advice was given for it, which says nothing
            // of the pages beyond `doubted`.
            let until = self.doubted.min(page_end(start.saturating_add(CACHED_AHEAD)));
            let scan = Self { until, ..self };
            return if self.next <= until { scan } else { scan.advise(bytes, files) };
        }
        let length = if are_cached {
            unknown.len().max(CACHED_AHEAD)
        } else {
            let length = unknown.len().max(self.length.clamp(least, most));
            advise_will_need(unknown.as_ptr(), length);
            length
        };
        Self { until: page_end(start.saturating_add(length)), ..self }
    }
}

/// Returns the least start of a page that is not below `address`.
fn page_end(address: usize) -> usize {
    address.checked_next_multiple_of(PAGE).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_the_newest_files() {
        let bytes = [0_u8; 400];
        let files = FilesInOrder(Default::default());
        let end = |part: &[u8]| Some(part.as_ptr_range().end.addr());
        assert_eq!(files.end_of(&bytes[..100]), None);
        files.add(&bytes[..100]);
        files.add(&bytes[100..200]);
        assert_eq!(files.end_of(&bytes[10..100]), end(&bytes[..100]));
        assert_eq!(files.end_of(&bytes[100..150]), end(&bytes[..200]));
        assert_eq!(files.end_of(&bytes[50..150]), None);
        files.add(&bytes[300..]);
        assert_eq!(files.end_of(&bytes[..100]), None);
        assert_eq!(files.end_of(&bytes[399..]), end(&bytes));
        files.forget();
        assert_eq!(files.end_of(&bytes[399..]), None);
    }
}
