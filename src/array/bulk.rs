//! Decodes and converts whole arrays into an output slice that the caller provides, into new
//! memory, or in chunks that fit in the first-level cache of the processor. Reading values from
//! this cache does not wait for main memory.

use std::fmt;

use bytemuck::Pod;
use zerocopy::IntoBytes;

use crate::array::access::Array;
use crate::decode::codec::{Decode, one_by_one};
use crate::decode::convert::OutputFormat;
use crate::decode::stream::{copy_past_cache, is_past_cache};
use crate::error::{Cause, Error, Field, Result};
use crate::io;
use crate::math::{as_index, as_u64};
use crate::simd::{LINE, PastCache};

/// Minimum number of values for which [`decode`] aligns its output address to a cache line.
const MIN_VALUES_TO_ALIGN: usize = 256;
/// The number of bytes of new memory that are requested and filled at once. They are still in the
/// cache when they are filled, because the operating system has just filled them with zeros.
const NEW_BYTES: usize = 256 << 10;

/// Returns [`ErrorKind::Buffer`] if `out` does not have exactly `count` items.
///
/// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
pub(crate) fn check_length<V>(out: &[V], count: usize) -> Result<()> {
    if out.len() == count {
        return Ok(());
    }
    let kind = Cause::Buffer { needed: as_u64(count), given: as_u64(out.len()) };
    Err(Error::without_offset("array", Field::new("out"), kind))
}

/// Returns the error for an index of an item that is not below `count`, the number of items.
#[cold]
pub(crate) fn no_such_item(count: usize, index: u32) -> Error {
    let kind = Cause::NoSuch { count: as_u64(count), index: index.into() };
    Error::without_offset("array", Field::new("indices"), kind)
}

/// The number of items that [`gather`] prefetches to the cache before it reads the first of them.
const ITEMS_AHEAD: usize = 32;

/// Writes the items with the given indices to `out`, up to the shorter of the two lengths. `read`
/// decodes an item, and `prefetch` prefetches it to the cache before.
///
/// # Errors
///
/// Returns [`no_such_item`] of an array with `count` items if `read` returns no item.
pub(crate) fn gather<V>(
    count: usize,
    indices: &[u32],
    out: &mut [V],
    prefetch: impl Fn(usize),
    read: impl Fn(usize) -> Option<V>,
) -> Result<()> {
    let mut ahead = indices.iter().map(|index| as_index(*index));
    ahead.by_ref().take(ITEMS_AHEAD).for_each(&prefetch);
    indices.iter().zip(out).try_for_each(|(index, out)| {
        ahead.next().into_iter().for_each(&prefetch);
        *out = read(as_index(*index)).ok_or_else(|| no_such_item(count, *index))?;
        Ok(())
    })
}

/// Returns the number of values before the first value that starts at a cache line.
fn values_to_line<V>(out: &[V]) -> Option<usize> {
    let misplaced = out.as_ptr().addr() % LINE;
    (0..LINE).find(|count| misplaced.wrapping_add(count.wrapping_mul(size_of::<V>())) % LINE == 0)
}

/// Decodes raw records into an output slice of the same length.
///
/// The first few values are decoded separately, to align the address of the remaining output to a
/// cache line. Aligning the output address to a cache line saves time, because a store across two
/// cache lines takes as long as two stores. Stores that bypass the cache write whole lines only.
pub(crate) fn decode<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
    let first = if raw.len() < MIN_VALUES_TO_ALIGN { Some(0) } else { values_to_line(out) };
    match first {
        Some(first) => {
            if let Some(((first_raw, raw), (first, out))) =
                raw.split_at_checked(first).zip(out.split_at_mut_checked(first))
            {
                one_by_one(first_raw, first, |raw| decode.decode(raw));
                decode.decode_all(raw, out);
            }
        }
        None if is_past_cache(out) => decode_in_chunks(decode, raw, out),
        None => decode.decode_all(raw, out),
    }
}

/// Decodes raw records into an output slice that is too large for the caches of the processor, and
/// in which no value starts at a cache line.
///
/// Each chunk of 8 KiB is decoded into a buffer in the first-level cache, and then copied to the
/// output slice with stores that bypass all caches.
pub(crate) fn decode_in_chunks<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
    let mut buffer = ChunkBuffer::EMPTY;
    let room = buffer.values::<D::Value>();
    if room.is_empty() {
        decode.decode_all(raw, out);
        return;
    }
    let past_cache = PastCache::new();
    let next = raw.chunks(room.len()).skip(1).map(IntoBytes::as_bytes).chain(std::iter::once(&[][..]));
    for ((raw, out), next) in raw.chunks(room.len()).zip(out.chunks_mut(room.len())).zip(next) {
        let values = room.get_mut(..raw.len()).unwrap_or_default();
        decode.decode_all(raw, values);
        copy_past_cache(&past_cache, bytemuck::cast_slice_mut(out), bytemuck::cast_slice(values), next);
    }
}

/// Maximum number of values that are converted at a time if the stores bypass the cache.
///
/// The values are a multiple of 64, so that a block of converted values fills whole cache lines. A
/// block is small, because main memory is idle while a block is decoded and converted.
const MAX_VALUES_PAST_CACHE: usize = 256;

/// Decodes raw records, converts the values to an output format, and writes them to an output slice
/// of the same length. If the output slice has 32 MiB or more, the stores bypass the cache.
pub(crate) fn decode_as<D: Decode<Value = [f32; N]>, F: OutputFormat<N>, const N: usize>(
    decode: D,
    format: F,
    raw: &[D::Raw],
    out: &mut [[F::Component; N]],
) {
    let [mut values, mut converted] = [ChunkBuffer::EMPTY; 2];
    let (values, converted) = (values.values::<[f32; N]>(), converted.values::<[F::Component; N]>());
    let past_cache = is_past_cache(out).then(PastCache::new);
    let step = if past_cache.is_some() { values.len().min(MAX_VALUES_PAST_CACHE) } else { values.len() };
    let head = if past_cache.is_some() { values_to_line(out).unwrap_or(0) } else { 0 };
    let Some(((first_raw, raw), (first, out))) = raw.split_at_checked(head).zip(out.split_at_mut_checked(head)) else {
        return;
    };
    one_by_one(first_raw, first, |raw| format.convert(decode.decode(raw)));
    if step == 0 || converted.is_empty() {
        one_by_one(raw, out, |raw| format.convert(decode.decode(raw)));
        return;
    }
    let next = raw.chunks(step).skip(1).map(IntoBytes::as_bytes).chain(std::iter::once(&[][..]));
    for ((raw, out), next) in raw.chunks(step).zip(out.chunks_mut(step)).zip(next) {
        let values = values.get_mut(..raw.len()).unwrap_or_default();
        decode.decode_all(raw, values);
        if let Some(past_cache) = &past_cache {
            let converted = converted.get_mut(..raw.len()).unwrap_or_default();
            format.convert_all(values, converted);
            copy_past_cache(past_cache, bytemuck::cast_slice_mut(out), bytemuck::cast_slice(converted), next);
        } else {
            format.convert_all(values, out);
        }
    }
}

/// Decodes all items of an array into a new vector.
pub(crate) fn to_vec<A: Array>(array: &A) -> Vec<A::Item> {
    let mut list = bytemuck::zeroed_vec(array.len());
    let step = NEW_BYTES.checked_div(size_of::<A::Item>()).unwrap_or(usize::MAX).max(1);
    for (number, out) in list.chunks_mut(step).enumerate() {
        let start = number.saturating_mul(step);
        if let Some(items) = array.slice(start..start.saturating_add(out.len())) {
            io::populate(out);
            items.fill(out);
        }
    }
    list
}

/// Maximum size of a chunk of values in bytes: a quarter of a first-level cache of 32 KiB.
///
/// The other three quarters of the first-level cache have room for the encoded bytes of the chunk
/// and for a chunk of converted values.
pub(crate) const CHUNK_BYTES: usize = 8 << 10;

/// A buffer for one chunk of values, aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ChunkBuffer([u8; CHUNK_BYTES]);

impl ChunkBuffer {
    pub(crate) const EMPTY: Self = Self([0; CHUNK_BYTES]);

    /// Returns the maximum number of values of type `V` in a chunk.
    ///
    /// If more than 16 values fit in a chunk, the returned number is a multiple of 16, because 16
    /// values usually fill whole cache lines of 64 bytes. Returns 0 if the size of `V` is 0 or more
    /// than 8 KiB.
    pub(crate) const fn capacity<V>() -> usize {
        let fits = match CHUNK_BYTES.checked_div(size_of::<V>()) {
            Some(fits) if align_of::<V>() <= align_of::<Self>() => fits,
            _ => 0,
        };
        if fits > 16 { fits.saturating_sub(fits % 16) } else { fits }
    }

    /// Returns the whole buffer as a mutable slice of values of type `V`.
    #[inline]
    pub(crate) fn values<V: Pod>(&mut self) -> &mut [V] {
        let bytes = Self::capacity::<V>().saturating_mul(size_of::<V>());
        let room = self.0.get_mut(..bytes).filter(|room| !room.is_empty());
        room.and_then(|room| bytemuck::try_cast_slice_mut(room).ok()).unwrap_or_default()
    }
}

/// Decodes the items of an array in chunks of up to 8 KiB.
///
/// Each chunk is borrowed from the buffer of this `Chunks` value until the next chunk is decoded.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
///
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let mut chunks = mesh.surface(0)?.indices()?.chunks();
/// let mut count = 0;
/// while let Some(values) = chunks.next() {
///     count += values.len();
/// }
/// assert_eq!(count, 36);
/// # Ok(())
/// # }
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
    #[inline]
    pub(super) const fn new(array: A) -> Self {
        Self { rest: array, buffer: ChunkBuffer::EMPTY }
    }

    /// Returns the number of items that the method `next` has not decoded yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Decodes the next chunk of items, or returns `None` after the last chunk.
    ///
    /// All chunks have the same number of items, except that the last chunk may be shorter.
    #[allow(clippy::should_implement_trait, reason = "an `Iterator` cannot return items that borrow from it")]
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
