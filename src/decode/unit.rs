//! The 16-bit code for a component of a unit normal, as the vendor's page on ms10 publishes it: `u / 65535 * 2 - 1`.
//!
//! Second Life meshes hold such normals. No `.mesh` of the 2.x generations does (their frames are quaternions); 1.x used
//! it. The published encoder truncates, which loses up to one code of 65535 (error 3.1e-5);
//! rounding loses half (1.6e-5), and returns every decoded code to itself.

use zerocopy::little_endian::U16;

use crate::decode::codec::Decode;
use crate::decode::divisor::BY_65535;
use crate::decode::rounding::truncate;
use crate::simd::kernel;

/// Decodes a normal of three codes. Not normalised: the components are what the codes say.
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
    /// Decodes components.
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

/// The twin of [`decode`].
#[inline(always)]
pub(super) fn component<const FUSED: bool>(code: u16) -> f32 {
    BY_65535.divide::<FUSED>(f32::from(code)) * 2.0 - 1.0
}

/// Decodes one component: −1 to 1.
#[inline]
#[must_use]
pub fn decode(code: u16) -> f32 {
    f32::from(code) / 65535.0 * 2.0 - 1.0
}

/// Encodes one component as published, truncating: `(v * 0.5 + 0.5) * 65535`. Values outside −1..1 are clamped.
#[must_use]
pub fn encode_truncating(value: f32) -> u16 {
    u16::try_from(truncate(value * 0.5 + 0.5, 65535.0)).unwrap_or_default()
}

/// Encodes one component, rounding to the nearest code. Values outside −1..1 are clamped.
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
        assert!(short > 0, "truncation must lose a code somewhere, or the rounding form has no reason");
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
