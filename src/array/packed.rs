//! Arrays of records that follow each other without gaps. Each item is decoded when it is read.
//!
//! A [`Packed`] array is a slice of raw records in the bytes of the file, and a decoder (a type
//! that implements [`Decode`]). The decoder computes the value of a record when the record is read.
//! The stride of a [`Packed`] array is the size of its record type, so the code contains no stride
//! arithmetic.

use std::ops::Range;

use bytemuck::Pod;
use zerocopy::IntoBytes;

use crate::array::access::{Array, impl_view};
use crate::array::bounds::Bounds;
use crate::array::bulk;
use crate::decode::convert::OutputFormat;
use crate::decode::{Decode, Floats, MinMax16, Packed32, Packed64, bounds, min_max16, packed32, packed64};
use crate::error::Result;

/// An array of adjacent records without gaps, borrowed from a file.
///
/// Each item is decoded when it is read.
///
/// ```
/// use meshpeek::{Array, Packed, decode::Floats};
/// use zerocopy::little_endian::F32;
///
/// let raw = [[F32::new(1.0), F32::new(2.0), F32::new(3.0)]];
/// let positions = Packed::new(&raw, Floats::<3>);
/// assert_eq!(positions.get(0), Some([1.0, 2.0, 3.0]));
/// assert_eq!(positions.get(1), None);
/// ```
pub struct Packed<'a, D: Decode> {
    raw: &'a [D::Raw],
    decode: D,
}

impl_view!(Packed, Decode);

impl<'a, D: Decode> Packed<'a, D> {
    /// Makes an array from a slice of raw records and the decoder that decodes a record.
    #[must_use]
    pub const fn new(raw: &'a [D::Raw], decode: D) -> Self {
        Self { raw, decode }
    }

    /// Returns the decoder that converts the raw records to values.
    #[must_use]
    pub const fn decoder(&self) -> D {
        self.decode
    }

    /// Returns the raw records of the array, borrowed from the bytes of the file.
    #[must_use]
    pub const fn raw(&self) -> &'a [D::Raw] {
        self.raw
    }

    /// Returns an iterator over the decoded items that the standard library zips by index.
    #[inline]
    pub(crate) fn decoded(&self) -> impl ExactSizeIterator<Item = D::Value> + DoubleEndedIterator + use<'a, D> {
        let decode = self.decode;
        self.raw.iter().map(move |raw| decode.decode(raw))
    }
}

impl<D: Decode<Value = [f32; N]>, const N: usize> Packed<'_, D> {
    /// Decodes all items and converts them to another output format, such as normalized integers.
    ///
    /// `decode_as` prefetches the array before it decodes the items. If the size of `out` is 32 MiB
    /// or more, `out` is written with stores that bypass the processor's cache.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) if the length of `out` is not
    /// exactly [`len`](Array::len).
    pub fn decode_as<F: OutputFormat<N>>(&self, format: F, out: &mut [[F::Component; N]]) -> Result<()> {
        bulk::check_length(out, self.len())?;
        self.prefetch();
        bulk::decode_as(self.decode, format, self.raw, out);
        Ok(())
    }
}

impl<D: Decode> Array for Packed<'_, D> {
    type Item = D::Value;

    #[inline]
    fn len(&self) -> usize {
        self.raw.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<D::Value> {
        self.raw.get(index).map(|raw| self.decode.decode(raw))
    }

    #[inline]
    fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.raw.get(range).map(|raw| Self { raw, ..*self })
    }

    #[inline]
    fn as_bytes<'b>(&self) -> &'b [u8]
    where
        Self: 'b,
    {
        self.raw.as_bytes()
    }

    #[inline]
    fn byte_offset(&self, index: usize) -> usize {
        index.saturating_mul(size_of::<D::Raw>())
    }

    fn as_slice<'b, T: Pod>(&self) -> Option<&'b [T]>
    where
        Self: 'b,
    {
        self.decode.as_slice(self.raw)
    }

    #[inline]
    fn fold<B, F: FnMut(B, D::Value) -> B>(&self, first: B, fold: F) -> B {
        self.decoded().fold(first, fold)
    }

    #[inline]
    fn rfold<B, F: FnMut(B, D::Value) -> B>(&self, last: B, fold: F) -> B {
        self.decoded().rfold(last, fold)
    }

    #[inline]
    fn fill(&self, out: &mut [D::Value]) {
        self.decode.decode_all(self.raw, out);
    }

    /// Prefetches the array and decodes all items into `out`.
    ///
    /// If the size of `out` is 32 MiB or more, `out` is written with stores that bypass the
    /// processor's cache.
    fn decode_into(&self, out: &mut [D::Value]) -> Result<()> {
        bulk::check_length(out, self.len())?;
        self.prefetch();
        bulk::decode(self.decode, self.raw, out);
        Ok(())
    }
}

/// Defines a method `bounds` for each position encoding that has a specialised kernel for the
/// bounding box.
macro_rules! bounds_by_kernel {
    ($($decode:ty: |$array:ident| $bounds:expr;)+) => {$(
        impl Packed<'_, $decode> {
            /// Returns the bounding box of all positions, like [`Array::bounds`] but faster.
            #[must_use]
            pub fn bounds(&self) -> Bounds {
                let $array = self;
                let bounds: Option<[[f32; 3]; 2]> = $bounds;
                bounds.map_or(Bounds::EMPTY, |[min, max]| Bounds { min, max })
            }
        }
    )+};
}

bounds_by_kernel! {
    Floats<3>: |array| bounds::bounds(array.raw);
    Packed32: |array| packed32::bounds(array.raw);
    Packed64: |array| packed64::bounds(array.raw);
    MinMax16<3>: |array| min_max16::bounds(array.raw, array.decode);
}
