//! The ways in which the bytes of vertices and indices leave this crate.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::array::bulk;
use crate::array::chunks::{CHUNK_BYTES, ChunkBuffer};
use crate::decode::stream::{copy_past_cache, is_past_cache};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::simd::{PastCache, UninitBytes};

/// Items that are written in blocks of at most 8 KiB.
pub(super) trait Blocks {
    /// The name of the items in errors.
    const NAME: &'static str;
    /// The memory that writing a range needs.
    type Memory;

    /// Returns the number of items.
    fn count(&self) -> usize;

    /// Returns the size of an item in bytes.
    fn item_size(&self) -> usize;

    /// Returns the number of items in a block.
    fn block(&self) -> usize;

    /// Makes the memory. Implementations are always inlined, because moving the memory would take
    /// longer than writing some hundred items.
    fn memory() -> Self::Memory;

    /// Prepares to write the items in `range`, which does not exceed the number of items.
    fn start(&self, range: &Range<usize>, memory: &mut Self::Memory);

    /// Writes the items in `range` to `out`, which has exactly their size.
    fn write_block(&self, memory: &mut Self::Memory, range: Range<usize>, out: &mut [u8]) -> Result<()>;

    /// Returns the size of the output for the items in `range`, in bytes.
    fn range_size(&self, range: &Range<usize>) -> Result<usize> {
        let count = self.count();
        let index = range.start.max(range.end);
        if range.start > range.end || index > count {
            let kind = Cause::NoSuch { count: as_u64(count).saturating_add(1), index: as_u64(index) };
            return Err(Error::without_offset(Self::NAME, Field::new("range"), kind));
        }
        let asked = as_u64(range.len()).saturating_mul(as_u64(self.item_size()));
        range
            .len()
            .checked_mul(self.item_size())
            .ok_or_else(|| Error::without_offset(Self::NAME, Field::new("range"), Cause::OutOfMemory { asked }))
    }

    /// Calls `block` for each block of the items in `range`, with the size of the block in bytes
    /// and a closure that writes it.
    fn each_block(
        &self,
        range: Range<usize>,
        mut block: impl FnMut(usize, &mut dyn FnMut(&mut [u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let mut memory = Self::memory();
        self.start(&range, &mut memory);
        for start in range.clone().step_by(self.block().max(1)) {
            let part = start..start.saturating_add(self.block()).min(range.end);
            let size = part.len().saturating_mul(self.item_size());
            block(size, &mut |out| self.write_block(&mut memory, part.clone(), out))?;
        }
        Ok(())
    }

    /// Passes each block and its offset from the start of the output to `visit`.
    fn push(&self, range: Range<usize>, visit: &mut dyn FnMut(u64, &[u8])) -> Result<()> {
        self.range_size(&range)?;
        let mut buffer = ChunkBuffer::EMPTY;
        let mut offset = 0;
        self.each_block(range, |size, write| {
            let bytes = buffer.values::<u8>().get_mut(..size.min(CHUNK_BYTES)).unwrap_or_default();
            write(bytes)?;
            visit(offset, bytes);
            offset = offset.saturating_add(as_u64(size));
            Ok(())
        })
    }

    fn write_into(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        bulk::check_length(out, self.range_size(&range)?)?;
        let is_past_cache = is_past_cache(out);
        let mut rest = out;
        if is_past_cache {
            let past_cache = PastCache::new();
            return self.push(range, &mut |_, bytes| {
                copy_past_cache(&past_cache, rest, bytes, &[]);
                rest = std::mem::take(&mut rest).get_mut(bytes.len()..).unwrap_or_default();
            });
        }
        self.each_block(range, |size, write| {
            let (place, after) = std::mem::take(&mut rest).split_at_mut_checked(size).unwrap_or_default();
            rest = after;
            write(place)
        })
    }

    fn write_uninit<'o>(&self, range: Range<usize>, out: &'o mut [MaybeUninit<u8>]) -> Result<&'o mut [u8]> {
        bulk::check_length(out, self.range_size(&range)?)?;
        let mut bytes = UninitBytes::new(out);
        self.push(range, &mut |_, block| bytes.push(block))?;
        Ok(bytes.finish())
    }
}
