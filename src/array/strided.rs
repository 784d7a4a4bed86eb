//! Arrays with gaps between the items, because each item is one field of a larger record. The size
//! of the record depends on the file.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use zerocopy::{FromBytes, IntoBytes};

use crate::array::access::{Array, impl_view};
use crate::array::bounds::{Bounds, to_file_order};
use crate::decode::Decode;
use crate::decode::bounds::grow;

/// An array that consists of one field of each record, such as the normal of each vertex.
///
/// Each field is decoded when it is read.
///
/// Records whose layout is fixed by the file format are read as
/// [`Packed`](crate::array::packed::Packed) arrays. A `Strided` array is for records whose layout
/// depends on flags in the file. All records of a `Strided` array have the same size, and the
/// decoded field is at the same offset in each record.
///
/// ```
/// use meshpeek::{Array, Strided};
/// use meshpeek::decode::endian::{ByteOrder, EndianFloats};
///
/// let records = [[1.0_f32, 7.0], [2.0, 8.0]].as_flattened().iter().flat_map(|float| float.to_be_bytes());
/// let bytes: Vec<u8> = records.collect();
/// let second = Strided::new(&bytes, 8, 4, EndianFloats::<1>(ByteOrder::Big)).unwrap();
/// assert_eq!(second.get(1), Some([8.0]));
/// assert!(Strided::new(&bytes, 8, 5, EndianFloats::<1>(ByteOrder::Big)).is_none());
/// ```
pub struct Strided<'a, D: Decode> {
    /// The bytes of all records, which are complete and follow each other without gaps.
    bytes: &'a [u8],
    stride: usize,
    /// Offset of the decoded field from the start of its record, in bytes.
    at: usize,
    len: usize,
    decode: D,
}

impl_view!(Strided, Decode);

impl<'a, D: Decode> Strided<'a, D> {
    /// Makes an array of the fields at byte offset `at` in each record of `stride` bytes.
    ///
    /// Returns `None` if the length of `bytes` is not a multiple of `stride`, or if the field does
    /// not fit in a record.
    #[must_use]
    pub fn new(bytes: &'a [u8], stride: usize, at: usize, decode: D) -> Option<Self> {
        let fits = at.checked_add(size_of::<D::Raw>()).is_some_and(|end| end <= stride);
        let len = bytes.len().checked_div(stride).filter(|_| fits && bytes.len().is_multiple_of(stride))?;
        Some(Self { bytes, stride, at, len, decode })
    }

    /// Returns the decoder that converts the raw field to a value.
    #[must_use]
    pub const fn decoder(&self) -> D {
        self.decode
    }

    /// Returns the bytes from the first field on, and the distance from each field to the next.
    pub(crate) fn fields(&self) -> (&'a [u8], usize) {
        (self.bytes.get(self.at..).unwrap_or_default(), self.stride)
    }

    /// Returns an iterator over the decoded items.
    #[inline]
    fn decoded(&self) -> impl DoubleEndedIterator<Item = D::Value> + use<'a, D> {
        let array = *self;
        // Each slice from `chunks_exact` is a complete record, so it always contains the decoded
        // field.
        let records = self.bytes.chunks_exact(self.stride);
        records.map(move |record| array.decode_at(record, array.at).unwrap_or_else(D::Value::zeroed))
    }

    /// Calls `write` with each item of `out` and its raw field.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the loop must be compiled for each way to write")]
    fn for_each_field(&self, out: &mut [D::Value], write: impl Fn(&mut D::Value, &D::Raw)) {
        // A chunk starts at a field instead of at a record, so the compiler checks the length once
        // for all chunks. The last field is in the rest, unless the records start with the field.
        let mut fields = self.fields().0.chunks_exact(self.stride);
        let last = std::iter::once(fields.remainder());
        let mut places = out.iter_mut();
        for (field, place) in fields.by_ref().zip(places.by_ref()) {
            if let Ok((raw, _)) = D::Raw::ref_from_prefix(field) {
                write(place, raw);
            }
        }
        for (place, field) in places.zip(last) {
            if let Ok((raw, _)) = D::Raw::ref_from_prefix(field) {
                write(place, raw);
            }
        }
    }

    /// Decodes the field that starts at byte `offset` of `bytes`.
    #[inline]
    fn decode_at(&self, bytes: &[u8], offset: usize) -> Option<D::Value> {
        D::Raw::ref_from_prefix(bytes.get(offset..)?).ok().map(|(raw, _)| self.decode.decode(raw))
    }
}

impl<D: Decode> Array for Strided<'_, D> {
    type Item = D::Value;

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn get(&self, index: usize) -> Option<D::Value> {
        self.decode_at(self.bytes, index.checked_mul(self.stride)?.checked_add(self.at)?)
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        let [start, end] = [range.start, range.end].map(|at| at.checked_mul(self.stride));
        Some(Self { bytes: self.bytes.get(start?..end?)?, len: range.len(), ..*self })
    }

    /// Returns the bytes of all records, including the fields that this array does not decode.
    #[inline]
    fn as_bytes<'b>(&self) -> &'b [u8]
    where
        Self: 'b,
    {
        self.bytes
    }

    #[inline]
    fn byte_offset(&self, index: usize) -> usize {
        index.saturating_mul(self.stride).saturating_add(self.at)
    }

    fn as_slice<'b, T: Pod>(&self) -> Option<&'b [T]>
    where
        Self: 'b,
    {
        let has_gaps = self.stride != size_of::<D::Raw>();
        let raw = <[D::Raw]>::ref_from_bytes(self.bytes).ok().filter(|_| !has_gaps)?;
        self.decode.as_slice(raw)
    }

    fn fill(&self, out: &mut [D::Value]) {
        if self.decode.is_copy() {
            self.for_each_field(out, |place, raw| {
                if let Ok(place) = D::Raw::mut_from_bytes(bytemuck::bytes_of_mut(place)) {
                    place.as_mut_bytes().copy_from_slice(raw.as_bytes());
                }
            });
        } else {
            self.for_each_field(out, |place, raw| *place = self.decode.decode(raw));
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, D::Value) -> B>(&self, first: B, fold: F) -> B {
        self.decoded().fold(first, fold)
    }

    #[inline]
    fn rfold<B, F: FnMut(B, D::Value) -> B>(&self, last: B, fold: F) -> B {
        self.decoded().rfold(last, fold)
    }
}

impl<D: Decode<Value = [f32; 3]>> Strided<'_, D> {
    /// Returns the same bounding box as [`Array::bounds`], and calls `read` with the number of
    /// items of each chunk that was read.
    pub(crate) fn bounds_in_steps(&self, mut read: impl FnMut(usize)) -> Bounds {
        let Bounds { mut min, mut max } = Bounds::EMPTY;
        self.for_each_chunk(|_, positions| {
            let items = positions.len();
            grow(&mut min, &mut max, to_file_order(positions));
            read(items);
        });
        let bounds = Bounds { min, max };
        if bounds.is_empty() { Bounds::EMPTY } else { bounds }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "decoding is exact")]
mod tests {
    use super::*;
    use crate::decode::EndianFloats;
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
        assert_eq!((array.len(), array.byte_offset(2), array.get(4), array.get(usize::MAX)), (4, 25, None, None));
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
        assert_eq!(array.bounds(), Bounds { min: [-1.0, -2.0, 5.0], max: [3.0, 4.0, 6.0] });
        assert_eq!(array.slice(0..0).unwrap().bounds(), Bounds::EMPTY);
    }
}
