//! The blocks in which vertices and indices are written, and the ways in which their bytes leave
//! this crate.

use std::mem::MaybeUninit;
use std::ops::Range;

use bytemuck::Pod;

use super::input::Picks;
use super::interleave::MAX_VERTICES;
use crate::array::bulk;
use crate::array::bulk::{CHUNK_BYTES, ChunkBuffer};
use crate::decode::stream::{copy_past_cache, is_past_cache};
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::model::{Corner, IndexStream};
use crate::simd::{PastCache, UninitBytes, kernel};

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

/// The vertices of a block.
pub(super) struct Block<'o> {
    range: Range<usize>,
    /// The corners of the vertices, if the surface is welded.
    corners: Option<&'o [Corner]>,
    /// The indices of the positions and of the attributes of the corners, if `is_split`.
    streams: Option<[Stream; 2]>,
    is_split: bool,
}

/// The indices of a block of welded vertices in one index stream.
#[derive(Clone, Copy)]
struct Stream {
    indices: [u32; MAX_VERTICES],
    /// The first index, if each index is the one before it plus 1.
    start: Option<usize>,
}

impl<'o> Block<'o> {
    /// Makes a block without vertices.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the memory must not be moved")]
    pub(super) const fn new() -> Self {
        Self { range: 0..0, corners: None, streams: None, is_split: false }
    }

    /// Moves to the vertices in `range`, of at most [`MAX_VERTICES`].
    pub(super) fn move_to(&mut self, range: Range<usize>, order: Option<&'o [Corner]>) {
        self.corners = order.map(|order| order.get(range.clone()).unwrap_or_default());
        self.is_split = false;
        self.range = range;
    }

    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    /// Returns the corners of the vertices, or `None` if the surface is not welded.
    pub(super) const fn corners(&self) -> Option<&'o [Corner]> {
        self.corners
    }

    /// Returns the number of the first vertex.
    pub(super) const fn start(&self) -> usize {
        self.range.start
    }

    /// Returns the indices of the items of the vertices in an index stream.
    pub(super) fn picks(&mut self, stream: IndexStream) -> Picks<'_> {
        let Some(corners) = self.corners else {
            return Picks::Range(self.range.start, self.range.end);
        };
        let [positions, attributes] = self.streams.get_or_insert_with(Stream::pair);
        if !std::mem::replace(&mut self.is_split, true) {
            split(corners, &mut positions.indices, &mut attributes.indices);
            positions.find_start(corners.len());
            attributes.find_start(corners.len());
        }
        let Stream { indices, start } = match stream {
            IndexStream::Positions => positions,
            IndexStream::Attributes => attributes,
        };
        match start {
            Some(start) => Picks::Range(*start, start.saturating_add(corners.len())),
            None => Picks::List(indices.get(..corners.len()).unwrap_or_default()),
        }
    }

    /// Returns the index of the position of vertex `number` of the block.
    pub(super) fn position(&self, number: usize) -> u32 {
        match self.corners {
            Some(corners) => corners.get(number).map_or(u32::MAX, |corner| corner.position),
            None => u32::try_from(self.range.start.saturating_add(number)).unwrap_or(u32::MAX),
        }
    }
}

impl Stream {
    /// Makes the memory of two streams.
    const fn pair() -> [Self; 2] {
        [Self { indices: [0; MAX_VERTICES], start: None }; 2]
    }

    /// Finds out whether each of the first `count` indices is the one before it plus 1.
    fn find_start(&mut self, count: usize) {
        let indices = self.indices.get(..count).unwrap_or_default();
        let span = indices.first().zip(indices.last()).map(|(first, last)| as_index(last.wrapping_sub(*first)));
        // The span excludes nearly all lists that do not follow each other, without a loop.
        let follow = span.is_some_and(|span| span == count.saturating_sub(1)) && follow_each_other(indices);
        self.start = indices.first().filter(|_| follow).map(|index| as_index(*index));
    }
}

kernel! {
    /// Copies both indices of each corner.
    fn split(corners: &[Corner], positions: &mut [u32; MAX_VERTICES], attributes: &mut [u32; MAX_VERTICES]) {
        for ((position, attribute), corner) in positions.iter_mut().zip(attributes).zip(corners) {
            (*position, *attribute) = (corner.position, corner.attribute);
        }
    }
}

kernel! {
    fn follow_each_other(indices: &[u32]) -> bool {
        let pairs = indices.iter().zip(indices.get(1..).unwrap_or_default());
        pairs.fold(true, |all, (one, next)| all & (next.wrapping_sub(*one) == 1))
    }
}

/// `BYTES` bytes that are aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Buffer<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Buffer<BYTES> {
    pub(super) const EMPTY: Self = Self([0; BYTES]);

    /// Returns the first `count` values of the buffer, or `None` if it has room for fewer.
    #[inline]
    pub(super) fn values<V: Pod>(&mut self, count: usize) -> Option<&mut [V]> {
        bytemuck::try_cast_slice_mut(self.0.get_mut(..count.checked_mul(size_of::<V>())?)?).ok()
    }
}

/// Calls `write` with the `SIZE` bytes at `offset` of each vertex, and with the next of `items`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the loop must be compiled for each size")]
pub(super) fn for_each_place<I, const SIZE: usize>(
    vertices: &mut [u8],
    stride: usize,
    offset: usize,
    mut items: impl Iterator<Item = I>,
    write: impl Fn(&mut [u8; SIZE], I),
) {
    // A chunk starts at a place instead of at a vertex, so the compiler checks the length of all
    // chunks once. The last place is in the rest, unless the offset is 0.
    let mut places = vertices.get_mut(offset..).unwrap_or_default().chunks_exact_mut(stride);
    for (place, item) in places.by_ref().zip(items.by_ref()) {
        if let Some(place) = place.first_chunk_mut() {
            write(place, item);
        }
    }
    if let Some((place, item)) = places.into_remainder().first_chunk_mut().zip(items.next()) {
        write(place, item);
    }
}
