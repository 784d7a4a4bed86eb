//! A scan of an index array for the first index that is out of range.

use zerocopy::IntoBytes;
use zerocopy::little_endian::{U16, U32};

use crate::io;
use crate::simd::kernel;

/// An index in the encoding in which the file stores it.
pub(crate) trait RawIndex: Copy + IntoBytes + zerocopy::Immutable {
    /// Converts the stored index to a `u32`.
    fn wide(self) -> u32;
}

impl RawIndex for u8 {
    #[inline]
    fn wide(self) -> u32 {
        self.into()
    }
}

impl RawIndex for U16 {
    #[inline]
    fn wide(self) -> u32 {
        self.get().into()
    }
}

impl RawIndex for U32 {
    #[inline]
    fn wide(self) -> u32 {
        self.get()
    }
}

/// The number of indices in a batch: the scan checks once per batch whether one of its indices is
/// out of range. Nearly always, all indices of a batch are in range.
const INDEX_BATCH: usize = 4096;

/// Finds the first item of `indices` that is greater than or equal to `count`.
///
/// Returns the array position and the value of the first item that is out of range, or `None` if
/// all items are less than `count`.
pub(crate) fn first_out_of_range<T: RawIndex>(indices: &[T], count: u32) -> Option<(usize, u32)> {
    io::prefetch(indices.as_bytes());
    let starts = (0_usize..).step_by(INDEX_BATCH);
    let (start, part) = starts.zip(indices.chunks(INDEX_BATCH)).find(|(_, part)| any_out_of_range(part, count))?;
    (start..).zip(part.iter().map(|index| index.wide())).find(|(_, index)| *index >= count)
}

kernel! {
    fn any_out_of_range<T: RawIndex>(indices: &[T], count: u32) -> bool {
        indices.iter().fold(false, |any, index| any | (index.wide() >= count))
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::{any_bytes, places};

    fn agree<T: RawIndex>(indices: &[T]) {
        let largest = indices.iter().map(|index| index.wide()).max().unwrap_or(0);
        for count in [0, 1, 200, 60_000, largest / 2, largest, largest.saturating_add(1), u32::MAX] {
            let naive = indices.iter().map(|index| index.wide()).enumerate().find(|(_, index)| *index >= count);
            assert_eq!(first_out_of_range(indices, count), naive, "{} {count}", indices.len());
        }
    }

    #[test]
    fn agrees_with_its_naive_twin() {
        for (start, len) in places() {
            let bytes = any_bytes(start + len * 4);
            agree(&bytes[start..start + len]);
            agree(<[U16]>::ref_from_bytes(&bytes[start..start + len * 2]).unwrap());
            agree(<[U32]>::ref_from_bytes(&bytes[start..start + len * 4]).unwrap());
        }
    }

    #[test]
    fn finds_the_only_one() {
        for at in [0, 4095, 4096, 9999] {
            let mut indices = vec![U32::new(7); 10_000];
            indices[at] = U32::new(8);
            assert_eq!((first_out_of_range(&indices, 8), first_out_of_range(&indices, 9)), (Some((at, 8)), None));
        }
    }
}
