//! Decoder of unsigned 16-bit codes for the components of a unit normal: `u / 65535 * 2 - 1`.
//!
//! The vendor of UNIGINE publishes the formula `u / 65535 * 2 - 1` on its page about the ms10
//! format. Second Life meshes store normals in this encoding. The `.mesh` files of UNIGINE 1.x also
//! stored normals in this encoding. UNIGINE 2.x stores tangent frames as quaternions instead.
//!
//! The published encoder truncates the 16-bit code of a component: the decoded component has an
//! absolute error of up to 3.1e-5 (one code, 2/65535). Rounding to the nearest code has an absolute
//! error of at most 1.6e-5 (half a code), and encoding a decoded value then returns the original
//! code.

use zerocopy::little_endian::U16;

use crate::decode::codec::Decode;
use crate::decode::divisor::BY_65535;
#[cfg(any(feature = "cli", feature = "internals"))]
use crate::decode::divisor::truncate;
use crate::decode::stream::in_blocks;
use crate::simd::kernel;

/// Decodes a normal that is stored as three 16-bit codes. The decoded normal is not scaled to unit
/// length.
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
    /// Decodes the components in `raw` to `out`, until one of the two slices ends.
    fn decode_bulk(raw: &[U16], out: &mut [f32]) {
        avx512 | avx2 => in_blocks::<Store, _, _, 64>(raw, out, decode_each::<true>),
        _ => in_blocks::<Store, _, _, 64>(raw, out, decode_each::<false>),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[U16], out: &mut [f32]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = component::<FUSED>(raw.get());
    }
}

/// Decodes one component of a normal in a bulk decoder, with the same result as [`decode`].
#[inline(always)]
pub(super) fn component<const FUSED: bool>(code: u16) -> f32 {
    let part = BY_65535.divide::<FUSED>(f32::from(code));
    // Doubling is exact, so the fused operation rounds as the subtraction does.
    if FUSED { part.mul_add(2.0, -1.0) } else { part * 2.0 - 1.0 }
}

/// Decodes the 16-bit code of one component to a float in -1 to 1.
#[inline]
#[must_use]
pub fn decode(code: u16) -> f32 {
    f32::from(code) / 65535.0 * 2.0 - 1.0
}

/// Encodes one component of a unit vector as the nearest 16-bit code.
///
/// Components below -1 are encoded like -1, and components above 1 like 1.
#[cfg(any(feature = "cli", feature = "internals"))]
#[must_use]
pub fn encode_rounding(value: f32) -> u16 {
    u16::try_from(truncate((value * 0.5 + 0.5) + 0.5 / 65535.0, 65535.0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::equivalence_tests::every_code;

    /// Encodes one component with the published formula, which truncates:
    /// `(v * 0.5 + 0.5) * 65535`.
    ///
    /// Components below -1 are encoded like -1, and components above 1 like 1.
    fn encode_truncating(value: f32) -> u16 {
        u16::try_from(truncate(value * 0.5 + 0.5, 65535.0)).unwrap_or_default()
    }

    #[test]
    fn every_code_returns_when_rounded_and_nearly_when_truncated() {
        let mut short = 0_u32;
        for code in every_code() {
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
        assert!(short > 0 || cfg!(miri), "truncation must lose a code somewhere, or rounding would be unnecessary");
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
