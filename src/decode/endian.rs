//! Decoders of `f32`, `u32` and `u16` values whose byte order depends on the file: little-endian or
//! big-endian.
//!
//! The values may be at any address, also an unaligned one, and decoding is exact.

use bytemuck::Pod;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::codec::{Decode, cast, each};

/// The byte order of the numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ByteOrder {
    /// Little-endian: the least significant byte comes first.
    #[default]
    Little,
    /// Big-endian: the most significant byte comes first.
    Big,
}

/// The four bytes of an `f32` or `u32`, in the byte order of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct RawWord(pub [u8; 4]);

impl ByteOrder {
    /// The byte order of the machine.
    pub(crate) const NATIVE: Self = if cfg!(target_endian = "little") { Self::Little } else { Self::Big };

    /// Decodes four bytes in this byte order to a float.
    #[inline]
    #[must_use]
    pub fn f32(self, word: RawWord) -> f32 {
        f32::from_bits(self.u32(word))
    }

    /// Decodes four bytes in this byte order to an unsigned integer.
    #[inline]
    #[must_use]
    pub const fn u32(self, RawWord(bytes): RawWord) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    /// Decodes two bytes in this byte order to an unsigned integer.
    #[inline]
    #[must_use]
    pub const fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    /// Encodes an unsigned 32-bit integer as four bytes in this byte order.
    #[must_use]
    pub const fn put(self, number: u32) -> [u8; 4] {
        match self {
            Self::Little => number.to_le_bytes(),
            Self::Big => number.to_be_bytes(),
        }
    }

    /// Encodes an unsigned 16-bit integer as two bytes in this byte order.
    #[must_use]
    pub const fn put_u16(self, number: u16) -> [u8; 2] {
        match self {
            Self::Little => number.to_le_bytes(),
            Self::Big => number.to_be_bytes(),
        }
    }
}

/// Decodes `N` adjacent floats in the given byte order. Decoding a float is exact, including NaN
/// payloads.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndianFloats<const N: usize>(pub ByteOrder);

impl<const N: usize> Decode for EndianFloats<N> {
    type Raw = [RawWord; N];
    type Value = [f32; N];

    #[inline]
    fn decode(&self, raw: &[RawWord; N]) -> [f32; N] {
        // The byte order is matched once, and not for each float.
        match self.0 {
            ByteOrder::Little => each(raw, |RawWord(bytes)| f32::from_le_bytes(bytes)),
            ByteOrder::Big => each(raw, |RawWord(bytes)| f32::from_be_bytes(bytes)),
        }
    }

    fn is_copy(&self) -> bool {
        self.0 == ByteOrder::NATIVE
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [[RawWord; N]]) -> Option<&'a [T]> {
        cast::<[f32; N], T, _>(raw, self.0)
    }
}

/// Decodes `N` adjacent unsigned integers of two bytes each, in the given byte order.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndianU16s<const N: usize>(pub ByteOrder);

impl<const N: usize> Decode for EndianU16s<N> {
    type Raw = [[u8; 2]; N];
    type Value = [u16; N];

    #[inline]
    fn decode(&self, raw: &[[u8; 2]; N]) -> [u16; N] {
        each(raw, |bytes| self.0.u16(bytes))
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [[[u8; 2]; N]]) -> Option<&'a [T]> {
        cast::<[u16; N], T, _>(raw, self.0)
    }
}

/// Decodes an unsigned 32-bit index that is stored in four bytes, in the given byte order.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndianIndex(pub ByteOrder);

impl Decode for EndianIndex {
    type Raw = RawWord;
    type Value = u32;

    #[inline]
    fn decode(&self, raw: &RawWord) -> u32 {
        self.0.u32(*raw)
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [RawWord]) -> Option<&'a [T]> {
        cast::<u32, T, _>(raw, self.0)
    }
}

/// Decodes a 32-bit colour, `0xAARRGGBB`, to four floats in 0 to 1: red, green, blue and alpha.
///
/// Each colour component is `u / 255`, where `u` is the byte of this component.
#[derive(Clone, Copy, Debug, Default)]
pub struct Argb8(pub ByteOrder);

impl Decode for Argb8 {
    type Raw = RawWord;
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: &RawWord) -> [f32; 4] {
        let [alpha, red, green, blue] = self.0.u32(*raw).to_be_bytes();
        [red, green, blue, alpha].map(|code| f32::from(code) / 255.0)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "decoding is exact")]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_wrote_in_either_order() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            for bits in [0, 0x8000_0000, 0x3f80_0000, 0x7fc0_1234, 0x0102_0304, u32::MAX] {
                let word = RawWord(order.put(bits));
                assert_eq!(order.u32(word), bits);
                let [read] = EndianFloats::<1>(order).decode(&[word]);
                assert_eq!(read.to_bits(), bits);
                assert_eq!(EndianIndex(order).decode(&word), bits);
            }
            assert_eq!(order.u16(order.put_u16(0x1234)), 0x1234);
            assert_eq!(Argb8(order).decode(&RawWord(order.put(0xff33_0000))), [0.2, 0.0, 0.0, 1.0]);
        }
        assert_eq!(ByteOrder::Big.put(0x0102_0304), [1, 2, 3, 4]);
    }
}
