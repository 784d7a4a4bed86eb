//! Decodes and converts whole arrays into an output slice that the caller provides.

use zerocopy::IntoBytes;

use crate::array::chunk_buffer::ChunkBuffer;
use crate::decode::codec::{Decode, one_by_one};
use crate::decode::convert::OutputFormat;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::simd::{LINE, PastCache};

/// Minimum size of an output slice that is written with stores that bypass the processor's cache,
/// in bytes.
///
/// The last-level cache of most machines cannot hold an output slice of 32 MiB or more. If the
/// cache does hold the output slice, stores that bypass the cache take twice the time of ordinary
/// stores.
const MIN_BYTES_PAST_CACHE: usize = 32 << 20;

/// Minimum number of values for which [`decode_cached`] aligns its output address to a cache line.
const MIN_VALUES_TO_ALIGN: usize = 256;

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

/// Returns whether an output slice is written with stores that bypass the cache.
pub(crate) fn is_past_cache<V>(out: &[V]) -> bool {
    size_of_val(out) >= MIN_BYTES_PAST_CACHE
}

/// Decodes raw records into an output slice of the same length. If the output slice has 32 MiB or
/// more, the stores bypass the cache.
pub(crate) fn decode<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
    if is_past_cache(out) { decode_past_cache(decode, raw, out) } else { decode_cached(decode, raw, out) }
}

/// Decodes raw records into an output slice that is too large for the caches of the processor.
///
/// Each chunk of 8 KiB is decoded into a buffer in the first-level cache, and then copied to the
/// output slice with stores that bypass all caches.
pub(crate) fn decode_past_cache<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
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
        past_cache.store(bytemuck::cast_slice_mut(out), bytemuck::cast_slice(values), next);
    }
}

/// Decodes raw records into an output slice with ordinary stores.
///
/// The first few values are decoded separately, to align the address of the remaining output to a
/// cache line. Aligning the output address to a cache line saves time, because a store across two
/// cache lines takes as long as two stores.
pub(crate) fn decode_cached<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
    let misplaced = out.as_ptr().addr() % LINE;
    let begins = |count: &usize| misplaced.wrapping_add(count.wrapping_mul(size_of::<D::Value>())) % LINE == 0;
    let first = if raw.len() < MIN_VALUES_TO_ALIGN { 0 } else { (0..LINE / 4).find(begins).unwrap_or(0) };
    if let Some(((first_raw, raw), (first, out))) = raw.split_at_checked(first).zip(out.split_at_mut_checked(first)) {
        one_by_one(first_raw, first, |raw| decode.decode(raw));
        decode.decode_all(raw, out);
    }
}

/// Converts decoded values to an output format, one chunk at a time, and writes them to the output
/// slice `out`.
pub(crate) struct Converter<'a, F: OutputFormat<N>, const N: usize> {
    format: F,
    out: &'a mut [[F::Component; N]],
    past_cache: Option<PastCache>,
    buffer: ChunkBuffer,
}

impl<'a, F: OutputFormat<N>, const N: usize> Converter<'a, F, N> {
    /// # Errors
    ///
    /// Returns [`ErrorKind::Buffer`] if the length of `out` is not exactly `count`.
    ///
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    pub(crate) fn new(format: F, out: &'a mut [[F::Component; N]], count: usize) -> Result<Self> {
        check_length(out, count)?;
        let past_cache = is_past_cache(out).then(PastCache::new);
        Ok(Self { format, out, past_cache, buffer: ChunkBuffer::EMPTY })
    }

    /// Converts a chunk of values and writes the converted values to `out`, starting at index
    /// `first`.
    ///
    /// `values` is also used as scratch memory, and its content is overwritten.
    pub(crate) fn put(&mut self, first: usize, values: &mut [[f32; N]]) {
        let out = self.out.get_mut(first..).unwrap_or_default();
        let step = ChunkBuffer::capacity::<[F::Component; N]>();
        let Some(past_cache) = self.past_cache.as_ref().filter(|_| step > 0) else {
            self.format.convert_all(values, out);
            return;
        };
        for (values, out) in values.chunks_mut(step).zip(out.chunks_mut(step)) {
            let converted = self.buffer.values().get_mut(..values.len()).unwrap_or_default();
            self.format.convert_all(values, converted);
            past_cache.store(bytemuck::cast_slice_mut(out), bytemuck::cast_slice(converted), &[]);
        }
    }
}
