//! Conversion of an `f32` to a little-endian half float (narrowing).
//!
//! A value is rounded to the nearest half float, and a value midway between two half floats to the
//! one with an even last bit. The relative error is at most 2^-11, or the absolute error at most
//! 2^-25 for magnitudes below 2^-14. Magnitudes of 65520 or more become infinite. A NaN becomes a
//! quiet NaN with the same sign and the upper 10 bits of the payload.

use half::f16;
use zerocopy::little_endian::F32;
use zerocopy::transmute;

use crate::simd::kernel;

/// Converts `f32` values to half floats, one at a time, with code that has no branches.
#[inline(always)]
pub(super) fn narrow_each(values: &[f32], out: &mut [f16]) {
    out.iter_mut().zip(values).for_each(|(half, value)| *half = narrow(*value));
}

#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the value has 16 bits")]
pub(crate) fn narrow(value: f32) -> f16 {
    let bits = value.to_bits();
    let (sign, rest) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    // To round to the nearest half float, `narrow` adds half the value of the last fraction bit
    // that the half float keeps. If the last kept fraction bit is 0, `narrow` adds 1 less, which
    // rounds a tie down to the even half float. If rounding up overflows the fraction, the carry
    // increments the exponent, which gives the correct half float.
    let odd = rest >> 13 & 1;
    let normal = rest.wrapping_sub(0x3800_0000).wrapping_add(0x0fff).wrapping_add(odd) >> 13;
    // Adding 0.5 rounds a small `f32` to a subnormal half float, because the last fraction bit of
    // an `f32` between 0.5 and 1 has the value 2^-24, like the last fraction bit of a subnormal
    // half float.
    let small = (f32::from_bits(rest) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let nan = 0x7e00 | (rest >> 13 & 0x03ff);
    let finite = if rest < 0x3880_0000 { small } else { normal };
    // `0x7c00` is an infinite half float. For values from 65520 up to 65536, `normal` is already
    // infinite, because it is rounded up.
    let large = if rest > 0x7f80_0000 { nan } else { 0x7c00 };
    f16::from_bits((sign | if rest < 0x4780_0000 { finite } else { large }) as u16)
}

kernel! {
    /// Converts pairs of little-endian floats, which are `stride` bytes apart, to half floats.
    ///
    /// `pairs` starts with the first pair. Pairs of which bytes are missing are left out.
    pub(crate) fn pairs_to_half(pairs: &[u8], stride: usize, out: &mut [[f16; 2]]) {
        avx512 | avx2 => x86::pairs_to_half(pairs, stride, out),
        _ => each_pair(pairs, stride, out, narrow_pair),
    }
}

#[inline(always)]
fn each_pair(pairs: &[u8], stride: usize, out: &mut [[f16; 2]], narrow: impl Fn(&[u8; 8]) -> [f16; 2]) {
    let mut pairs = pairs.chunks_exact(stride);
    let mut places = out.iter_mut();
    for (pair, place) in pairs.by_ref().zip(places.by_ref()) {
        if let Some(pair) = pair.first_chunk() {
            *place = narrow(pair);
        }
    }
    if let Some((pair, place)) = pairs.remainder().first_chunk().zip(places.next()) {
        *place = narrow_pair(pair);
    }
}

#[inline(always)]
fn narrow_pair(pair: &[u8; 8]) -> [f16; 2] {
    let floats: [F32; 2] = transmute!(*pair);
    floats.map(|float| narrow(float.get()))
}

/// Narrowing with the conversion instructions of x86-64 (F16C).
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{_MM_FROUND_TO_NEAREST_INT, _mm_castsi128_ps, _mm_cvtps_ph, _mm_set_epi64x};

    use bytemuck::cast;
    use half::f16;

    use crate::decode::narrow::each_pair;

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn pairs_to_half(pairs: &[u8], stride: usize, out: &mut [[f16; 2]]) {
        each_pair(pairs, stride, out, |pair| {
            let floats = _mm_castsi128_ps(_mm_set_epi64x(0, cast(*pair)));
            let [half, _, _, _]: [[f16; 2]; 4] = cast(_mm_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(floats));
            half
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::equivalence_tests::every_code;

    #[test]
    fn pairs_at_any_distance_are_narrowed() {
        let floats: Vec<u8> = (0..90_u16)
            .map(|number| f32::from(number) * 1.7 - 60.0)
            .chain([f32::NAN, -0.0, 1e9, 65519.0, 65520.0, 1e-7])
            .flat_map(f32::to_le_bytes)
            .collect();
        crate::simd::at_each_level(|level| {
            for (stride, at) in [(8, 0), (12, 4), (16, 3), (17, 9), (48, 40)] {
                for count in (0..=(floats.len() - at) / stride).step_by(if cfg!(miri) { 19 } else { 1 }) {
                    let bytes = &floats[at..];
                    let expected: Vec<_> = (0..count)
                        .map(|pair| narrow_pair(bytes[pair * stride..].first_chunk().unwrap()).map(f16::to_bits))
                        .collect();
                    let end = count.saturating_sub(1) * stride + if count > 0 { 8 } else { 0 };
                    for bytes in [bytes, &bytes[..end]] {
                        let mut out = vec![[f16::ONE; 2]; count];
                        pairs_to_half(bytes, stride, &mut out);
                        let found: Vec<_> = out.iter().map(|pair| pair.map(f16::to_bits)).collect();
                        assert_eq!(found, expected, "{level:?} {stride} {at} {count}");
                    }
                }
            }
        });
    }

    #[test]
    fn narrows_as_its_twin_does() {
        let step = if cfg!(miri) {
            9_999_991
        } else if cfg!(debug_assertions) {
            4099
        } else {
            61
        };
        // The test values: each float midway between two half floats, and the two floats next to
        // it.
        let ties = every_code().flat_map(|code| {
            let between = f16::from_bits(code).to_f32().to_bits() | 0x1000;
            [between.wrapping_sub(1), between, between.wrapping_add(1)]
        });
        for bits in (0..=u32::MAX).step_by(step).chain(ties) {
            let value = f32::from_bits(bits);
            assert_eq!(narrow(value).to_bits(), f16::from_f32(value).to_bits(), "{bits:08x}");
        }
    }
}
