//! Decoders of indices that are stored in 8, 16 or 32 bits. The decoded indices are `u32`.
//!
//! Some files store signed 32-bit indices. In a file with signed indices, a negative index has no
//! meaning. A negative index is decoded as a `u32` of 2^31 or more, which is out of range for every
//! array of vertices.

use std::marker::PhantomData;

use bytemuck::Pod;
use zerocopy::IntoBytes;
use zerocopy::little_endian::{U16, U32};

use crate::decode::codec::{Decode, cast, one_by_one};
use crate::decode::endian::ByteOrder;
use crate::decode::stream::{copy, in_blocks};
use crate::simd::kernel;

/// Decodes an index that is stored as an integer of the type `W`.
///
/// The type `W` is `u8`, or a little-endian `U16` or `U32`.
#[derive(Debug)]
pub struct Index<W>(PhantomData<fn() -> W>);

impl<W> Index<W> {
    /// Creates a decoder of indices.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<W> Default for Index<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W> Clone for Index<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Index<W> {}

impl Decode for Index<u8> {
    type Raw = u8;
    type Value = u32;

    #[inline]
    fn decode(&self, raw: &u8) -> u32 {
        u32::from(*raw)
    }

    fn decode_all(&self, raw: &[u8], out: &mut [u32]) {
        widen_bytes(raw, out);
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [u8]) -> Option<&'a [T]> {
        cast::<u8, T, _>(raw, ByteOrder::NATIVE)
    }
}

impl Decode for Index<U16> {
    type Raw = U16;
    type Value = u32;

    #[inline]
    fn decode(&self, raw: &U16) -> u32 {
        u32::from(raw.get())
    }

    fn decode_all(&self, raw: &[U16], out: &mut [u32]) {
        widen_words(raw, out);
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [U16]) -> Option<&'a [T]> {
        cast::<u16, T, _>(raw, ByteOrder::Little)
    }
}

impl Decode for Index<U32> {
    type Raw = U32;
    type Value = u32;

    #[inline]
    fn decode(&self, raw: &U32) -> u32 {
        raw.get()
    }

    fn decode_all(&self, raw: &[U32], out: &mut [u32]) {
        if cfg!(target_endian = "little") {
            // On a little-endian machine, the indices of the file are copied byte for byte.
            let count = raw.len().min(out.len());
            let raw = raw.get(..count).unwrap_or_default().as_bytes();
            copy(raw, bytemuck::cast_slice_mut(out.get_mut(..count).unwrap_or_default()));
        } else {
            out.iter_mut().zip(raw).for_each(|(value, raw)| *value = raw.get());
        }
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [U32]) -> Option<&'a [T]> {
        cast::<u32, T, _>(raw, ByteOrder::Little)
    }
}

kernel! {
    /// Converts indices of 8 bits to indices of 32 bits.
    fn widen_bytes(raw: &[u8], out: &mut [u32]) {
        in_blocks::<Store, _, _, 64>(raw, out, |raw, out| one_by_one(raw, out, |raw| u32::from(*raw)));
    }
}

kernel! {
    /// Converts indices of 16 bits to indices of 32 bits.
    fn widen_words(raw: &[U16], out: &mut [u32]) {
        in_blocks::<Store, _, _, 64>(raw, out, |raw, out| one_by_one(raw, out, |raw| u32::from(raw.get())));
    }
}
