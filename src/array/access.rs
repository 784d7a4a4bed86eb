//! The trait of all arrays: one item, all in order, in bulk, in chunks.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use bytemuck::Pod;

use crate::array::bounds::{Bounds, to_file_order};
use crate::array::bulk::{self, Converter};
use crate::array::chunk_buffer::ChunkBuffer;
use crate::decode::bounds;
use crate::decode::convert::OutputFormat;
use crate::error::Result;
use crate::io;

/// An array of a file, decoded on access.
///
/// Implemented by the arrays of one encoding, such as [`Packed`](crate::array::Packed), and by those that match their
/// encoding once, such as [`Positions`](crate::model::Positions). A type implements [`len`](Self::len),
/// [`get`](Self::get) and [`slice`](Self::slice), and what it can do faster than the methods here.
///
/// ```
/// use meshpeek::{Array, Packed, decode::{Index, Unorm8}};
///
/// fn last<A: Array>(array: A) -> Option<A::Item> {
///     array.get(array.len().checked_sub(1)?)
/// }
/// let bytes = [1_u8, 255];
/// assert_eq!(last(Packed::new(&bytes, Index::<u8>::new())), Some(255));
/// assert_eq!(last(Packed::new(&[bytes], Unorm8)), Some([1.0 / 255.0, 1.0]));
/// ```
pub trait Array: Copy {
    /// The type of an item: plain bytes, which a GPU can be handed as they are.
    type Item: Pod;

    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Decodes item `index`, or returns `None` if it is out of range.
    fn get(&self, index: usize) -> Option<Self::Item>;

    /// Returns the items of `range`, still undecoded, or `None` if some of them are out of range.
    fn slice(&self, range: Range<usize>) -> Option<Self>;

    /// Returns the bytes of the file that the items lie in: no others, except where a format interleaves arrays. Arrays
    /// that are computed have none.
    fn as_bytes<'b>(&self) -> &'b [u8]
    where
        Self: 'b,
    {
        &[]
    }

    /// Returns the offset of item `index` in [`as_bytes`](Self::as_bytes); 0 if the array has no bytes.
    fn byte_offset(&self, index: usize) -> usize {
        let _ = index;
        0
    }

    /// Returns whether the array is empty.
    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells the system that all bytes are about to be read in order ([`io::prefetch`]).
    #[inline]
    fn prefetch(&self) {
        io::prefetch(self.as_bytes());
    }

    /// Decodes all items in order, one at a time. [`prefetch`](Self::prefetch) first if the array is large and the file
    /// is not in memory.
    #[inline]
    fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = Self::Item> + DoubleEndedIterator + FusedIterator + Clone + use<Self> {
        ArrayIter::new(*self)
    }

    /// Decodes all items in order, and folds them into one value. The encoding is matched once.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(&self, first: B, fold: F) -> B {
        (0..self.len()).map_while(|index| self.get(index)).fold(first, fold)
    }

    /// Decodes all items in order, after prefetching them.
    #[inline]
    fn for_each(&self, mut visit: impl FnMut(Self::Item)) {
        self.prefetch();
        self.fold((), |(), item| visit(item));
    }

    /// Decodes items into `out`, until either the items or the places for them end. Prefetches nothing.
    #[inline]
    fn fill(&self, out: &mut [Self::Item]) {
        let mut places = out.iter_mut();
        self.fold((), |(), item| {
            if let Some(place) = places.next() {
                *place = item;
            }
        });
    }

    /// Decodes all items into `out`, after prefetching them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) if `out` does not have exactly [`len`](Self::len) items.
    fn decode_into(&self, out: &mut [Self::Item]) -> Result<()> {
        bulk::check_length(out, self.len())?;
        self.prefetch();
        self.fill(out);
        Ok(())
    }

    /// Returns all items in chunks of 8 KiB, after prefetching them: as fast as [`decode_into`](Self::decode_into), and
    /// nothing is allocated.
    ///
    /// An array whose items take no room, or more than 8 KiB, does not compile.
    #[inline]
    fn chunks(&self) -> Chunks<Self> {
        const { assert!(ChunkBuffer::capacity::<Self::Item>() > 0, "items that a chunk has no room for") };
        self.prefetch();
        Chunks { rest: *self, buffer: ChunkBuffer::EMPTY }
    }

    /// Visits all items in [`chunks`](Self::chunks), each with the index of its first item. The visitor may write over
    /// them.
    fn for_each_chunk(&self, mut visit: impl FnMut(usize, &mut [Self::Item])) {
        let mut chunks = self.chunks();
        loop {
            let first = self.len().saturating_sub(chunks.remaining());
            let Some(items) = chunks.next() else { return };
            visit(first, items);
        }
    }

    /// Decodes all items into `out`, in another [format](crate::decode::convert) than floats, after prefetching them; past the
    /// cache if `out` has 32 MiB or more.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Array, Packed, decode::{Unit16, convert::Snorm}};
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
    /// [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) if `out` does not have exactly [`len`](Self::len) items.
    fn decode_as<F: OutputFormat<N>, const N: usize>(&self, format: F, out: &mut [[F::Component; N]]) -> Result<()>
    where
        Self: Array<Item = [f32; N]>,
    {
        let mut converter = Converter::new(format, out, self.len())?;
        self.for_each_chunk(|first, values| converter.put(first, values));
        Ok(())
    }

    /// Returns the box around all positions, in one pass over the file's bytes that stores nothing. NaNs are ignored;
    /// [`Bounds::EMPTY`] if a coordinate has no number.
    fn bounds(&self) -> Bounds
    where
        Self: Array<Item = [f32; 3]>,
    {
        let Bounds { mut min, mut max } = Bounds::EMPTY;
        self.for_each_chunk(|_, positions| bounds::grow(&mut min, &mut max, to_file_order(positions)));
        let bounds = Bounds { min, max };
        if bounds.is_empty() { Bounds::EMPTY } else { bounds }
    }
}

/// Decodes the items of an array one at a time. `for_each` and `fold` match the encoding once; `next` on each call.
#[derive(Clone, Debug)]
pub struct ArrayIter<A> {
    array: A,
    left: Range<usize>,
}

impl<A: Array> ArrayIter<A> {
    #[inline]
    pub(crate) fn new(array: A) -> Self {
        Self { array, left: 0..array.len() }
    }
}

impl<A: Array> Iterator for ArrayIter<A> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        let index = self.left.start;
        let item = self.array.get(index).filter(|_| index < self.left.end)?;
        self.left.start = index.saturating_add(1);
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, A::Item) -> B>(self, first: B, fold: F) -> B {
        match self.array.slice(self.left) {
            Some(left) => left.fold(first, fold),
            None => first,
        }
    }
}

impl<A: Array> DoubleEndedIterator for ArrayIter<A> {
    #[inline]
    fn next_back(&mut self) -> Option<A::Item> {
        self.left.next_back().and_then(|index| self.array.get(index))
    }
}

impl<A: Array> ExactSizeIterator for ArrayIter<A> {}
impl<A: Array> FusedIterator for ArrayIter<A> {}

/// The items of an array in chunks, each of which lives until the next is decoded.
///
/// ```
/// use meshpeek::{Array, Packed, decode::Index};
///
/// let raw = [7_u8; 5000];
/// let mut chunks = Packed::new(&raw, Index::<u8>::new()).chunks();
/// let mut sum = 0;
/// while let Some(values) = chunks.next() {
///     sum += values.iter().sum::<u32>();
/// }
/// assert_eq!(sum, 35_000);
/// ```
#[derive(Clone)]
pub struct Chunks<A> {
    rest: A,
    buffer: ChunkBuffer,
}

impl<A: Array> fmt::Debug for Chunks<A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Chunks").field("remaining", &self.remaining()).finish_non_exhaustive()
    }
}

impl<A: Array> Chunks<A> {
    /// Returns how many items remain.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Decodes the next items: the same number in every chunk but the last; `None` if none remain.
    #[allow(clippy::should_implement_trait, reason = "an iterator's items could not be lent")]
    pub fn next(&mut self) -> Option<&mut [A::Item]> {
        let room = self.buffer.values();
        let count = self.rest.len().min(room.len());
        let (chunk, rest) = (self.rest.slice(0..count)?, self.rest.slice(count..self.rest.len())?);
        let items = room.get_mut(..count).filter(|items| !items.is_empty())?;
        self.rest = rest;
        chunk.fill(items);
        Some(items)
    }
}

/// Implements `Clone`, `Copy` and `Debug` for an array with a decoder: derived, they would need a raw record that has them.
macro_rules! impl_view {
    ($array:ident, $decode:ident) => {
        #[allow(clippy::expl_impl_clone_on_copy, reason = "derived, it would need the raw record to be `Clone`")]
        impl<D: $decode> Clone for $array<'_, D> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<D: $decode> Copy for $array<'_, D> {}

        impl<D: $decode> std::fmt::Debug for $array<'_, D>
        where
            <Self as Array>::Item: std::fmt::Debug,
        {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.debug_list().entries(self.iter()).finish()
            }
        }
    };
}
pub(super) use impl_view;

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::array::{Consecutive, CornerArray, Packed, Strided};
    use crate::decode::endian::ByteOrder;
    use crate::decode::{EndianFloats, EndianIndex, Packed32, PolygonIndices, PolygonUvs};

    /// Checks that all ways to read an array give what `get` gives.
    fn agree<A: Array<Item: PartialEq + fmt::Debug>>(array: A) {
        let len = array.len();
        let items: Vec<A::Item> = (0..len).map(|index| array.get(index).unwrap()).collect();
        assert!(array.get(len).is_none() && array.is_empty() == items.is_empty());
        assert_eq!((array.iter().len(), array.iter().collect::<Vec<_>>()), (len, items.clone()));
        assert!(array.iter().rev().eq(items.iter().rev().copied()));
        let mut each = Vec::new();
        array.for_each(|item| each.push(item));
        assert_eq!(each, items);
        let mut chunked = Vec::new();
        array.for_each_chunk(|first, chunk| {
            assert_eq!(first, chunked.len());
            chunked.extend_from_slice(chunk);
        });
        assert_eq!(chunked, items);
        let mut out = vec![bytemuck::Zeroable::zeroed(); len];
        array.decode_into(&mut out).unwrap();
        assert_eq!(out, items);
        assert!(array.decode_into(&mut vec![bytemuck::Zeroable::zeroed(); len + 1]).is_err());
        for range in [0..len, 1..len, len / 3..len / 2, len..len] {
            if let Some(part) = array.slice(range.clone()) {
                assert!(part.iter().eq(items[range].iter().copied()));
            }
        }
        assert!(array.slice(0..len + 1).is_none());
    }

    #[test]
    fn all_ways_to_read_agree() {
        for len in [0, 1, 2, 3, 7, 1000, 5000] {
            // Small numbers: no float is a NaN, and all polygons exist.
            let bytes: Vec<u8> = any_bytes(len * 20).iter().map(|byte| byte % 64).collect();
            let words = FromBytes::ref_from_bytes(&bytes[..len * 4]).unwrap();
            agree(Packed::new(words, Packed32));
            agree(Packed::new(FromBytes::ref_from_bytes(&bytes[..len * 4]).unwrap(), EndianIndex(ByteOrder::Big)));
            agree(Strided::new(&bytes, 20, 4, EndianFloats::<3>(ByteOrder::Little)).unwrap());
            let polygons = FromBytes::ref_from_bytes(&bytes[..len * 16]).unwrap();
            let picks: Vec<u16> = (0..len).rev().map(|pick| u16::try_from(pick).unwrap()).collect();
            agree(CornerArray::new(polygons, &picks, PolygonIndices));
            agree(CornerArray::new(polygons, &picks, PolygonUvs::<255>).slice(len.min(1)..len * 2).unwrap());
            agree(Consecutive::new(u32::try_from(len).unwrap()));
        }
    }

    #[test]
    fn bounds_of_any_array_are_those_of_its_kernel() {
        fn by_default(array: impl Array<Item = [f32; 3]>) -> Bounds {
            array.bounds()
        }
        for len in [0, 1, 700, 5000] {
            let bytes = any_bytes(len * 4);
            let array = Packed::new(FromBytes::ref_from_bytes(&bytes).unwrap(), Packed32);
            assert_eq!(by_default(array), array.bounds());
        }
    }
}
