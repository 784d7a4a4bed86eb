//! Indices of 8, 16 or 32 bits, widened exactly.
//!
//! Files that store signed 32-bit indices have no use for negative ones: those widen to numbers above any count, so
//! that they are out of range like every other bad index.

use std::marker::PhantomData;

use zerocopy::little_endian::{U16, U32};

use super::Decode;

/// Decodes an index stored as a `W`: `u8`, or a little-endian `U16` or `U32`.
#[derive(Debug)]
pub struct Index<W>(PhantomData<fn() -> W>);

impl<W> Index<W> {
    /// Makes the decoder.
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
}

impl Decode for Index<U16> {
    type Raw = U16;
    type Value = u32;

    #[inline]
    fn decode(&self, raw: &U16) -> u32 {
        u32::from(raw.get())
    }
}

impl Decode for Index<U32> {
    type Raw = U32;
    type Value = u32;

    #[inline]
    fn decode(&self, raw: &U32) -> u32 {
        raw.get()
    }
}
