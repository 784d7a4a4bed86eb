//! The kernels that are written by hand for x86-64, where compilers make something slower of the plain loop: they take
//! values apart with permutations of a whole vector. Each has its scalar twin in the file of its encoding, decodes with
//! it what is left after the last whole vector, and is called by [`simd`](crate::simd) where the processor has what it
//! is compiled for.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, __m512i, _mm256_blend_ps, _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps, _mm256_cvtph_ps,
    _mm256_permutevar8x32_epi32, _mm256_permutevar8x32_ps, _mm256_sllv_epi32, _mm256_srav_epi32, _mm512_add_ps,
    _mm512_and_si512, _mm512_castps_si512, _mm512_castsi256_si512, _mm512_castsi512_ps, _mm512_cvtepi32_ps,
    _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_fmadd_ps, _mm512_mask_blend_ps, _mm512_maskz_permutexvar_epi8,
    _mm512_mul_ps, _mm512_or_si512, _mm512_permutex2var_epi16, _mm512_permutexvar_epi32, _mm512_set1_ps,
    _mm512_sllv_epi32, _mm512_srai_epi32, _mm512_srav_epi32, _mm512_sub_ps,
};

use bytemuck::cast;
use zerocopy::little_endian::{I16, U16, U32};
use zerocopy::{transmute, transmute_ref};

use crate::decode::influence::Influence;
use crate::decode::joint::{self, RawJoint};
use crate::decode::{half as half_floats, packed32, packed64, tangent16};
use crate::simd::BY_65535;

/// Sixteen points: which point and which coordinate each of their 48 floats is.
const POINTS: [[[usize; 2]; 16]; 3] = {
    let mut all = [[[0; 2]; 16]; 3];
    let mut at = 0;
    #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "checked by the compiler")]
    while at < 48 {
        all[at / 16][at % 16] = [at / 3, at % 3];
        at += 1;
    }
    all
};

/// For each float of sixteen points: its word, and how far to shift it to the left and back to the right.
const WORDS: [[[i32; 16]; 3]; 3] = {
    let mut all = [[[0; 16]; 3]; 3];
    let (mut vector, mut lane) = (0, 0);
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "checked by the compiler; at most 31"
    )]
    while vector < 3 {
        let [point, coordinate] = POINTS[vector][lane];
        all[vector][0][lane] = point as i32;
        all[vector][1][lane] = packed32::ABOVE[coordinate] as i32;
        all[vector][2][lane] = packed32::BESIDE[coordinate] as i32;
        lane += 1;
        (vector, lane) = (vector + lane / 16, lane % 16);
    }
    all
};

/// For each 16-bit half of sixteen points' floats: which of 64 integers it is made of. Only the high half counts.
const INTEGERS: [[[i16; 2]; 16]; 3] = {
    let mut all = [[[0; 2]; 16]; 3];
    let (mut vector, mut lane) = (0, 0);
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "checked by the compiler; at most 63"
    )]
    while vector < 3 {
        let [point, coordinate] = POINTS[vector][lane];
        all[vector][lane] = [(point * 4 + coordinate) as i16; 2];
        lane += 1;
        (vector, lane) = (vector + lane / 16, lane % 16);
    }
    all
};

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(crate) fn packed32_avx512(raw: &[U32], out: &mut [[f32; 3]]) {
    let (chunks, rest) = raw.as_chunks::<16>();
    let (values, last) = out.as_chunks_mut::<16>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let words: __m512i = transmute!(*chunk);
        let vectors = WORDS.map(|[word, above, beside]| {
            let words = _mm512_sllv_epi32(_mm512_permutexvar_epi32(cast(word), words), cast(above));
            cast::<_, [f32; 16]>(_mm512_cvtepi32_ps(_mm512_srav_epi32(words, cast(beside))))
        });
        *values = cast(vectors);
    }
    packed32::all(rest, last);
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn packed32_avx2(raw: &[U32], out: &mut [[f32; 3]]) {
    let [[words, above, beside], [more_words, more_above, more_beside], _] = WORDS;
    let [[words_a, words_b], [above_a, above_b], [beside_a, beside_b]] =
        [words, above, beside].map(cast::<_, [__m256i; 2]>);
    let [words_c, above_c, beside_c] =
        [more_words, more_above, more_beside].map(cast::<_, [__m256i; 2]>).map(|[first, _]| first);
    let tables = [[words_a, above_a, beside_a], [words_b, above_b, beside_b], [words_c, above_c, beside_c]];
    let (chunks, rest) = raw.as_chunks::<8>();
    let (values, last) = out.as_chunks_mut::<8>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let words: __m256i = transmute!(*chunk);
        let vectors = tables.map(|[word, above, beside]| {
            let words = _mm256_sllv_epi32(_mm256_permutevar8x32_epi32(words, word), above);
            cast::<_, [f32; 8]>(_mm256_cvtepi32_ps(_mm256_srav_epi32(words, beside)))
        });
        *values = cast(vectors);
    }
    packed32::all(rest, last);
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(crate) fn packed64_avx512(raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
    let (chunks, rest) = raw.as_chunks::<16>();
    let (values, last) = out.as_chunks_mut::<16>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let [low, high]: [__m512i; 2] = transmute!(*chunk);
        let vectors = INTEGERS.map(|places| {
            let high = _mm512_permutex2var_epi16(low, cast(places), high);
            cast::<_, [f32; 16]>(_mm512_cvtepi32_ps(_mm512_srai_epi32::<16>(high)))
        });
        *values = cast(vectors);
    }
    packed64::all(rest, last);
}

/// Eight vertices in four vectors, a pad behind each: which floats of the first and of the second, of the second and of
/// the third, and of the third and of the fourth make a vector of the output.
const PADLESS: [[i32; 8]; 3] = [[0, 1, 2, 4, 5, 6, 0, 1], [2, 4, 5, 6, 0, 1, 2, 4], [5, 6, 0, 1, 2, 4, 5, 6]];

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn packed64_avx2(raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
    let [places_a, places_b, places_c] = PADLESS.map(cast::<_, __m256i>);
    let (chunks, rest) = raw.as_chunks::<8>();
    let (values, last) = out.as_chunks_mut::<8>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let pairs: [__m128i; 4] = transmute!(*chunk);
        let [a, b, c, d] = pairs.map(|pair| _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(pair)));
        let pick = |from: __m256, places: __m256i| _mm256_permutevar8x32_ps(from, places);
        *values = cast([
            _mm256_blend_ps::<0b1100_0000>(pick(a, places_a), pick(b, places_a)),
            _mm256_blend_ps::<0b1111_0000>(pick(b, places_b), pick(c, places_b)),
            _mm256_blend_ps::<0b1111_1100>(pick(c, places_c), pick(d, places_c)),
        ]);
    }
    packed64::all(rest, last);
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn tangent16_avx512(raw: &[U16], out: &mut [f32]) {
    let [kept, put] = tangent16::PARTS.map(cast::<_, __m512i>);
    let (reciprocal, rest) = (_mm512_set1_ps(BY_65535.reciprocal), _mm512_set1_ps(BY_65535.rest));
    let (chunks, left) = raw.as_chunks::<16>();
    let (values, last) = out.as_chunks_mut::<16>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let codes: __m256i = transmute!(*chunk);
        let code = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(codes));
        let part = _mm512_fmadd_ps(code, reciprocal, _mm512_mul_ps(code, rest));
        let value = _mm512_sub_ps(_mm512_add_ps(part, part), _mm512_set1_ps(1.0));
        *values = cast(_mm512_or_si512(_mm512_and_si512(_mm512_castps_si512(value), kept), put));
    }
    tangent16::all::<true>(left, last);
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn half_avx512(raw: &[U16], out: &mut [f32]) {
    let (chunks, rest) = raw.as_chunks::<16>();
    let (values, last) = out.as_chunks_mut::<16>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let halves: __m256i = transmute!(*chunk);
        *values = cast(_mm512_cvtph_ps(halves));
    }
    half_floats::all(rest, last);
}

#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(crate) fn half_avx2(raw: &[U16], out: &mut [f32]) {
    let (chunks, rest) = raw.as_chunks::<8>();
    let (values, last) = out.as_chunks_mut::<8>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let halves: __m128i = transmute!(*chunk);
        *values = cast(_mm256_cvtph_ps(halves));
    }
    half_floats::all(rest, last);
}

/// For each byte of eight influences: which byte of their records it is, of which bone and weight take four each.
const JOINTS: [[u8; 8]; 8] = {
    let mut all = [[0; 8]; 8];
    let mut at = 0;
    #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "checked by the compiler")]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "at most 23")]
    while at < 8 {
        let first = at as u8 * 3;
        all[at] = [first, 0, 0, 0, first + 1, first + 2, 0, 0];
        at += 1;
    }
    all
};

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(crate) fn joint16_avx512(raw: &[RawJoint], out: &mut [Influence]) {
    let (reciprocal, rest) = (_mm512_set1_ps(BY_65535.reciprocal), _mm512_set1_ps(BY_65535.rest));
    // Eight records are 24 bytes: those of the first half are the first ones of 32, those of the second half the last.
    let influences = |bytes: [u8; 32], places: __m512i| {
        let bytes = _mm512_castsi256_si512(cast(bytes));
        let codes = _mm512_maskz_permutexvar_epi8(0x3131_3131_3131_3131, places, bytes);
        let code = _mm512_cvtepi32_ps(codes);
        let weight = _mm512_fmadd_ps(code, reciprocal, _mm512_mul_ps(code, rest));
        _mm512_mask_blend_ps(0xaaaa, _mm512_castsi512_ps(codes), weight)
    };
    let (front, back): (__m512i, __m512i) =
        (cast(JOINTS), cast(JOINTS.map(|places| places.map(|place| place.wrapping_add(8)))));
    let (chunks, left) = raw.as_chunks::<16>();
    let (values, last) = out.as_chunks_mut::<16>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let bytes: &[u8; 48] = transmute_ref!(chunk);
        let low = *bytes.first_chunk().unwrap_or(&[0; 32]);
        let high = *bytes.last_chunk().unwrap_or(&[0; 32]);
        *values = cast([influences(low, front), influences(high, back)]);
    }
    joint::all::<true>(left, last);
}
