//! Decoder and encoder of little-endian half floats (IEEE 754 binary16): 1 sign bit, 5 exponent
//! bits, 10 fraction bits.
//!
//! Widening to an `f32` is exact. `narrow.rs` describes the rounding of the encoder.

use half::f16;
use zerocopy::little_endian::U16;

use crate::decode::codec::Decode;
use crate::decode::stream::in_blocks;
use crate::simd::kernel;

/// Decodes `N` adjacent half floats.
///
/// ```
/// use meshpeek::decode::{Decode, Half};
/// use zerocopy::little_endian::U16;
/// assert_eq!(Half.decode(&[0x3c00, 0xc000].map(U16::new)), [1.0, -2.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Half<const N: usize>;

impl<const N: usize> Decode for Half<N> {
    type Raw = [U16; N];
    type Value = [f32; N];

    #[inline]
    fn decode(&self, raw: &[U16; N]) -> [f32; N] {
        raw.map(|half| f16::from_bits(half.get()).to_f32())
    }

    fn decode_all(&self, raw: &[[U16; N]], out: &mut [[f32; N]]) {
        widen_bulk(raw.as_flattened(), out.as_flattened_mut());
    }
}

/// Encodes `N` floats as half floats, and rounds each to the nearest half float.
#[must_use]
pub fn encode<const N: usize>(value: [f32; N]) -> [U16; N] {
    value.map(|value| U16::new(f16::from_f32(value).to_bits()))
}

kernel! {
    /// Converts half floats to `f32`.
    fn widen_bulk(raw: &[U16], out: &mut [f32]) {
        avx512 => x86::avx512::<Store>(raw, out),
        avx2 => x86::avx2::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, widen_each),
    }
}

/// Converts half floats to `f32`, one at a time, with code that has no branches.
#[inline(always)]
fn widen_each(raw: &[U16], out: &mut [f32]) {
    out.iter_mut().zip(raw).for_each(|(value, raw)| *value = widen(raw.get()));
}

/// Converts one half float to an `f32`.
///
/// `widen` moves the exponent and the fraction of the half float to their positions in an `f32`.
/// `widen` then multiplies the resulting `f32` by 2^112, because 112 is the difference of the
/// exponent biases of `f32` (127) and of half floats (15). The multiplication by 2^112 also gives
/// the correct `f32` if the half float is subnormal.
#[inline(always)]
fn widen(half: u16) -> f32 {
    let half = u32::from(half);
    let sign = (half & 0x8000) << 16;
    let rest = (half & 0x7fff) << 13;
    // `0x7780_0000` is the float 2^112.
    let finite = (f32::from_bits(rest) * f32::from_bits(0x7780_0000)).to_bits();
    let quiet = if rest > 0x0f80_0000 { 0x0040_0000 } else { 0 };
    let infinite = rest | 0x7f80_0000 | quiet;
    f32::from_bits(sign | if rest < 0x0f80_0000 { finite } else { infinite })
}

/// Conversion of half floats to `f32` with the conversion instructions of x86-64 (F16C and
/// AVX-512).
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{__m128i, __m256i, _mm256_cvtph_ps, _mm512_cvtph_ps};

    use bytemuck::cast;
    use zerocopy::little_endian::U16;
    use zerocopy::transmute;

    use crate::decode::half::widen_each;
    use crate::decode::stream::in_chunks;
    use crate::simd::StreamingStore;

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn avx512<S: StreamingStore>(raw: &[U16], out: &mut [f32]) {
        let widen = |chunk: &[U16; 16]| {
            let halves: __m256i = transmute!(*chunk);
            cast(_mm512_cvtph_ps(halves))
        };
        in_chunks::<S, _, _, 16>(raw, out, widen, widen_each);
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn avx2<S: StreamingStore>(raw: &[U16], out: &mut [f32]) {
        let widen = |chunk: &[U16; 16]| {
            let halves: [__m128i; 2] = transmute!(*chunk);
            cast(halves.map(|halves| _mm256_cvtph_ps(halves)))
        };
        in_chunks::<S, _, _, 16>(raw, out, widen, widen_each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::equivalence_tests::every_code;
    use crate::decode::narrow::narrow;

    #[test]
    fn golden_vectors() {
        let codes = [0, 0x8000, 1, 0x03ff, 0x0400, 0x3555, 0x7bff, 0x7c00, 0xfc00, 0x7e01].map(U16::new);
        let values = Half.decode(&codes);
        let bits = [0, 0x8000_0000, 0x3380_0000, 0x387f_c000, 0x3880_0000, 0x3eaa_a000, 0x477f_e000];
        assert_eq!(values.map(f32::to_bits)[..7], bits);
        assert_eq!(values.map(f32::to_bits)[7..], [0x7f80_0000, 0xff80_0000, 0x7fc0_2000]);
        assert_eq!(encode(values), codes);
        let encoded = encode([65519.0, 65520.0, 1e9, -1e9, 2.0_f32.powi(-25), 1.0 / 3.0]).map(U16::get);
        assert_eq!(encoded, [0x7bff, 0x7c00, 0x7c00, 0xfc00, 0, 0x3555]);
    }

    #[test]
    fn every_code_returns() {
        for code in every_code() {
            let [value] = Half.decode(&[U16::new(code)]);
            assert_eq!(widen(code).to_bits(), value.to_bits(), "{code:04x}");
            let nan = value.is_nan();
            let [again] = encode([value]);
            assert!(again.get() == if nan { code | 0x0200 } else { code });
            assert_eq!(narrow(value).to_bits(), again.get(), "{code:04x}");
        }
    }
}
