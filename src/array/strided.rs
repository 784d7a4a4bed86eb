//! Arrays whose items stand apart from each other, in records of a size that only the file knows.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use crate::array::bounds::Bounds;
use crate::array::chunks::{Conversion, Gather};
use crate::decode::{Decode, EndianFloats, OutputFormat, bounds};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::io;
use crate::math::as_u64;

/// One value of each of a file's records, decoded on access.
///
/// Formats whose records have a fixed shape are read as [`Packed`](crate::array::packed::Packed) arrays. Here the size of a record follows
/// from flags in the file: records are whole pieces of that size, and the item lies at one place in each.
///
/// ```
/// use meshpeek::Strided;
/// use meshpeek::decode::endian::{ByteOrder, EndianFloats};
///
/// let records = [[1.0_f32, 7.0], [2.0, 8.0]].as_flattened().iter().flat_map(|float| float.to_be_bytes());
/// let bytes: Vec<u8> = records.collect();
/// let second = Strided::new(&bytes, 8, 4, EndianFloats::<1>(ByteOrder::Big)).unwrap();
/// assert_eq!(second.get(1), Some([8.0]));
/// assert!(Strided::new(&bytes, 8, 5, EndianFloats::<1>(ByteOrder::Big)).is_none());
/// ```
#[derive(Clone, Copy)]
pub struct Strided<'a, D: Decode> {
    /// Whole records, and nothing else.
    bytes: &'a [u8],
    stride: usize,
    /// Where in a record the item lies.
    at: usize,
    len: usize,
    decode: D,
}

impl<D: Decode<Value: fmt::Debug>> fmt::Debug for Strided<'_, D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries((0..self.len).filter_map(|index| self.get(index))).finish()
    }
}

impl<'a, D: Decode> Strided<'a, D> {
    /// Puts a decoder over the item that lies `at` bytes into each record of `stride` bytes. `None` where the bytes are not
    /// whole records, or the item does not lie within one.
    #[must_use]
    pub fn new(bytes: &'a [u8], stride: usize, at: usize, decode: D) -> Option<Self> {
        let fits = at.checked_add(size_of::<D::Raw>()).is_some_and(|end| end <= stride);
        let len = bytes.len().checked_div(stride).filter(|_| fits && bytes.len().is_multiple_of(stride))?;
        Some(Self { bytes, stride, at, len, decode })
    }

    /// Returns the number of items.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Tells whether there are no items.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Decodes item `index`; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<D::Value> {
        self.bytes.get(self.place_checked(index)?..).and_then(|bytes| self.decode_first(bytes))
    }

    fn place_checked(&self, index: usize) -> Option<usize> {
        index.checked_mul(self.stride)?.checked_add(self.at)
    }

    #[inline]
    fn decode_first(&self, bytes: &[u8]) -> Option<D::Value> {
        D::Raw::ref_from_prefix(bytes).ok().map(|(raw, _)| self.decode.decode(raw))
    }

    /// Decodes all items, in order, one at a time.
    #[inline]
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = D::Value> + DoubleEndedIterator + FusedIterator + Clone + use<'a, D>
    where
        D::Value: Default,
    {
        let array = *self;
        // A chunk is a whole record, so the item is always there.
        self.bytes
            .chunks_exact(self.stride)
            .map(move |record| record.get(array.at..).and_then(|item| array.decode_first(item)).unwrap_or_default())
    }

    /// Decodes all items in order, after prefetching them.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(D::Value)) {
        self.prefetch();
        for record in self.bytes.chunks_exact(self.stride) {
            if let Some(value) = record.get(self.at..).and_then(|item| self.decode_first(item)) {
                visit(value);
            }
        }
    }

    /// Decodes all items into `out`, after prefetching them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`] where `out` does not have exactly [`len`](Self::len) items.
    pub fn decode_into(&self, out: &mut [D::Value]) -> Result<()> {
        if out.len() != self.len {
            let kind = ErrorKind::Buffer { needed: as_u64(self.len), given: as_u64(out.len()) };
            return Err(Error::without_offset("strided array", Field::new("out"), kind));
        }
        let mut values = out.iter_mut();
        self.for_each(|decoded| {
            if let Some(value) = values.next() {
                *value = decoded;
            }
        });
        Ok(())
    }
    /// Visits all items in order in pieces of 8 KiB, each with the number of its first item, after prefetching them.
    pub fn for_each_chunk(&self, mut visit: impl FnMut(usize, &[D::Value])) {
        self.for_each_piece(|first, values| visit(first, values));
    }

    pub(crate) fn for_each_piece(&self, visit: impl FnMut(usize, &mut [D::Value])) {
        let mut pieces = Gather::new(visit);
        self.for_each(|value| pieces.push(value));
        pieces.finish();
    }

    /// Returns the items of `range`, still undecoded; `None` where some of them do not exist.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let [start, end] = [range.start, range.end].map(|at| at.checked_mul(self.stride));
        Some(Self { bytes: self.bytes.get(start?..end?)?, len: range.len(), ..*self })
    }

    /// Returns the records that the items lie in.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns where item `index` lies, in bytes from the first record.
    #[must_use]
    pub const fn place(&self, index: usize) -> usize {
        index.saturating_mul(self.stride).saturating_add(self.at)
    }

    /// Returns the decoder.
    #[must_use]
    pub const fn decoder(&self) -> D {
        self.decode
    }

    /// Tells the system that the records are about to be read in order ([`io::prefetch`]).
    pub fn prefetch(&self) {
        io::prefetch(self.bytes);
    }
}

impl<D: Decode<Value = [f32; N]>, const N: usize> Strided<'_, D> {
    /// Decodes all items into `out`, in another [format](crate::decode::convert) than floats.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) where `out` does not have exactly [`len`](Self::len) items.
    pub fn decode_as<F: OutputFormat<N>>(&self, format: F, out: &mut [[F::Component; N]]) -> Result<()> {
        let mut conversion = Conversion::new(format, out, self.len())?;
        self.for_each_piece(|first, values| conversion.put(first, values));
        Ok(())
    }
}

/// Positions that are compared together.
const TOGETHER: usize = 512;

impl Strided<'_, EndianFloats<3>> {
    /// Returns the smallest and largest value of each coordinate, in one pass over the file's bytes that stores nothing; NaNs
    /// are passed over. `None` where there is no number to bound.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        self.prefetch();
        let Bounds { mut min, mut max } = Bounds::EMPTY;
        // So many are brought together in the nearest cache, where they lie as they do in an array of their own.
        let mut together = [[F32::ZERO; 3]; TOGETHER];
        for records in self.bytes.chunks(self.stride.saturating_mul(TOGETHER)) {
            let records = records.chunks_exact(self.stride);
            let some = together.get_mut(..records.len()).unwrap_or_default();
            for (place, record) in some.iter_mut().zip(records) {
                let position = record.get(self.at..).and_then(|item| self.decode_first(item));
                *place = position.unwrap_or([f32::NAN; 3]).map(F32::new);
            }
            bounds::grow(&mut min, &mut max, some);
        }
        let bounds = Bounds { min, max };
        (!bounds.is_empty()).then_some([min, max])
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "decoding is exact")]
mod tests {
    use super::*;
    use crate::decode::endian::ByteOrder;

    #[test]
    fn agrees_with_itself() {
        let bytes: Vec<u8> = (0..40_u8).collect();
        let array = Strided::new(&bytes, 10, 5, EndianFloats::<1>(ByteOrder::Big)).unwrap();
        let one = |at: usize| [f32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())];
        let all = [one(5), one(15), one(25), one(35)];
        assert_eq!(array.iter().collect::<Vec<_>>(), all);
        assert!(array.iter().rev().eq(all.into_iter().rev()));
        let mut out = [[0.0]; 4];
        array.decode_into(&mut out).unwrap();
        assert_eq!(out, all);
        assert_eq!(array.slice(1..3).unwrap().iter().collect::<Vec<_>>(), all[1..3]);
        assert_eq!((array.len(), array.place(2), array.get(4), array.get(usize::MAX)), (4, 25, None, None));
        assert!(array.slice(3..5).is_none() && array.decode_into(&mut []).is_err());
        for (stride, at) in [(0, 0), (10, 7), (10, usize::MAX), (7, 0), (3, 0)] {
            assert!(Strided::new(&bytes, stride, at, EndianFloats::<1>(ByteOrder::Big)).is_none(), "{stride} {at}");
        }
    }

    #[test]
    fn bounds_what_is_a_number() {
        let floats = [[1.0, -2.0, f32::NAN], [3.0, f32::NAN, 5.0], [-1.0, 4.0, 6.0_f32]];
        let bytes: Vec<u8> = floats.as_flattened().iter().flat_map(|float| float.to_le_bytes()).collect();
        let array = Strided::new(&bytes, 12, 0, EndianFloats::<3>(ByteOrder::Little)).unwrap();
        assert_eq!(array.bounds(), Some([[-1.0, -2.0, 5.0], [3.0, 4.0, 6.0]]));
        assert_eq!(array.slice(0..0).unwrap().bounds(), None);
    }
}
