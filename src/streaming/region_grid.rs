//! The division of a file into regions of equal size.

use std::ops::Range;

use super::request::ItemRange;
use crate::error::{Cause, Error, Field, Result};

/// The smallest page size of the supported systems, in bytes.
const PAGE: u32 = 4096;

/// The greatest size of a region, in bytes.
const MAX_REGION: u32 = 1 << 30;

/// Regions of equal size, from the start of a file to its end. The last may be shorter.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegionGrid {
    length: u64,
    region: u32,
    count: u32,
}

impl RegionGrid {
    pub(super) fn new(length: u64, region: u32) -> Result<Self> {
        let refused = |expected: String, found: String| {
            let cause = Cause::Refused { expected: expected.into(), found: found.into() };
            Error::without_offset("streaming", Field::new("region_bytes"), cause)
        };
        if !(PAGE..=MAX_REGION).contains(&region) || !region.is_multiple_of(PAGE) {
            let expected = format!("a multiple of {PAGE} from {PAGE} to {MAX_REGION} bytes");
            return Err(refused(expected, region.to_string()));
        }
        let count = length.div_ceil(u64::from(region));
        let count = u32::try_from(count).ok().filter(|count| *count < u32::MAX);
        let count = count.ok_or_else(|| refused(format!("larger regions for {length} bytes"), region.to_string()))?;
        Ok(Self { length, region, count })
    }

    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// Returns the byte range of a region, which is empty if the number is out of range.
    pub(super) fn range(&self, item: u32) -> Range<u64> {
        let start = u64::from(item).saturating_mul(u64::from(self.region)).min(self.length);
        start..start.saturating_add(u64::from(self.region)).min(self.length)
    }

    pub(super) fn bytes(&self, item: u32) -> u64 {
        let range = self.range(item);
        range.end.saturating_sub(range.start)
    }

    /// Returns the regions that contain the bytes in `range`. Bytes after the end of the file are
    /// ignored.
    pub(super) fn items(&self, range: &Range<u64>) -> ItemRange {
        let (start, end) = (range.start.min(self.length), range.end.min(self.length));
        if start >= end {
            return ItemRange::default();
        }
        let region = u64::from(self.region).max(1);
        let number = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
        let first = number(start.checked_div(region).unwrap_or_default());
        let end_item = number(end.div_ceil(region));
        let skipped = number(start.saturating_sub(self.range(first).start));
        let cut = number(self.range(end_item.saturating_sub(1)).end.saturating_sub(end));
        ItemRange { first, end: end_item, skipped, cut }
    }
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
}
