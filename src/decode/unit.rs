//! The unsigned 16-bit code of one component of a unit normal: `u / 65535 * 2 - 1`.
//!
//! The vendor of UNIGINE publishes this formula on its page about ms10. Second Life meshes store
//! normals in this encoding. `.mesh` files of the 2.x generations do not contain it, because they
//! store tangent frames as quaternions. Generation 1.x used this encoding.
//!
//! The published encoder truncates, which loses up to one code of 65535 (an error of 3.1e-5).
//! Rounding loses at most half a code (an error of 1.6e-5), and then encoding a decoded value
//! returns the original code.

use zerocopy::little_endian::U16;

use crate::decode::codec::Decode;
use crate::decode::divisor::BY_65535;
use crate::decode::rounding::truncate;
use crate::simd::kernel;

/// Decodes a normal that is stored as three codes. The normal is not normalised.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unit16;

impl Decode for Unit16 {
    type Raw = [U16; 3];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: &[U16; 3]) -> [f32; 3] {
        raw.map(|code| decode(code.get()))
    }

    fn decode_all(&self, raw: &[[U16; 3]], out: &mut [[f32; 3]]) {
        decode_bulk(raw.as_flattened(), out.as_flattened_mut());
    }
}

kernel! {
    /// Decodes components in bulk, until the end of the shorter slice.
    fn decode_bulk(raw: &[U16], out: &mut [f32]) {
        avx512 | avx2 => decode_each::<true>(raw, out),
        _ => decode_each::<false>(raw, out),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[U16], out: &mut [f32]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = component::<FUSED>(raw.get());
    }
}

/// Decodes one component in a bulk decoder, with the same result as [`decode`].
#[inline(always)]
pub(super) fn component<const FUSED: bool>(code: u16) -> f32 {
    BY_65535.divide::<FUSED>(f32::from(code)) * 2.0 - 1.0
}

/// Decodes the code of one component to a value in -1 to 1.
#[inline]
#[must_use]
pub fn decode(code: u16) -> f32 {
    f32::from(code) / 65535.0 * 2.0 - 1.0
}

/// Encodes one component with the published formula, which truncates: `(v * 0.5 + 0.5) * 65535`.
///
/// Components outside -1..1 are clamped.
#[must_use]
pub fn encode_truncating(value: f32) -> u16 {
    u16::try_from(truncate(value * 0.5 + 0.5, 65535.0)).unwrap_or_default()
}

/// Encodes one component, rounding it to the nearest code.
///
/// Components outside -1..1 are clamped.
#[must_use]
pub fn encode_rounding(value: f32) -> u16 {
    u16::try_from(truncate((value * 0.5 + 0.5) + 0.5 / 65535.0, 65535.0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_returns_when_rounded_and_nearly_when_truncated() {
        let mut short = 0_u32;
        for code in 0..=u16::MAX {
            let value = decode(code);
            assert!((-1.0..=1.0).contains(&value));
            assert_eq!(encode_rounding(value), code);
            let all = [[U16::new(code); 3]; 7];
            let mut out = [[0.0; 3]; 7];
            Unit16.decode_all(&all, &mut out);
            assert!(out.as_flattened().iter().all(|one| one.to_bits() == value.to_bits()));
            let truncated = encode_truncating(value);
            assert!(code - truncated <= 1, "{code} became {truncated}");
            short += u32::from(code - truncated);
        }
        assert!(short > 0, "truncation must lose a code somewhere, or rounding would be unnecessary");
    }

    #[test]
    fn golden_vectors() {
        assert_eq!([-1.0, 0.0, 1.0, -2.0, 2.0, f32::NAN].map(encode_truncating), [0, 32767, 65535, 0, 65535, 0]);
        assert_eq!([-1.0, 0.0, 1.0, -2.0, 2.0, f32::NAN].map(encode_rounding), [0, 32768, 65535, 0, 65535, 0]);
        assert_eq!(
            Unit16.decode(&[0, 65535, 0].map(U16::new)).map(f32::to_bits),
            [-1.0, 1.0, -1.0_f32].map(f32::to_bits)
        );
    }
}
