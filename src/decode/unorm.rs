//! Decoder of unsigned 8-bit integers that represent the values 0 to 1.

use bytemuck::Pod;

use crate::decode::codec::{Decode, cast};
use crate::decode::divisor::BY_255;
use crate::decode::endian::ByteOrder;
use crate::decode::stream::in_blocks;
use crate::simd::kernel;

/// Decodes `N` adjacent bytes to values in 0 to 1, such as the components of a colour.
///
/// Each component is `u / 255`, where `u` is the stored byte. The byte 0 decodes to 0, and the byte
/// 255 decodes to exactly 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unorm8<const N: usize>;

impl<const N: usize> Decode for Unorm8<N> {
    type Raw = [u8; N];
    type Value = [f32; N];

    #[inline]
    fn decode(&self, raw: &[u8; N]) -> [f32; N] {
        raw.map(|code| f32::from(code) / 255.0)
    }

    fn decode_all(&self, raw: &[[u8; N]], out: &mut [[f32; N]]) {
        decode_bulk(raw.as_flattened(), out.as_flattened_mut());
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [[u8; N]]) -> Option<&'a [T]> {
        cast::<[u8; N], T, _>(raw, ByteOrder::NATIVE)
    }
}

kernel! {
    /// Decodes an array of bytes to floats in 0 to 1.
    fn decode_bulk(raw: &[u8], out: &mut [f32]) {
        avx512 | avx2 => in_blocks::<Store, _, _, 64>(raw, out, decode_each::<true>),
        _ => in_blocks::<Store, _, _, 64>(raw, out, decode_each::<false>),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[u8], out: &mut [f32]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = BY_255.divide::<FUSED>(f32::from(*raw));
    }
}

/// Encodes `N` floats in 0 to 1 as bytes, and rounds each to the nearest code.
///
/// The difference between a float and its decoded code is at most 1/510. Floats below 0 are encoded
/// like 0, and floats above 1 like 1.
#[cfg(any(feature = "cli", feature = "internals"))]
#[must_use]
pub fn encode<const N: usize>(value: [f32; N]) -> [u8; N] {
    value.map(|value| u8::try_from(crate::decode::divisor::truncate(value + 0.5 / 255.0, 255.0)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_returns() {
        for code in 0..=u8::MAX {
            assert_eq!(encode(Unorm8.decode(&[code])), [code]);
        }
        assert_eq!(encode([-1.0, 2.0, f32::NAN, f32::INFINITY]), [0, 255, 0, 255]);
    }
}
