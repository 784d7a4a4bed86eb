//! The division of a file into regions.

// Rule: this file sorts and maps by copies only.

use std::ops::Range;

use super::memory::reserved;
use super::request::ItemRange;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_index;

/// The smallest page size of the supported systems, in bytes.
const PAGE: u32 = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 12;

/// The greatest size of a region, in bytes.
const MAX_REGION: u32 = 1 << 30;

/// Regions from the start of a file to its end, which start at pages.
#[derive(Clone, Debug)]
pub(super) struct RegionGrid {
    length: u64,
    region: u32,
    count: u32,
    /// The first page of each region, or no entries if all regions have the size `region`.
    starts: Vec<u32>,
}

impl RegionGrid {
    /// Divides a file into regions of equal size. The last may be shorter.
    pub(super) fn new(length: u64, region: u32) -> Result<Self> {
        if !(PAGE..=MAX_REGION).contains(&region) || !region.is_multiple_of(PAGE) {
            let expected = format!("a multiple of {PAGE} from {PAGE} to {MAX_REGION} bytes");
            return Err(refused(expected, region));
        }
        let count = length.div_ceil(u64::from(region));
        let count = u32::try_from(count).ok().filter(|count| *count < u32::MAX);
        let count = count.ok_or_else(|| refused(format!("larger regions for {length} bytes"), region))?;
        Ok(Self { length, region, count, starts: Vec::new() })
    }

    /// Divides a file into regions of at most `region` bytes, and cuts it at the first and at the
    /// last page of each of `ranges`.
    pub(super) fn cut(length: u64, region: u32, ranges: &[Range<u64>]) -> Result<Self> {
        let even = Self::new(length, region)?;
        let pages = u32::try_from(length.div_ceil(u64::from(PAGE))).ok().filter(|pages| *pages < u32::MAX);
        let pages = pages.ok_or_else(|| refused(String::from("a file of at most 16 TiB"), region))?;
        let mut cuts = reserved(ranges.len().saturating_mul(2).saturating_add(1))?;
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            cuts.extend([range.start >> PAGE_BITS, range.end.div_ceil(u64::from(PAGE))]);
        }
        cuts.push(u64::from(pages));
        cuts.sort_unstable();
        let step = as_index(region / PAGE).max(1);
        let mut starts = Vec::new();
        let mut start = 0_u32;
        for cut in cuts {
            let cut = u32::try_from(cut).unwrap_or(u32::MAX).min(pages);
            let between = (start..cut).step_by(step);
            starts.try_reserve(between.len()).map_err(|_| {
                let asked = u64::from(cut).saturating_mul(4);
                Error::without_offset("streaming", Field::new("regions"), Cause::OutOfMemory { asked })
            })?;
            starts.extend(between);
            start = cut.max(start);
        }
        let count = u32::try_from(starts.len()).unwrap_or(u32::MAX);
        Ok(Self { count, starts, ..even })
    }

    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// Returns the offset of the start of a region, or the length of the file if the number is out
    /// of range.
    fn start(&self, item: u32) -> u64 {
        let start = if self.starts.is_empty() {
            u64::from(item).saturating_mul(u64::from(self.region))
        } else {
            let page = self.starts.get(as_index(item)).copied().map_or(u64::MAX, u64::from);
            page.saturating_mul(u64::from(PAGE))
        };
        start.min(self.length)
    }

    /// Returns the byte range of a region, which is empty if the number is out of range.
    pub(super) fn range(&self, item: u32) -> Range<u64> {
        self.start(item)..self.start(item.saturating_add(1))
    }

    pub(super) fn bytes(&self, item: u32) -> u64 {
        let range = self.range(item);
        range.end.saturating_sub(range.start)
    }

    /// Returns the number of regions that start at or before an offset.
    fn count_until(&self, offset: u64) -> u32 {
        let region = u64::from(self.region).max(1);
        let count = if self.starts.is_empty() {
            offset.checked_div(region).map(|regions| regions.saturating_add(1))
        } else {
            let page = offset >> PAGE_BITS;
            let count = self.starts.partition_point(|start| u64::from(*start) <= page);
            u64::try_from(count).ok()
        };
        count.and_then(|count| u32::try_from(count).ok()).unwrap_or(u32::MAX)
    }

    /// Returns the regions that contain the bytes in `range`. Bytes after the end of the file are
    /// ignored.
    pub(super) fn items(&self, range: &Range<u64>) -> ItemRange {
        let (start, end) = (range.start.min(self.length), range.end.min(self.length));
        if start >= end {
            return ItemRange::default();
        }
        let number = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
        let first = self.count_until(start).saturating_sub(1);
        let end_item = self.count_until(end.saturating_sub(1));
        let skipped = number(start.saturating_sub(self.start(first)));
        let cut = number(self.start(end_item).saturating_sub(end));
        ItemRange { first, end: end_item, skipped, cut }
    }
}

fn refused(expected: String, region: u32) -> Error {
    let cause = Cause::Refused { expected: expected.into(), found: region.to_string().into() };
    Error::without_offset("streaming", Field::new("region_bytes"), cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_the_file_without_gaps() {
        let grid = RegionGrid::new(10_000, 4096).unwrap();
        assert_eq!((grid.count(), grid.range(2), grid.range(3)), (3, 8192..10_000, 10_000..10_000));
        assert_eq!(grid.items(&(4095..4097)), ItemRange { first: 0, end: 2, skipped: 4095, cut: 4095 });
        assert_eq!(grid.items(&(8192..99_999)), ItemRange { first: 2, end: 3, skipped: 0, cut: 0 });
        assert!(grid.items(&(10_000..10_001)).is_empty());
        assert_eq!(RegionGrid::new(0, 4096).unwrap().count(), 0);
        for (length, region) in [(1, 0), (1, 4097), (1, 1 << 31), (u64::MAX, 1 << 16)] {
            assert!(RegionGrid::new(length, region).is_err());
        }
    }

    #[test]
    fn cuts_at_the_pages_of_ranges() {
        let length = 1_000_000;
        let ranges = [5000..70_000, 70_000..300_000, 8..8, 999_000..2_000_000];
        let grid = RegionGrid::cut(length, 64 << 10, &ranges).unwrap();
        let mut end = 0;
        for item in 0..grid.count() {
            let range = grid.range(item);
            assert!(range.start == end && !range.is_empty() && grid.bytes(item) <= 64 << 10, "{range:?}");
            for at in [range.start, range.end - 1] {
                assert_eq!(grid.items(&(at..at + 1)).items(), item..item + 1);
            }
            end = range.end;
        }
        assert_eq!(end, length);
        let items = grid.items(&ranges[0]);
        assert_eq!((grid.range(items.first).start, grid.range(items.end - 1).end), (4096, 73_728));
        let wanted: u64 = items.items().map(|item| items.wanted(item, grid.bytes(item))).sum();
        assert_eq!(wanted, 65_000);
        assert_eq!(RegionGrid::cut(0, 4096, &[]).unwrap().count(), 0);
    }
}
