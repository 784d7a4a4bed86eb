//! Regions of a memory map that are lent without a copy, and regions of a source that are copied to
//! memory.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::content::Content;
use super::log::Work;
use super::memory::filled;
use super::missing_bytes::MissingBytes;
use super::region_grid::RegionGrid;
use super::request::ItemRange;
use crate::error::{Cause, Error, Field, Result};
use crate::io::{Eviction, Map, RangeRead, RangeSource};
use crate::math::{as_index, as_u64};

/// The number of bytes before and after a page that Linux maps with it if they are in the page
/// cache (`fault_around_bytes`).
const FAULT_AROUND: u64 = 64 << 10;

/// The size of the largest blocks of the page cache, in bytes. Linux maps all of a block at once.
const MAX_BLOCK: u64 = 2 << 20;

/// The regions of a mapped file. While a region is resident, its pages are mapped, and reading
/// them causes no page fault.
///
/// The items are regions from the start of the file to its end. A worker first reads
/// a region into the page cache, then makes room in the budget, and then maps its pages. The
/// program borrows arrays from the file as without a streamer, and reads the parts of them that are
/// in resident regions. A read of other bytes is correct too, but waits for the disk.
#[derive(Debug)]
pub struct MapRegions {
    map: Arc<Map>,
    grid: RegionGrid,
    eviction: Eviction,
    missing: MissingBytes,
    /// For each region, whether its pages are mapped or are being mapped.
    resident: Mutex<Vec<bool>>,
}

impl MapRegions {
    /// Divides a map into regions of `region_bytes` bytes, which is usually 64 to 256 KiB.
    ///
    /// The bytes of an evicted region stay in the page cache of the operating system as long as no
    /// other program needs the memory.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`] if `region_bytes` is not a multiple of 4 KiB from 4 KiB to
    /// 1 GiB, or if the file has more than 4,294,967,295 regions. Returns
    /// [`ErrorKind::OutOfMemory`] if the memory for 9 bytes per region cannot be allocated.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn new(map: Arc<Map>, region_bytes: u32) -> Result<Self> {
        let grid = RegionGrid::new(as_u64((*map).as_ref().len()), region_bytes)?;
        Self::of_grid(map, grid)
    }

    /// Divides a map into regions of at most `region_bytes` bytes. Each of `ranges` starts at the
    /// first page of a region and ends at the last page of one.
    ///
    /// Use this method if the program requests these ranges. Regions of equal size contain bytes
    /// before and after a range, which are read too.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new), and [`ErrorKind::Refused`] if the file is larger
    /// than 16 TiB.
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn with_ranges(map: Arc<Map>, region_bytes: u32, ranges: &[Range<u64>]) -> Result<Self> {
        let grid = RegionGrid::cut(as_u64((*map).as_ref().len()), region_bytes, ranges)?;
        Self::of_grid(map, grid)
    }

    fn of_grid(map: Arc<Map>, grid: RegionGrid) -> Result<Self> {
        let missing = MissingBytes::new(grid.count())?;
        let resident = Mutex::new(filled(as_index(grid.count()), false)?);
        map.unmap_huge_pages();
        Ok(Self { map, eviction: Eviction::Unmap, missing, resident, grid })
    }

    /// Evicts regions in another way.
    #[doc(hidden)]
    #[must_use]
    pub fn with_eviction(self, eviction: Eviction) -> Self {
        Self { eviction, ..self }
    }

    /// Returns the map.
    #[doc(hidden)]
    #[must_use]
    pub const fn map(&self) -> &Arc<Map> {
        &self.map
    }

    /// Returns the regions that contain the bytes in `range`, which are offsets in the file.
    #[must_use]
    pub fn items(&self, range: Range<u64>) -> ItemRange {
        self.grid.items(&range)
    }

    /// Returns the regions that contain `bytes`, or `None` if they are not part of the map. `bytes`
    /// are usually those of an array: see [`Array::as_bytes`](crate::Array::as_bytes).
    #[must_use]
    pub fn items_of(&self, bytes: &[u8]) -> Option<ItemRange> {
        self.map.range_of(bytes).map(|range| self.items(range))
    }

    /// Returns the byte range of a region.
    #[must_use]
    pub fn range(&self, item: u32) -> Range<u64> {
        self.grid.range(item)
    }

    /// Returns the byte ranges of items, where items that follow each other are joined.
    fn ranges(&self, items: &[u32]) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::with_capacity(items.len());
        for item in items {
            let range = self.grid.range(*item);
            match ranges.last_mut().filter(|last| last.end == range.start) {
                Some(last) => last.end = range.end,
                None => ranges.push(range),
            }
        }
        ranges
    }

    fn resident(&self) -> MutexGuard<'_, Vec<bool>> {
        self.resident.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_resident(&self, items: &[u32], is_resident: bool) {
        let mut resident = self.resident();
        for item in items {
            if let Some(place) = resident.get_mut(as_index(*item)) {
                *place = is_resident;
            }
        }
    }

    /// Unmaps the pages that the system has mapped together with those of `range`, except pages of
    /// resident regions. They would not count towards the budget.
    fn unmap_around(&self, range: &Range<u64>) {
        let resident = self.resident();
        let absent = |range: Range<u64>| {
            let items = self.grid.items(&range).items();
            items.filter(|item| resident.get(as_index(*item)) == Some(&false)).map(|item| self.grid.range(item))
        };
        let unmap = |pages: Range<u64>, gap: u64| {
            let is_mapped = gap < FAULT_AROUND || self.map.may_be_mapped(pages.clone());
            if is_mapped {
                self.map.evict(pages, Eviction::Unmap);
            }
            is_mapped
        };
        // A block is mapped without gaps, so the first region beyond its end is not mapped.
        let (mut before, mut after) = (
            absent(range.start.saturating_sub(MAX_BLOCK)..range.start).rev(),
            absent(range.end..range.end.saturating_add(MAX_BLOCK)),
        );
        while before.next().is_some_and(|pages| unmap(pages.clone(), range.start.saturating_sub(pages.end))) {}
        while after.next().is_some_and(|pages| unmap(pages.clone(), pages.start.saturating_sub(range.end))) {}
    }

    /// Returns the number of bytes of a region that are not in the page cache. If the system does
    /// not report it, all bytes count.
    fn missing(&self, item: u32) -> u64 {
        self.map.uncached_bytes(self.grid.range(item)).unwrap_or_else(|| self.grid.bytes(item))
    }
}

impl Content for MapRegions {
    type Value = ();

    fn item_count(&self) -> u32 {
        self.grid.count()
    }

    fn item_bytes(&self, item: u32) -> u64 {
        self.grid.bytes(item)
    }

    fn prefetch(&self, items: &[u32]) {
        for item in items {
            self.missing.set(*item, self.missing(*item));
        }
        self.map.prefetch_ranges(&self.ranges(items));
    }

    fn fetch(&self, items: &[u32], work: &mut Work) -> Result<u64> {
        let mut is_prefetched = true;
        for item in items {
            let missing = self.missing.take(*item);
            is_prefetched &= missing.is_some();
            work.read = work.read.saturating_add(missing.unwrap_or_else(|| self.missing(*item)));
        }
        let ranges = self.ranges(items);
        if !is_prefetched {
            self.map.prefetch_ranges(&ranges);
        }
        for range in ranges {
            self.map.wait_cached(range)?;
        }
        Ok(items.iter().map(|item| self.grid.bytes(*item)).sum())
    }

    fn publish(&self, items: &[u32], values: &mut Vec<((), u64)>, work: &mut Work) -> Result<()> {
        self.set_resident(items, true);
        for range in self.ranges(items) {
            self.map.populate(range.clone());
            self.unmap_around(&range);
        }
        for item in items {
            let bytes = self.grid.bytes(*item);
            work.touched = work.touched.saturating_add(bytes);
            values.push(((), bytes));
        }
        Ok(())
    }

    fn evict(&self, item: u32, (): ()) {
        self.set_resident(&[item], false);
        self.map.evict(self.grid.range(item), self.eviction);
    }
}

/// The regions of a source, each copied to memory while it is resident.
///
/// The items are regions of equal size, from the start of the source to its end. Use this content
/// for a source that cannot be mapped. [`MapRegions`](super::MapRegions) lends the regions of a map
/// without a copy.
#[derive(Debug)]
pub struct SourceRegions<S> {
    source: S,
    grid: RegionGrid,
}

impl<S: RangeSource> SourceRegions<S> {
    /// Divides a source into regions of `region_bytes` bytes, which is usually 64 to 256 KiB.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if `region_bytes` is not a
    /// multiple of 4 KiB from 4 KiB to 1 GiB, or if the source has more than 4,294,967,295 regions.
    pub fn new(source: S, region_bytes: u32) -> Result<Self> {
        let grid = RegionGrid::new(source.byte_len(), region_bytes)?;
        Ok(Self { source, grid })
    }

    /// Returns the source.
    #[must_use]
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Returns the regions that contain the bytes in `range`.
    #[must_use]
    pub fn items(&self, range: Range<u64>) -> ItemRange {
        self.grid.items(&range)
    }

    /// Returns the byte range of a region.
    #[must_use]
    pub fn range(&self, item: u32) -> Range<u64> {
        self.grid.range(item)
    }
}

impl<S: RangeSource + 'static> Content for SourceRegions<S> {
    type Value = Box<[u8]>;

    fn item_count(&self) -> u32 {
        self.grid.count()
    }

    fn item_bytes(&self, item: u32) -> u64 {
        self.grid.bytes(item)
    }

    fn fetch(&self, items: &[u32], _: &mut Work) -> Result<u64> {
        Ok(items.iter().map(|item| self.grid.bytes(*item)).sum())
    }

    fn publish(&self, items: &[u32], values: &mut Vec<(Box<[u8]>, u64)>, work: &mut Work) -> Result<()> {
        let mut buffers = Vec::with_capacity(items.len());
        for item in items {
            let bytes = self.grid.bytes(*item);
            let length = usize::try_from(bytes).unwrap_or(usize::MAX);
            let mut buffer = Vec::new();
            buffer.try_reserve_exact(length).map_err(|_| {
                Error::without_offset("streaming", Field::new("region"), Cause::OutOfMemory { asked: bytes })
            })?;
            buffer.resize(length, 0_u8);
            buffers.push(buffer.into_boxed_slice());
        }
        let reads = buffers.iter_mut().zip(items);
        let mut reads: Vec<_> =
            reads.map(|(buffer, item)| RangeRead { offset: self.grid.range(*item).start, buffer }).collect();
        self.source.read_ranges(&mut reads)?;
        for (buffer, item) in buffers.into_iter().zip(items) {
            let bytes = self.grid.bytes(*item);
            work.read = work.read.saturating_add(bytes);
            work.touched = work.touched.saturating_add(bytes);
            values.push((buffer, bytes));
        }
        Ok(())
    }
}
