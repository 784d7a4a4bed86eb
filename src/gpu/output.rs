//! The ways in which blocks of bytes leave this crate.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::array::bulk;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::simd::{PastCache, UninitBytes};

/// Gets the offset of a block from the start of the output, and the bytes of the block.
pub(super) type Visit<'v> = dyn FnMut(u64, &[u8]) + 'v;

/// Items that are made in blocks of bytes.
pub(super) trait Blocks {
    /// The name of the items in errors.
    const NAME: &'static str;

    /// Returns the number of items.
    fn count(&self) -> usize;

    /// Returns the size of an item in bytes.
    fn item_size(&self) -> usize;

    /// Passes the bytes of the items in `range` to `visit`, in order, in blocks of at most 8 KiB.
    ///
    /// The range does not exceed the number of items.
    fn visit_blocks(&self, range: Range<usize>, visit: &mut Visit<'_>) -> Result<()>;

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

    fn push(&self, range: Range<usize>, visit: &mut Visit<'_>) -> Result<()> {
        self.range_size(&range)?;
        self.visit_blocks(range, visit)
    }

    fn write_into(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        bulk::check_length(out, self.range_size(&range)?)?;
        let past_cache = bulk::is_past_cache(out).then(PastCache::new);
        let mut rest = out;
        self.visit_blocks(range, &mut |_, bytes| {
            if let Some((place, after)) = std::mem::take(&mut rest).split_at_mut_checked(bytes.len()) {
                match &past_cache {
                    Some(past_cache) => past_cache.store(place, bytes, &[]),
                    None => place.copy_from_slice(bytes),
                }
                rest = after;
            }
        })
    }

    fn write_uninit<'o>(&self, range: Range<usize>, out: &'o mut [MaybeUninit<u8>]) -> Result<&'o mut [u8]> {
        bulk::check_length(out, self.range_size(&range)?)?;
        let mut bytes = UninitBytes::new(out);
        self.visit_blocks(range, &mut |_, block| bytes.push(block))?;
        Ok(bytes.finish())
    }
}
