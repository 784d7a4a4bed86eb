//! Decodes and converts whole arrays into an output slice that the caller provides.

use zerocopy::IntoBytes;

use crate::array::chunk_buffer::ChunkBuffer;
use crate::decode::codec::{Decode, one_by_one};
use crate::decode::convert::OutputFormat;
use crate::decode::stream::{copy_past_cache, is_past_cache};
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::simd::LINE;

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

/// Decodes raw records into an output slice of the same length.
///
/// The first few values are decoded separately, to align the address of the remaining output to a
/// cache line. Aligning the output address to a cache line saves time, because a store across two
/// cache lines takes as long as two stores. Stores that bypass the cache write whole lines only.
pub(crate) fn decode<D: Decode>(decode: D, raw: &[D::Raw], out: &mut [D::Value]) {
    let misplaced = out.as_ptr().addr() % LINE;
    let begins = |count: &usize| misplaced.wrapping_add(count.wrapping_mul(size_of::<D::Value>())) % LINE == 0;
    let first = if raw.len() < MIN_VALUES_TO_ALIGN { Some(0) } else { (0..LINE).find(begins) };
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
    let next = raw.chunks(room.len()).skip(1).map(IntoBytes::as_bytes).chain(std::iter::once(&[][..]));
    for ((raw, out), next) in raw.chunks(room.len()).zip(out.chunks_mut(room.len())).zip(next) {
        let values = room.get_mut(..raw.len()).unwrap_or_default();
        decode.decode_all(raw, values);
        copy_past_cache(bytemuck::cast_slice_mut(out), bytemuck::cast_slice(values), next);
    }
}

/// Converts decoded values to an output format, one chunk at a time, and writes them to the output
/// slice `out`.
pub(crate) struct Converter<'a, F: OutputFormat<N>, const N: usize> {
    format: F,
    out: &'a mut [[F::Component; N]],
    is_past_cache: bool,
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
        let is_past_cache = is_past_cache(out);
        Ok(Self { format, out, is_past_cache, buffer: ChunkBuffer::EMPTY })
    }

    /// Converts a chunk of values and writes the converted values to `out`, starting at index
    /// `first`.
    ///
    /// `values` is also used as scratch memory, and its content is overwritten.
    pub(crate) fn put(&mut self, first: usize, values: &mut [[f32; N]]) {
        let out = self.out.get_mut(first..).unwrap_or_default();
        let step = ChunkBuffer::capacity::<[F::Component; N]>();
        if !self.is_past_cache || step == 0 {
            self.format.convert_all(values, out);
            return;
        }
        for (values, out) in values.chunks_mut(step).zip(out.chunks_mut(step)) {
            let converted = self.buffer.values().get_mut(..values.len()).unwrap_or_default();
            self.format.convert_all(values, converted);
            copy_past_cache(bytemuck::cast_slice_mut(out), bytemuck::cast_slice(converted), &[]);
        }
    }
}
