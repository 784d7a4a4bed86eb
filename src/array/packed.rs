//! Lazy arrays at access time.
//!
//! A [`Packed`] array is a slice of raw records, straight from the file, and a [`Decode`]r that makes a value of one
//! record when somebody looks at it. The record is the stride: there is no stride arithmetic to get wrong.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use zerocopy::IntoBytes;

use crate::array::chunks::{self, Chunks, Conversion, PAST_CACHE};
use crate::decode::{
    Decode, Floats, MinMax16, OutputFormat, Packed32, Packed64, bounds, min_max16, packed32, packed64,
};
use crate::error::Result;
use crate::io;

/// An array of a file, decoded item by item on access.
///
/// ```
/// use meshpeek::{Packed, decode::Floats};
/// use zerocopy::little_endian::F32;
///
/// let raw = [[F32::new(1.0), F32::new(2.0), F32::new(3.0)]];
/// let positions = Packed::new(&raw, Floats::<3>);
/// assert_eq!(positions.get(0), Some([1.0, 2.0, 3.0]));
/// assert_eq!(positions.get(1), None);
/// ```
#[derive(Clone, Copy)]
pub struct Packed<'a, D: Decode> {
    raw: &'a [D::Raw],
    decode: D,
}

impl<D: Decode<Value: fmt::Debug>> fmt::Debug for Packed<'_, D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, D: Decode> Packed<'a, D> {
    /// Puts a decoder over raw records.
    #[must_use]
    pub const fn new(raw: &'a [D::Raw], decode: D) -> Self {
        Self { raw, decode }
    }

    /// Returns the number of items.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.raw.len()
    }

    /// Tells whether there are no items.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Decodes item `index`; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<D::Value> {
        self.raw.get(index).map(|raw| self.decode.decode(raw))
    }

    /// Decodes all items, in order, one at a time. For a large array of a cold file, [`prefetch`](Self::prefetch)
    /// first.
    #[inline]
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = D::Value> + DoubleEndedIterator + FusedIterator + Clone + use<'a, D> {
        let decode = self.decode;
        self.raw.iter().map(move |raw| decode.decode(raw))
    }

    /// Returns the items of `range`, still undecoded; `None` where some of them do not exist.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        self.raw.get(range).map(|raw| Self { raw, ..*self })
    }

    /// Returns the array in parts of `bytes` bytes at most, or of one item where that is more; none is looked at.
    pub fn parts(&self, bytes: usize) -> impl ExactSizeIterator<Item = Self> + use<'a, D> {
        let items = bytes.checked_div(size_of::<D::Raw>()).unwrap_or(1).max(1);
        let decode = self.decode;
        self.raw.chunks(items).map(move |raw| Self { raw, decode })
    }

    /// Decodes all items into `out`, after prefetching them; past the cache where `out` has 32 MiB or more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) where `out` does not have exactly [`len`](Self::len) items.
    pub fn decode_into(&self, out: &mut [D::Value]) -> Result<()> {
        chunks::fits(out, self.len())?;
        self.prefetch();
        if size_of_val(out) < PAST_CACHE {
            chunks::decode_cached(self.decode, self.raw, out);
        } else {
            chunks::decode_past_cache(self.decode, self.raw, out);
        }
        Ok(())
    }

    /// Hands out all items in pieces of 8 KiB, after prefetching them: as fast as [`decode_into`](Self::decode_into), and
    /// nothing is allocated.
    ///
    /// A type of value that takes no room, or more than 8 KiB, does not compile.
    #[must_use]
    pub fn chunks(&self) -> Chunks<'a, D> {
        self.prefetch();
        Chunks::new(self.raw, self.decode)
    }

    /// Visits all items in pieces, each with the number of its first item, as [`chunks`](Self::chunks) hands them out.
    pub fn for_each_chunk(&self, mut visit: impl FnMut(usize, &[D::Value])) {
        self.for_each_piece(|first, values| visit(first, values));
    }

    pub(crate) fn for_each_piece(&self, mut visit: impl FnMut(usize, &mut [D::Value])) {
        let mut chunks = self.chunks();
        loop {
            let first = self.len().saturating_sub(chunks.left());
            let Some(values) = chunks.next_mut() else { return };
            visit(first, values);
        }
    }

    /// Returns the decoder.
    #[must_use]
    pub const fn decoder(&self) -> D {
        self.decode
    }

    /// Returns the raw records, straight from the file.
    #[must_use]
    pub const fn raw(&self) -> &'a [D::Raw] {
        self.raw
    }

    /// Decodes all items in order, after prefetching them.
    #[inline]
    pub fn for_each(&self, visit: impl FnMut(D::Value)) {
        self.prefetch();
        self.iter().for_each(visit);
    }

    /// Returns the raw bytes, straight from the file.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.raw.as_bytes()
    }

    /// Returns where item `index` lies, in bytes from the first.
    #[must_use]
    pub const fn place(&self, index: usize) -> usize {
        index.saturating_mul(size_of::<D::Raw>())
    }

    /// Tells the system that the whole array is about to be read in order ([`io::prefetch`]).
    pub fn prefetch(&self) {
        io::prefetch(self.raw.as_bytes());
    }
}

impl<D: Decode<Value = [f32; N]>, const N: usize> Packed<'_, D> {
    /// Decodes all items into `out`, in another [format](crate::decode::convert) than floats, after prefetching them; past the
    /// cache where `out` has 32 MiB or more.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Packed, decode::{Unit16, convert::Snorm}};
    /// use zerocopy::little_endian::U16;
    ///
    /// let raw = [[0, 32768, 65535].map(U16::new)];
    /// let mut normals = [[0; 3]];
    /// Packed::new(&raw, Unit16).decode_as(Snorm::<i8>::new(), &mut normals)?;
    /// assert_eq!(normals, [[-127, 0, 127]]);
    /// # Ok(())
    /// # }
    /// ```
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

impl<'a, const N: usize> Packed<'a, Floats<N>> {
    /// Returns the array as native floats, where it happens to be aligned and the machine is little-endian. A
    /// shortcut for callers that need such a slice; reading through [`iter`](Self::iter) is as fast.
    #[must_use]
    pub fn as_native(&self) -> Option<&'a [[f32; N]]> {
        if cfg!(target_endian = "little") { bytemuck::try_cast_slice(self.raw.as_bytes()).ok() } else { None }
    }
}

impl Packed<'_, Floats<3>> {
    /// Returns the smallest and largest value of each coordinate, in one pass over the file's bytes: nothing is
    /// stored, and NaNs are passed over. `None` where there is no number to bound.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        bounds::bounds(self.raw)
    }
}

impl Packed<'_, Packed32> {
    /// Returns the smallest and largest value of each coordinate, in one pass over the file's bytes that stores nothing.
    /// `None` where there are no positions.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        packed32::bounds(self.raw)
    }
}

impl Packed<'_, Packed64> {
    /// Returns the smallest and largest value of each coordinate, in one pass over the file's bytes that stores nothing.
    /// `None` where there are no positions.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        packed64::bounds(self.raw)
    }
}

impl Packed<'_, MinMax16<3>> {
    /// Returns the smallest and largest value of each coordinate, in one pass over the file's bytes that stores nothing.
    /// `None` where there are no positions, or no numbers to bound.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        min_max16::bounds(self.raw, self.decode)
    }
}
