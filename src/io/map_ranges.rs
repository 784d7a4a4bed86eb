//! Byte ranges of a memory map: reading them ahead, mapping them, and removing them from memory.

// Rule: this file sorts and maps by copies only.

use std::cell::Cell;
use std::ops::Range;

use super::advice::PAGE;
#[cfg(all(unix, not(miri)))]
use super::advice::page_mask;
use super::map::Map;
use super::range_source::{RangeRead, RangeSource, check_ranges, copy_ranges, range_within, read_exact_at};
use super::residency::{Eviction, Residency};
use super::system_calls::{advise_file, advise_mapped, cached_pages, drop_cache, is_page_cached, mapped_pages};
use crate::error::Result;
use crate::math::as_u64;

/// The greatest number of bytes between two ranges that are read together.
///
/// Reading four pages more takes less time than a separate request to the disk.
const GAP: usize = 16 << 10;

/// The greatest number of bytes that are evicted at a time. Other threads that map or unmap memory
/// wait meanwhile on some systems.
const EVICTED: usize = 1 << 20;

/// The greatest number of bytes that [`Map::release`] unmaps at a time. Most of them are usually
/// not mapped, so it takes less time than the many calls for smaller parts.
const RELEASED: usize = 64 << 20;

/// The number of bytes that a thread that waits for a range copies at a time.
const SCRATCH: usize = 64 << 10;

/// The greatest number of bytes whose pages are examined one by one.
const PROBED: usize = 1 << 20;

thread_local! {
    /// Memory for the bytes that a thread reads only to wait for them.
    static SCRATCH_OF_THREAD: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// # Byte ranges
///
/// The methods take byte ranges of the file, and ignore bytes after its end. A range whose start is
/// not below its end is empty. The methods apply to each page that contains a byte of a range.
///
/// A program that must not wait for the disk in some threads calls [`load_ranges`] and then
/// [`populate`] in another thread. Accesses to the bytes then wait neither for the disk nor for
/// page faults, until the system needs the memory.
///
/// [`load_ranges`]: Self::load_ranges
/// [`populate`]: Self::populate
impl Map {
    /// Returns the place of `bytes` in the file, or `None` if they are not a part of this map.
    ///
    /// The bytes are found by their address and are not read.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// // SAFETY: No process writes to the sample while this runs.
    /// let map = unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh")? };
    /// assert_eq!(map.range_of(&map.as_ref()[4..20]), Some(4..20));
    /// assert_eq!(map.range_of(b"ms13"), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn range_of(&self, bytes: &[u8]) -> Option<Range<u64>> {
        let (map, part) = (self.as_ref().as_ptr_range(), bytes.as_ptr_range());
        let place = |address: *const u8| as_u64(address.addr().saturating_sub(map.start.addr()));
        (map.start <= part.start && part.end <= map.end).then(|| place(part.start)..place(part.end))
    }

    /// Advises the operating system to read all `ranges` from the disk in the background.
    ///
    /// The ranges may be in any order and may overlap. Ranges with at most 16 KiB between them are
    /// read together with the bytes between them. On Linux, one system call gives the advice for
    /// 64 MiB or for 512 ranges. The method does not wait for the disk, except that the system may
    /// have to read where the file is on the disk.
    ///
    /// A failure has no effect, and the bytes are read when they are accessed.
    pub fn prefetch_ranges(&self, ranges: &[Range<u64>]) {
        self.prefetch_joined(&self.join(ranges));
    }

    /// Waits until all pages of `range` are in the page cache of the operating system.
    ///
    /// Pages that are neither in the page cache nor being read are read. Call
    /// [`prefetch_ranges`](Self::prefetch_ranges) for several ranges first, because the system then
    /// reads them at the same time.
    ///
    /// The method copies the bytes from the page cache in pieces of 64 KiB and drops the copy.
    /// It maps no pages. Other threads can therefore map and unmap memory meanwhile without
    /// waiting. A cheaper test does not suffice, because Linux counts a page as cached before
    /// it has read it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if the bytes cannot be read from the disk,
    /// and [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) if the file is now shorter. The
    /// errors contain the offset and the path of the file.
    pub fn wait_cached(&self, range: Range<u64>) -> Result<()> {
        let range = self.outwards(&range);
        if cached_pages(self.file(), &range) != Some(pages_of(&range)) {
            // Without this advice, the system would also read bytes after the range.
            advise_file(self.file(), as_u64(range.start), range.len());
        }
        self.wait_for(range)
    }

    /// Reads all `ranges` into the page cache of the operating system, and waits until they are
    /// there. Returns the number of bytes that were not in the page cache.
    ///
    /// The method does what [`prefetch_ranges`](Self::prefetch_ranges) and
    /// [`wait_cached`](Self::wait_cached) do. The returned number is a multiple of the page
    /// size, and includes bytes between two ranges that are read together. Pages that another
    /// thread has begun to read do not count. If the system does not report which pages are
    /// cached, the number is the size of all pages.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// // SAFETY: No process writes to the sample while this runs.
    /// let map = unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh")? };
    /// let read = map.load_ranges(&[0..16, 100..200])?;
    /// println!("read {read} bytes from the disk");
    /// map.populate(0..200);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`wait_cached`](Self::wait_cached).
    pub fn load_ranges(&self, ranges: &[Range<u64>]) -> Result<u64> {
        let (joined, mut missing) = (self.join(ranges), 0_u64);
        let mut absent = Vec::with_capacity(joined.len());
        for range in &joined {
            let pages = pages_of(range);
            let count = pages.saturating_sub(cached_pages(self.file(), range).unwrap_or_default());
            missing = missing.saturating_add(count);
            if count > 0 {
                absent.push(range.clone());
            }
        }
        self.prefetch_joined(&absent);
        joined.into_iter().try_for_each(|range| self.wait_for(range))?;
        Ok(missing.saturating_mul(as_u64(page_size())))
    }

    /// Returns the number of bytes in whole pages of `range` that are not in the page cache and not
    /// being read into it, or `None` if the system does not report it.
    pub(crate) fn uncached_bytes(&self, range: Range<u64>) -> Option<u64> {
        self.uncached_bytes_of(std::slice::from_ref(&range))
    }

    /// Returns the sum of [`uncached_bytes`](Self::uncached_bytes) of ranges, with the bytes between
    /// two ranges that are read together.
    pub(crate) fn uncached_bytes_of(&self, ranges: &[Range<u64>]) -> Option<u64> {
        let missing = self.join(ranges).into_iter().try_fold(0_u64, |sum, range| {
            Some(sum.saturating_add(pages_of(&range).saturating_sub(cached_pages(self.file(), &range)?)))
        });
        Some(missing?.saturating_mul(as_u64(page_size())))
    }

    /// Maps the pages of `range` into the page tables of the process, by reading a byte of
    /// each.
    ///
    /// Later accesses to the bytes take no page faults. Call [`load_ranges`](Self::load_ranges)
    /// first, because `populate` waits for each page that is not cached. The system may also
    /// map cached pages next to the range.
    ///
    /// A page fault of a file takes no lock on the address space (since Linux 6.6), so other
    /// threads that map or unmap memory do not wait. `MADV_POPULATE_READ` would take it.
    ///
    /// Like every access to the map, reading a page that the file no longer has ends the
    /// process, unless the [guard](crate::io::guard) is installed.
    pub fn populate(&self, range: Range<u64>) {
        let bytes = self.part(self.outwards(&range));
        bytes.iter().step_by(PAGE).for_each(|byte| _ = std::hint::black_box(*byte));
    }

    /// Returns whether a page of `range` is mapped, or `true` if the system does not report it.
    #[cfg(feature = "streaming")]
    pub(crate) fn may_be_mapped(&self, range: Range<u64>) -> bool {
        mapped_pages(self.part(self.outwards(&range))) != Some(0)
    }

    /// Removes the pages that lie completely in `range` from memory, as `eviction` says. The
    /// last page of the file lies completely in a range that contains its bytes.
    ///
    /// The map stays valid, and the next access loads the page again. Pages that other
    /// processes use stay in the page cache. The method has no effect on systems other than
    /// Unix.
    #[doc(hidden)]
    pub fn evict(&self, range: Range<u64>, eviction: Eviction) {
        let range = self.inwards(&range);
        self.unmap(self.part(range.clone()), EVICTED);
        match eviction {
            Eviction::Unmap => {}
            Eviction::Uncache => drop_cache(self.file(), range),
        }
    }

    /// Returns how many pages of `range` are mapped and how many are in the page cache.
    ///
    /// The numbers are those of one moment, because the system can remove pages at any time. On
    /// systems other than Linux, both numbers are unknown. Linux reports the number of cached pages
    /// since version 6.5. Before, or if the process may not know the number, the pages of a range
    /// of at most 1 MiB are examined one by one. This makes the system read pages that are not
    /// cached in the background, and a page that is read at once counts as cached.
    #[doc(hidden)]
    #[must_use]
    pub fn residency(&self, range: Range<u64>) -> Residency {
        let range = self.outwards(&range);
        let pages = pages_of(&range);
        let cached = cached_pages(self.file(), &range).or_else(|| self.probe(&range));
        let mapped = mapped_pages(self.part(range));
        Residency { pages, mapped, cached: cached.map(|cached| cached.min(pages)) }
    }

    /// Counts the cached pages of a range one by one, or returns `None` if there are too many.
    fn probe(&self, range: &Range<usize>) -> Option<u64> {
        if range.len() > PROBED {
            return None;
        }
        // The system may read pages that follow the examined page, so the last page is the first.
        range.clone().step_by(page_size()).rev().try_fold(0_u64, |count, offset| {
            Some(count.saturating_add(u64::from(is_page_cached(self.file(), offset)?)))
        })
    }

    fn wait_for(&self, mut range: Range<usize>) -> Result<()> {
        // At the end of a thread its variables are gone, and the memory is allocated for the call.
        let mut scratch = SCRATCH_OF_THREAD.try_with(Cell::take).unwrap_or_default();
        scratch.resize(SCRATCH, 0);
        let mut result = Ok(());
        while !range.is_empty() && result.is_ok() {
            let count = range.len().min(SCRATCH);
            let buffer = scratch.get_mut(..count).unwrap_or_default();
            result = read_exact_at(self.file(), buffer, as_u64(range.start), as_u64(self.as_ref().len()));
            range.start = range.start.saturating_add(count);
        }
        let _ = SCRATCH_OF_THREAD.try_with(|place| place.set(scratch));
        result.map_err(|error| self.located(error))
    }

    fn prefetch_joined(&self, ranges: &[Range<usize>]) {
        for range in ranges {
            advise_mapped(self.file(), as_u64(range.start), self.part(range.clone()));
        }
    }

    /// Removes the pages that lie completely in `range` from the memory of the process.
    pub(super) fn release_range(&self, range: &Range<u64>) {
        self.unmap(self.part(self.inwards(range)), RELEASED);
    }

    /// Removes the pages of `bytes`, which are whole pages of this map, from the page tables, at
    /// most `piece` bytes at a time.
    #[cfg(all(unix, not(miri)))]
    fn unmap(&self, bytes: &[u8], piece: usize) {
        debug_assert!(self.range_of(bytes).is_some() || bytes.is_empty());
        for piece in bytes.chunks(piece) {
            // SAFETY: The address range consists of whole pages within this map. The memory map is
            // private, backed by a file and never written to. After `madvise` drops the pages,
            // reads through the map still return the same bytes, because the pages are loaded from
            // the file again. References to the bytes of the map stay valid.
            unsafe {
                libc::madvise(piece.as_ptr().cast_mut().cast(), piece.len(), libc::MADV_DONTNEED);
            }
        }
    }

    #[cfg(not(all(unix, not(miri))))]
    fn unmap(&self, _bytes: &[u8], _piece: usize) {}

    /// Returns the page ranges of byte ranges in order, with small gaps closed.
    fn join(&self, ranges: &[Range<u64>]) -> Vec<Range<usize>> {
        let mut ranges: Vec<_> = ranges.iter().map(|range| self.outwards(range)).collect();
        ranges.retain(|range| !range.is_empty());
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, joined| {
            let is_near = next.start <= joined.end.saturating_add(GAP);
            if is_near {
                joined.end = joined.end.max(next.end);
            }
            is_near
        });
        ranges
    }

    fn part(&self, range: Range<usize>) -> &[u8] {
        self.as_ref().get(range).unwrap_or_default()
    }

    /// Returns the bytes of the file in `range`.
    fn clamp(&self, range: &Range<u64>) -> Range<usize> {
        let length = self.as_ref().len();
        let clamp = |offset: u64| usize::try_from(offset).unwrap_or(length).min(length);
        clamp(range.start)..clamp(range.end)
    }

    /// Returns the bytes of all pages that contain a byte of `range`.
    fn outwards(&self, range: &Range<u64>) -> Range<usize> {
        let Range { start, end } = self.clamp(range);
        if start >= end {
            return start..start;
        }
        let (mask, length) = (page_size().wrapping_sub(1), self.as_ref().len());
        (start & !mask)..(end.saturating_add(mask) & !mask).min(length)
    }

    /// Returns the bytes of all pages that contain only bytes of `range`.
    fn inwards(&self, range: &Range<u64>) -> Range<usize> {
        let Range { start, end } = self.clamp(range);
        let (mask, length) = (page_size().wrapping_sub(1), self.as_ref().len());
        let start = start.saturating_add(mask) & !mask;
        start..if end == length { end } else { end & !mask }.max(start)
    }
}

/// Prefetches all ranges at once with [`Map::prefetch_ranges`], and copies the bytes. The errors
/// contain the path of the file.
impl RangeSource for Map {
    fn byte_len(&self) -> u64 {
        as_u64(self.as_ref().len())
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
        let length = self.byte_len();
        check_ranges(length, reads).map_err(|error| self.located(error))?;
        let ranges: Vec<_> = reads.iter().filter_map(|read| range_within(length, read)).collect();
        self.prefetch_ranges(&ranges);
        copy_ranges(self.as_ref(), reads);
        Ok(())
    }
}

/// Returns the size of a page of the system in bytes, which is a power of two.
fn page_size() -> usize {
    #[cfg(all(unix, not(miri)))]
    return page_mask().wrapping_add(1);
    #[cfg(not(all(unix, not(miri))))]
    return PAGE;
}

/// Returns the number of pages of a range that begins at the start of a page.
fn pages_of(range: &Range<usize>) -> u64 {
    as_u64(range.len().div_ceil(page_size()))
}
