//! Kernels that convert arrays of floats to half floats or normalised integers.

use half::f16;

use crate::decode::narrow::narrow_each;
use crate::simd::kernel;

kernel! {
    /// Converts floats to half floats.
    pub(super) fn float_to_half(values: &[f32], out: &mut [f16]) {
        avx512 => x86::half_avx512(values, out),
        avx2 => x86::half_avx2(values, out),
        _ => narrow_each(values, out),
    }
}

kernel! {
    /// Rounds floats to unsigned 8-bit codes that represent 0 to 1.
    pub(super) fn float_to_unorm8(values: &[f32], out: &mut [u8]) {
        avx512 => x86::unorm8_avx512(values, out),
        avx2 => x86::unorm8_avx2(values, out),
        _ => unorm8_each(values, out),
    }
}

kernel! {
    /// Rounds floats to unsigned 16-bit codes that represent 0 to 1.
    pub(super) fn float_to_unorm16(values: &[f32], out: &mut [u16]) {
        avx512 => x86::unorm16_avx512(values, out),
        avx2 => x86::unorm16_avx2(values, out),
        _ => unorm16_each(values, out),
    }
}

kernel! {
    /// Rounds floats to signed 8-bit codes that represent -1 to 1.
    pub(super) fn float_to_snorm8(values: &[f32], out: &mut [i8]) {
        avx512 => x86::snorm8_avx512(values, out),
        avx2 => x86::snorm8_avx2(values, out),
        _ => snorm8_each(values, out),
    }
}

kernel! {
    /// Rounds floats to signed 16-bit codes that represent -1 to 1.
    pub(super) fn float_to_snorm16(values: &[f32], out: &mut [i16]) {
        avx512 => x86::snorm16_avx512(values, out),
        avx2 => x86::snorm16_avx2(values, out),
        _ => snorm16_each(values, out),
    }
}

/// Clamps a value to `least`..1. NaN is replaced by 0.
#[inline(always)]
pub(super) fn clamp(value: f32, least: f32) -> f32 {
    let number = if value.is_nan() { 0.0 } else { value };
    let low = if number > least { number } else { least };
    if low < 1.0 { low } else { 1.0 }
}

/// A constant that is added to a smaller float to round this float to an integer: 1.5 * 2^23.
///
/// If the magnitude of the float is at most 2^22, the last fraction bit of the sum of the float and
/// `ROUND` has the value 1. The low bits of this sum are then the integer nearest to the float, in
/// two's complement.
const ROUND: f32 = 12_582_912.0;

#[inline(always)]
fn nearest(value: f32, least: f32, most: f32) -> u32 {
    (clamp(value, least) * most + ROUND).to_bits()
}

/// Defines the portable kernels of normalised integers, for every processor.
macro_rules! rounded {
    ($(fn $name:ident -> $integer:ty: $least:literal to $most:literal;)*) => {$(
        #[inline(always)]
        #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "only the low bits are used")]
        #[allow(clippy::cast_possible_wrap, reason = "in two's complement")]
        fn $name(values: &[f32], out: &mut [$integer]) {
            out.iter_mut().zip(values).for_each(|(out, value)| *out = nearest(*value, $least, $most) as $integer);
        }
    )*};
}

rounded! {
    fn unorm8_each -> u8: 0.0 to 255.0;
    fn unorm16_each -> u16: 0.0 to 65535.0;
    fn snorm8_each -> i8: -1.0 to 127.0;
    fn snorm16_each -> i16: -1.0 to 32767.0;
}

/// Hand-written kernels for x86-64, for which compilers generate slower code from the portable
/// loop.
///
/// Each store instruction writes one vector of output integers. The first store starts at the first
/// output element, all later stores except the last are aligned to cache lines, and the last store
/// ends at the last output element. If two stores overlap, they write the same values to the
/// elements that both contain.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(in crate::decode) mod x86 {
    use std::arch::x86_64::{
        __m256, __m256i, __m512, __m512i, _CMP_ORD_Q, _MM_FROUND_TO_NEAREST_INT, _mm256_and_ps, _mm256_cmp_ps,
        _mm256_cvtps_epi32, _mm256_cvtps_ph, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_packs_epi16,
        _mm256_packs_epi32, _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permute4x64_epi64,
        _mm256_permutevar8x32_epi32, _mm256_set1_ps, _mm512_cmp_ps_mask, _mm512_cvtps_epi32, _mm512_cvtps_ph,
        _mm512_maskz_mul_ps, _mm512_max_ps, _mm512_min_ps, _mm512_mul_ps, _mm512_packs_epi16, _mm512_packs_epi32,
        _mm512_packus_epi16, _mm512_packus_epi32, _mm512_permutexvar_epi32, _mm512_permutexvar_epi64, _mm512_set1_ps,
    };

    use bytemuck::cast;
    use half::f16;

    use crate::decode::narrow::narrow_each;
    use crate::decode::quantize::{snorm8_each, snorm16_each, unorm8_each, unorm16_each};
    use crate::simd::LINE;

    /// The rounding mode of the conversion to half floats: to the nearest value, and to the even
    /// one of two equally near values.
    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;

    /// Clamps floats to `least`..1, multiplies them by `most` and rounds the products to the
    /// nearest integer. NaN is converted to the integer 0.
    ///
    /// If one of two floats is NaN, the maximum is the second one. If `least` is 0, the maximum
    /// therefore replaces NaN with 0.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in crate::decode) fn nearest512(value: __m512, least: f32, most: f32) -> __m512i {
        let clamped = _mm512_min_ps(_mm512_max_ps(value, _mm512_set1_ps(least)), _mm512_set1_ps(1.0));
        if least == 0.0 {
            return _mm512_cvtps_epi32(_mm512_mul_ps(clamped, _mm512_set1_ps(most)));
        }
        let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(value, value);
        _mm512_cvtps_epi32(_mm512_maskz_mul_ps(number, clamped, _mm512_set1_ps(most)))
    }

    /// Clamps, multiplies and rounds floats like [`nearest512`], for vectors of 256 bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::decode) fn nearest256(value: __m256, least: f32, most: f32) -> __m256i {
        let clamped = _mm256_min_ps(_mm256_max_ps(value, _mm256_set1_ps(least)), _mm256_set1_ps(1.0));
        if least == 0.0 {
            return _mm256_cvtps_epi32(_mm256_mul_ps(clamped, _mm256_set1_ps(most)));
        }
        let number = _mm256_cmp_ps::<_CMP_ORD_Q>(value, value);
        _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_and_ps(number, clamped), _mm256_set1_ps(most)))
    }

    /// A permutation that restores the order of the values after two steps of packing instructions,
    /// which interleave the 128-bit quarters of four vectors.
    const QUARTERS512: [i32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
    /// A permutation that restores the order of the values after one packing instruction, which
    /// interleaves the 128-bit quarters of two vectors.
    const HALVES512: [i64; 8] = [0, 2, 4, 6, 1, 3, 5, 7];
    /// A permutation that restores the order of the values after two steps of packing instructions,
    /// which interleave the 128-bit halves of four vectors of 256 bits.
    const QUARTERS256: [i32; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

    /// Defines kernels that convert floats to a narrower type. The arguments of each kernel are an
    /// expression that computes one output vector from its floats, and a function that converts
    /// inputs shorter than one vector.
    macro_rules! narrowing {
        ($(
            #[$features:meta]
            fn $name:ident([f32; $count:literal]) -> $to:ty = |$values:ident| $vector:expr, $one:expr;
        )*) => {$(
            #[inline]
            #[$features]
            pub(in crate::decode::quantize) fn $name(values: &[f32], out: &mut [$to]) {
                let one = |$values: &[f32; $count]| -> [$to; $count] { cast($vector) };
                let count = values.len().min(out.len());
                let (values, out) = (values.get(..count).unwrap_or_default(), out.get_mut(..count).unwrap_or_default());
                let Some((place, first)) = out.first_chunk_mut().zip(values.first_chunk()) else {
                    $one(values, out);
                    return;
                };
                *place = one(first);
                let before = out.as_ptr().align_offset(LINE).min($count);
                let (places, chunks) = (out.get_mut(before..), values.get(before..));
                let (places, chunks) = (places.unwrap_or_default().as_chunks_mut().0, chunks.unwrap_or_default().as_chunks().0);
                for (place, chunk) in places.iter_mut().zip(chunks) {
                    *place = one(chunk);
                }
                if let Some((place, last)) = out.last_chunk_mut().zip(values.last_chunk()) {
                    *place = one(last);
                }
            }
        )*};
    }

    narrowing! {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn unorm8_avx512([f32; 64]) -> u8 = |values| {
            let [a, b, c, d] = cast::<_, [__m512; 4]>(*values).map(|value| nearest512(value, 0.0, 255.0));
            let packed = _mm512_packus_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
            _mm512_permutexvar_epi32(cast(QUARTERS512), packed)
        }, unorm8_each;
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn snorm8_avx512([f32; 64]) -> i8 = |values| {
            let [a, b, c, d] = cast::<_, [__m512; 4]>(*values).map(|value| nearest512(value, -1.0, 127.0));
            let packed = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
            _mm512_permutexvar_epi32(cast(QUARTERS512), packed)
        }, snorm8_each;
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn unorm16_avx512([f32; 32]) -> u16 = |values| {
            let [a, b] = cast::<_, [__m512; 2]>(*values).map(|value| nearest512(value, 0.0, 65535.0));
            _mm512_permutexvar_epi64(cast(HALVES512), _mm512_packus_epi32(a, b))
        }, unorm16_each;
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn snorm16_avx512([f32; 32]) -> i16 = |values| {
            let [a, b] = cast::<_, [__m512; 2]>(*values).map(|value| nearest512(value, -1.0, 32767.0));
            _mm512_permutexvar_epi64(cast(HALVES512), _mm512_packs_epi32(a, b))
        }, snorm16_each;
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn half_avx512([f32; 32]) -> f16 = |values| {
            cast::<_, [__m512; 2]>(*values).map(|value| _mm512_cvtps_ph::<NEAREST>(value))
        }, narrow_each;
        #[target_feature(enable = "avx2")]
        fn unorm8_avx2([f32; 32]) -> u8 = |values| {
            let [a, b, c, d] = cast::<_, [__m256; 4]>(*values).map(|value| nearest256(value, 0.0, 255.0));
            let packed = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
            _mm256_permutevar8x32_epi32(packed, cast(QUARTERS256))
        }, unorm8_each;
        #[target_feature(enable = "avx2")]
        fn snorm8_avx2([f32; 32]) -> i8 = |values| {
            let [a, b, c, d] = cast::<_, [__m256; 4]>(*values).map(|value| nearest256(value, -1.0, 127.0));
            let packed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
            _mm256_permutevar8x32_epi32(packed, cast(QUARTERS256))
        }, snorm8_each;
        #[target_feature(enable = "avx2")]
        fn unorm16_avx2([f32; 16]) -> u16 = |values| {
            let [a, b] = cast::<_, [__m256; 2]>(*values).map(|value| nearest256(value, 0.0, 65535.0));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(a, b))
        }, unorm16_each;
        #[target_feature(enable = "avx2")]
        fn snorm16_avx2([f32; 16]) -> i16 = |values| {
            let [a, b] = cast::<_, [__m256; 2]>(*values).map(|value| nearest256(value, -1.0, 32767.0));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(a, b))
        }, snorm16_each;
        #[target_feature(enable = "avx2,f16c")]
        fn half_avx2([f32; 16]) -> f16 = |values| {
            cast::<_, [__m256; 2]>(*values).map(|value| _mm256_cvtps_ph::<NEAREST>(value))
        }, narrow_each;
    }
}
