//! The trait [`Array`], which all array types of this crate implement. An [`Array`] decodes single
//! items, all items in order, or chunks of items.

use std::iter::FusedIterator;
use std::ops::Range;

use bytemuck::Pod;

use crate::array::bounds::{Bounds, to_file_order};
use crate::array::bulk;
use crate::array::bulk::{ChunkBuffer, Chunks, to_vec};
use crate::array::iter::{ArrayIter, split};
use crate::decode::bounds;
use crate::error::Result;
use crate::io::{self, PrefetchList};
use crate::math::as_index;
use crate::simd;

/// An array in a file, whose items are decoded when they are read.
///
/// The array types of the module [`model`](crate::model) implement it, such as
/// [`Positions`](crate::model::Positions). A format can store such an array in several encodings.
/// Each operation selects the encoding once. An implementation of `Array` must define
/// [`len`](Self::len), [`get`](Self::get) and [`slice`](Self::slice). It should override a default
/// method if a faster implementation is possible.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
///
/// fn last<A: Array>(array: A) -> Option<A::Item> {
///     array.get(array.len().checked_sub(1)?)
/// }
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let surface = mesh.surface(0)?;
/// assert_eq!(last(surface.positions()?), Some([-0.5; 3]));
/// assert!(last(surface.indices()?).is_some_and(|index| index < 8));
/// # Ok(())
/// # }
/// ```
pub trait Array: Copy {
    /// The type of a decoded item.
    ///
    /// `Item` implements [`Pod`], so decoded items can be copied to a GPU buffer byte for byte.
    type Item: Pod;

    /// Whether a loop over the array advises the operating system to read the items ahead
    /// ([`prefetch`](Self::prefetch)). `false` for arrays of few items and for arrays that are not
    /// stored.
    #[doc(hidden)]
    const PREFETCHED: bool = true;

    /// Returns the number of items of the array.
    fn len(&self) -> usize;

    /// Decodes the item at `index`, or returns `None` if `index` is out of range.
    fn get(&self, index: usize) -> Option<Self::Item>;

    /// Returns the sub-array of the items in `range` without decoding them.
    ///
    /// Returns `None` if `range` extends beyond the end of the array.
    fn slice(&self, range: Range<usize>) -> Option<Self>;

    /// Returns the bytes of the file that contain the items of the array.
    ///
    /// The returned slice also contains bytes of other arrays if the file format interleaves
    /// arrays. The returned slice is empty for arrays whose items are computed and not stored in
    /// the file.
    fn as_bytes<'b>(&self) -> &'b [u8]
    where
        Self: 'b,
    {
        &[]
    }

    /// Returns the offset of item `index` in the slice from [`as_bytes`](Self::as_bytes), in bytes.
    ///
    /// Returns 0 if the array stores no bytes in the file.
    fn byte_offset(&self, index: usize) -> usize {
        let _ = index;
        0
    }

    /// Adds the bytes of item `index` to a list of bytes that are prefetched together.
    ///
    /// Adds nothing if `index` is out of range or the array stores no bytes in the file.
    fn list_item<'b>(&self, index: usize, list: &mut PrefetchList<'b>)
    where
        Self: 'b,
    {
        if index < self.len() {
            let range = self.byte_offset(index)..self.byte_offset(index.saturating_add(1));
            let bytes = self.as_bytes();
            list.push(bytes.get(range.clone()).or_else(|| bytes.get(range.start..)).unwrap_or_default());
        }
    }

    /// Prefetches the cache line of the first byte of item `index` into the caches of the
    /// processor, and does not wait for it.
    ///
    /// A later [`get`](Self::get) then does not wait for the memory. Call it 16 to 32 items before
    /// `get`: the processor then loads these items while it decodes others.
    /// [`gather`](Self::gather) does this for the items of one array. If the items are on the disk
    /// and not in memory, request them with a [`PrefetchList`] first.
    ///
    /// Does nothing if `index` is out of range, if the array stores no bytes in the file, or if the
    /// target is not x86-64.
    #[inline]
    fn prefetch_to_cache(&self, index: usize) {
        simd::prefetch_lines(self.as_bytes().get(self.byte_offset(index)..).unwrap_or_default(), 1);
    }

    /// Returns whether the array has no items.
    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Advises the operating system that all bytes of the array will soon be read in order
    /// ([`io::prefetch`]).
    #[inline]
    fn prefetch(&self) {
        io::prefetch(self.as_bytes());
    }

    /// Returns the items of the array as a slice, without decoding or copying them, or `None` if
    /// the file does not store the items as values of the type `T`.
    ///
    /// `T` is `[f32; N]` for floats, `u8`, `u16` or `u32` for indices, and `[u8; 4]` for colours in
    /// the order red, green, blue, alpha. The file stores the items as `T` if each item takes the
    /// bytes of one `T`, in the byte order of the machine, at an address that is aligned for `T`,
    /// and without gaps between the items. The alignment depends on the file and on the memory into
    /// which the file is read, so a program needs other code for `None`, such as
    /// [`decode_into`](Self::decode_into).
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    ///
    /// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let indices = mesh.surface(0)?.indices()?;
    /// assert_eq!(indices.as_slice::<u8>().map(<[u8]>::len), Some(36));
    /// assert_eq!(indices.as_slice::<u32>(), None); // the file stores bytes
    /// # Ok(())
    /// # }
    /// ```
    fn as_slice<'b, T: Pod>(&self) -> Option<&'b [T]>
    where
        Self: 'b,
    {
        None
    }

    /// Splits the array into `count` consecutive parts, without decoding an item. The parts can be
    /// read by several threads.
    ///
    /// The lengths of the parts differ by at most 1, and the longer parts come first. If `count` is
    /// greater than [`len`](Self::len), the last parts are empty. If `count` is 0, there are no
    /// parts.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    ///
    /// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let indices = mesh.surface(0)?.indices()?;
    /// let sum = std::thread::scope(|scope| {
    ///     let parts = indices.parts(4);
    ///     let threads: Vec<_> = parts.map(|part| scope.spawn(move || part.iter().sum::<u32>())).collect();
    ///     threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u32>()
    /// });
    /// assert_eq!(sum, indices.iter().sum::<u32>());
    /// # Ok(())
    /// # }
    /// ```
    fn parts(
        &self,
        count: usize,
    ) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + FusedIterator + Clone + use<Self> {
        split(*self, count, 1)
    }

    /// Returns an iterator that decodes all items of the array in order, one at a time.
    ///
    /// The iterator [prefetches](Self::prefetch) the items in growing steps.
    #[inline]
    fn iter(&self) -> ArrayIter<Self> {
        ArrayIter::new(*self)
    }

    /// Prefetches the array, and returns a parallel iterator of `rayon` over the items that
    /// [`iter`](Self::iter) returns, in the same order.
    ///
    /// Each thread decodes consecutive items. For an enum of several encodings, a thread selects
    /// the encoding once for each 1,024 items. An item that [`get`](Self::get) does not return,
    /// although its index is below [`len`](Self::len), is zero.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    /// use rayon::iter::{IndexedParallelIterator, ParallelIterator};
    ///
    /// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let indices = mesh.surface(0)?.indices()?;
    /// assert_eq!(indices.par_iter().max(), indices.iter().max());
    /// assert_eq!(indices.par_iter().len(), indices.len());
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "rayon")]
    fn par_iter(&self) -> impl rayon::iter::IndexedParallelIterator<Item = Self::Item> + use<Self>
    where
        Self: Send,
        Self::Item: Send,
    {
        self.prefetch();
        crate::array::par_iter::ParallelArray(*self)
    }

    /// Decodes all items in order and combines them into one value, like [`Iterator::fold`]. For an
    /// enum of several encodings, `fold` selects the encoding once and not for each item.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(&self, first: B, fold: F) -> B {
        (0..self.len()).map_while(|index| self.get(index)).fold(first, fold)
    }

    /// Decodes all items in reverse order and combines them into one value, like
    /// [`DoubleEndedIterator::rfold`]. For an enum of several encodings, `rfold` selects the
    /// encoding once and not for each item.
    #[doc(hidden)]
    #[inline]
    fn rfold<B, F: FnMut(B, Self::Item) -> B>(&self, last: B, fold: F) -> B {
        (0..self.len()).rev().map_while(|index| self.get(index)).fold(last, fold)
    }

    /// Prefetches the array, decodes all items in order, and passes each item to `visit`.
    #[inline]
    fn for_each(&self, mut visit: impl FnMut(Self::Item)) {
        if Self::PREFETCHED {
            self.prefetch();
        }
        self.fold((), |(), item| visit(item));
    }

    /// Decodes items into `out`, up to the shorter of the lengths of the array and of `out`.
    ///
    /// `fill` does not prefetch the array.
    #[doc(hidden)]
    #[inline]
    fn fill(&self, out: &mut [Self::Item]) {
        let mut places = out.iter_mut();
        self.fold((), |(), item| {
            if let Some(place) = places.next() {
                *place = item;
            }
        });
    }

    /// Prefetches the array and decodes all items into `out`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) if the length of `out` is not
    /// exactly [`len`](Self::len).
    fn decode_into(&self, out: &mut [Self::Item]) -> Result<()> {
        bulk::check_length(out, self.len())?;
        self.prefetch();
        self.fill(out);
        Ok(())
    }

    /// Prefetches the array and decodes all items into a new vector.
    ///
    /// On Linux, the memory of a vector of 128 KiB or more is requested at once. Otherwise the
    /// operating system would provide it page by page while it is filled, which takes longer than
    /// most arrays take to decode. Use [`decode_into`](Self::decode_into) to fill memory that the
    /// program has already, which is faster still.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    ///
    /// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let positions: Vec<[f32; 3]> = mesh.surface(0)?.positions()?.to_vec();
    /// assert_eq!(positions.len(), 8);
    /// # Ok(())
    /// # }
    /// ```
    fn to_vec(&self) -> Vec<Self::Item> {
        self.prefetch();
        to_vec(self)
    }

    /// Decodes the items with the given indices into `out`, in the order of `indices`.
    ///
    /// Items that are not in memory are requested from the disk at once, in the order of the file
    /// ([`PrefetchList`]). Items that are in memory are [prefetched to the
    /// cache](Self::prefetch_to_cache) before they are decoded. Reading many items of a large file
    /// is then several times as fast as with [`get`](Self::get), which waits for the disk or the
    /// memory at each item.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) if `indices` and `out` have
    /// different lengths, and [`ErrorKind::NoSuch`](crate::error::ErrorKind::NoSuch) if an index is
    /// out of range.
    fn gather(&self, indices: &[u32], out: &mut [Self::Item]) -> Result<()> {
        bulk::check_length(out, indices.len())?;
        PrefetchList::prefetch_items(indices.len(), |item, list| {
            indices.get(item).into_iter().for_each(|index| self.list_item(as_index(*index), list));
        });
        bulk::gather(self.len(), indices, out, |index| self.prefetch_to_cache(index), |index| self.get(index))
    }

    /// Prefetches the array and returns its decoded items in chunks of up to 8 KiB.
    ///
    /// Decoding in chunks is as fast as [`decode_into`](Self::decode_into) and does not allocate
    /// memory.
    ///
    /// A call of `chunks` does not compile if the size of an item is 0 or more than 8 KiB.
    #[inline]
    fn chunks(&self) -> Chunks<Self> {
        const {
            assert!(
                ChunkBuffer::capacity::<Self::Item>() > 0,
                "an item must have 1 to 8192 bytes and an alignment of at most 64"
            );
        };
        self.prefetch();
        Chunks::new(*self)
    }

    /// Decodes all items in [`chunks`](Self::chunks), and passes each chunk to `visit` with the
    /// array index of the chunk's first item.
    ///
    /// The closure `visit` may overwrite the items of the chunk, because they are a copy of the
    /// file's data.
    fn for_each_chunk(&self, mut visit: impl FnMut(usize, &mut [Self::Item])) {
        let mut chunks = self.chunks();
        loop {
            let first = self.len().saturating_sub(chunks.remaining());
            let Some(items) = chunks.next() else { return };
            visit(first, items);
        }
    }

    /// Returns the bounding box of all positions.
    ///
    /// `bounds` reads the bytes of the array once and allocates no memory. NaN coordinates are
    /// ignored. Returns [`Bounds::EMPTY`] if the array is empty, or if all x, all y or all z
    /// coordinates are NaN.
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

/// Implements `Clone`, `Copy`, `Debug` and `IntoIterator` for an array type that is generic over
/// its decoder.
///
/// The derive macros of `Clone`, `Copy` and `Debug` would require that the raw record type
/// implements these traits too.
macro_rules! impl_view {
    ($array:ident, $decode:ident) => {
        #[allow(
            clippy::expl_impl_clone_on_copy,
            reason = "a derived `Clone` would require that the raw record is `Clone`"
        )]
        impl<D: $decode> Clone for $array<'_, D> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<D: $decode> Copy for $array<'_, D> {}

        crate::array::iter::impl_into_iter!(['a, D: $decode] $array<'a, D>);

        crate::error::debug::short_debug!(['a, D: $decode] $array<'a, D>: |array| (
            crate::error::debug::item_count::<<Self as Array>::Item>(array.len())
        ));
    };
}
pub(super) use impl_view;

#[cfg(test)]
mod tests {
    use std::fmt;

    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::array::{Consecutive, CornerArray, Packed, Strided};
    use crate::decode::endian::ByteOrder;
    use crate::decode::{EndianFloats, EndianIndex, Packed32, PolygonIndices, PolygonUvs};

    /// An array that is not to be prefetched.
    #[derive(Clone, Copy)]
    struct Few;

    impl Array for Few {
        type Item = u32;

        const PREFETCHED: bool = false;

        fn len(&self) -> usize {
            3
        }

        fn get(&self, index: usize) -> Option<u32> {
            u32::try_from(index).ok().filter(|index| *index < 3)
        }

        fn slice(&self, _: Range<usize>) -> Option<Self> {
            None
        }

        fn as_bytes<'b>(&self) -> &'b [u8]
        where
            Self: 'b,
        {
            panic!("the array is prefetched")
        }

        fn byte_offset(&self, _: usize) -> usize {
            0
        }
    }

    #[test]
    fn arrays_of_few_items_are_not_prefetched() {
        let mut sum = 0;
        Few.for_each(|item| sum += item);
        assert_eq!(sum, 3);
    }

    /// Checks that every method that reads an array returns the same items as `get`.
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
            // All test bytes are less than 64. With bytes less than 64, no test float is a NaN, and
            // all test polygons have vertex indices in range.
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
