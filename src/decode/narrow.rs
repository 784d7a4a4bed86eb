//! Floats to what takes fewer bits, by hand for x86-64, where compilers make something slower of the plain loop. The twins
//! are in [`form`] and [`half`](mod@half_floats).
//!
//! A vector of the output is stored at a time. The first is stored wherever the output begins, the next ones from the next
//! line of the cache on, and the last where the output ends; they lie over each other there, with the same values.

use std::arch::x86_64::{
    __m256, __m256i, __m512, __m512i, _CMP_ORD_Q, _MM_FROUND_TO_NEAREST_INT, _mm256_and_ps, _mm256_cmp_ps,
    _mm256_cvtps_epi32, _mm256_cvtps_ph, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_packs_epi16,
    _mm256_packs_epi32, _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permute4x64_epi64,
    _mm256_permutevar8x32_epi32, _mm256_set1_ps, _mm512_cmp_ps_mask, _mm512_cvtps_epi32, _mm512_cvtps_ph,
    _mm512_maskz_mul_ps, _mm512_max_ps, _mm512_min_ps, _mm512_packs_epi16, _mm512_packs_epi32, _mm512_packus_epi16,
    _mm512_packus_epi32, _mm512_permutexvar_epi32, _mm512_permutexvar_epi64, _mm512_set1_ps,
};

use bytemuck::cast;
use half::f16;

use crate::decode::{form, half as half_floats};
use crate::simd::LINE;

/// To the nearest, of two as near the even one.
const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;

/// Returns the integers nearest to the product of the greatest one and what is clamped to `least` to 1; of NaNs, 0.
#[inline]
#[target_feature(enable = "avx512f")]
fn nearest512(value: __m512, least: f32, most: f32) -> __m512i {
    let clamped = _mm512_min_ps(_mm512_max_ps(value, _mm512_set1_ps(least)), _mm512_set1_ps(1.0));
    let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(value, value);
    _mm512_cvtps_epi32(_mm512_maskz_mul_ps(number, clamped, _mm512_set1_ps(most)))
}

/// As [`nearest512`].
#[inline]
#[target_feature(enable = "avx2")]
fn nearest256(value: __m256, least: f32, most: f32) -> __m256i {
    let clamped = _mm256_min_ps(_mm256_max_ps(value, _mm256_set1_ps(least)), _mm256_set1_ps(1.0));
    let number = _mm256_cmp_ps::<_CMP_ORD_Q>(value, value);
    _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_and_ps(number, clamped), _mm256_set1_ps(most)))
}

/// Puts in order what was packed twice: quarters of four vectors stand beside each other.
const QUARTERS512: [i32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
/// Puts in order what was packed once.
const HALVES512: [i64; 8] = [0, 2, 4, 6, 1, 3, 5, 7];
/// As [`QUARTERS512`], of shorter vectors.
const QUARTERS256: [i32; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// Makes a kernel of what becomes of the floats of a vector of the output.
macro_rules! narrowing {
    ($(
        #[$features:meta]
        fn $name:ident([f32; $count:literal]) -> $to:ty = |$values:ident| $vector:expr, $one:expr;
    )*) => {$(
        #[inline]
        #[$features]
        pub(crate) fn $name(values: &[f32], out: &mut [$to]) {
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
    }, form::unorm8;
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn snorm8_avx512([f32; 64]) -> i8 = |values| {
        let [a, b, c, d] = cast::<_, [__m512; 4]>(*values).map(|value| nearest512(value, -1.0, 127.0));
        let packed = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
        _mm512_permutexvar_epi32(cast(QUARTERS512), packed)
    }, form::snorm8;
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn unorm16_avx512([f32; 32]) -> u16 = |values| {
        let [a, b] = cast::<_, [__m512; 2]>(*values).map(|value| nearest512(value, 0.0, 65535.0));
        _mm512_permutexvar_epi64(cast(HALVES512), _mm512_packus_epi32(a, b))
    }, form::unorm16;
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn snorm16_avx512([f32; 32]) -> i16 = |values| {
        let [a, b] = cast::<_, [__m512; 2]>(*values).map(|value| nearest512(value, -1.0, 32767.0));
        _mm512_permutexvar_epi64(cast(HALVES512), _mm512_packs_epi32(a, b))
    }, form::snorm16;
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn half_avx512([f32; 32]) -> f16 = |values| {
        cast::<_, [__m512; 2]>(*values).map(|value| _mm512_cvtps_ph::<NEAREST>(value))
    }, half_floats::narrow_all;
    #[target_feature(enable = "avx2")]
    fn unorm8_avx2([f32; 32]) -> u8 = |values| {
        let [a, b, c, d] = cast::<_, [__m256; 4]>(*values).map(|value| nearest256(value, 0.0, 255.0));
        let packed = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        _mm256_permutevar8x32_epi32(packed, cast(QUARTERS256))
    }, form::unorm8;
    #[target_feature(enable = "avx2")]
    fn snorm8_avx2([f32; 32]) -> i8 = |values| {
        let [a, b, c, d] = cast::<_, [__m256; 4]>(*values).map(|value| nearest256(value, -1.0, 127.0));
        let packed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        _mm256_permutevar8x32_epi32(packed, cast(QUARTERS256))
    }, form::snorm8;
    #[target_feature(enable = "avx2")]
    fn unorm16_avx2([f32; 16]) -> u16 = |values| {
        let [a, b] = cast::<_, [__m256; 2]>(*values).map(|value| nearest256(value, 0.0, 65535.0));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(a, b))
    }, form::unorm16;
    #[target_feature(enable = "avx2")]
    fn snorm16_avx2([f32; 16]) -> i16 = |values| {
        let [a, b] = cast::<_, [__m256; 2]>(*values).map(|value| nearest256(value, -1.0, 32767.0));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(a, b))
    }, form::snorm16;
    #[target_feature(enable = "avx2,f16c")]
    fn half_avx2([f32; 16]) -> f16 = |values| {
        cast::<_, [__m256; 2]>(*values).map(|value| _mm256_cvtps_ph::<NEAREST>(value))
    }, half_floats::narrow_all;
}
