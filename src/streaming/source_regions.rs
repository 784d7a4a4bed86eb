//! Regions of a source that are copied to memory.

use std::ops::Range;

use super::content::Content;
use super::region_grid::RegionGrid;
use super::request::ItemRange;
use super::statistics::Work;
use crate::error::{Cause, Error, Field, Result};
use crate::io::{RangeRead, RangeSource};

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
        let grid = RegionGrid::new(source.len(), region_bytes)?;
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
