//! Kernels that decode sixteen tangent frames at a time with AVX-512.
//!
//! One vector register holds the same component (such as x) of all sixteen quaternions. The square
//! roots and the divisions take most of the time. Because a register holds one component of sixteen
//! quaternions, square roots and divisions do useful work in every lane.
//!
//! Quaternion 4k + l is in lane 4l + k of a vector. If the quaternions have the lane order 4l + k,
//! four vectors (x, y, z, w) can be transposed to sixteen quaternions in file order with the fewest
//! instructions.

#![allow(
    clippy::many_single_char_names,
    clippy::large_types_passed_by_value,
    reason = "components of quaternions have one-letter names, and vectors stay in registers: all is inlined"
)]

use std::arch::x86_64::{
    __m512, __m512i, _CMP_GT_OQ, _mm512_add_ps, _mm512_and_si512, _mm512_castpd_ps, _mm512_castps_pd,
    _mm512_castsi512_ps, _mm512_cmp_ps_mask, _mm512_cvtepi32_ps, _mm512_div_ps, _mm512_fmadd_ps, _mm512_mask_mul_ps,
    _mm512_maskz_mul_ps, _mm512_maskz_permutex2var_epi8, _mm512_max_ps, _mm512_mul_ps, _mm512_or_si512,
    _mm512_permutex2var_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_sqrt_ps, _mm512_sub_ps,
    _mm512_unpackhi_pd, _mm512_unpackhi_ps, _mm512_unpacklo_pd, _mm512_unpacklo_ps,
};
use std::hint::black_box;

use bytemuck::cast;
use zerocopy::little_endian::I16;
use zerocopy::{transmute, transmute_ref};

use crate::decode::codec::one_by_one;
use crate::decode::divisor::BY_32767;
use crate::decode::stream::in_places;
use crate::decode::tangent_frame::axes::TangentFrame;
use crate::decode::tangent_frame::scalar::{RawQuat7, frame7, frame8};
use crate::simd::StreamingStore;

/// A byte permutation of two input vectors: for each of the four bytes of each 32-bit lane, the
/// index of the input byte (0 to 127).
type ByteIndices = [[u8; 4]; 16];

/// Returns the byte permutation that extracts one 16-bit component of sixteen stored records.
///
/// The component is at byte `at` of each record, and a record has `size` bytes. The second input
/// vector of the permutation begins with byte `second` of the sixteen records.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "checked by the compiler; at most 127"
)]
const fn places(size: usize, at: usize, second: usize) -> ByteIndices {
    let mut all = [[0; 4]; 16];
    let mut lane = 0;
    while lane < 16 {
        let low = (lane % 4 * 4 + lane / 4) * size + at;
        let mut byte = 0;
        while byte < 4 {
            let place = low + byte % 2;
            all[lane][byte] = (if place < 64 { place } else { 64 + place - second }) as u8;
            byte += 1;
        }
        lane += 1;
    }
    all
}

/// The byte permutations that extract x, y, z and w from records of eight bytes.
const EIGHT: [ByteIndices; 4] = [places(8, 0, 64), places(8, 2, 64), places(8, 4, 64), places(8, 6, 64)];
/// The byte permutations that extract x, y, z and the sign byte from records of seven bytes.
///
/// The sign byte is the last byte of the record. The sign byte is extracted as the high byte of a
/// 16-bit integer that consists of the last two bytes of the record.
const SEVEN: [ByteIndices; 4] = [places(7, 0, 48), places(7, 2, 48), places(7, 4, 48), places(7, 5, 48)];

/// Sixteen quaternions and their handedness, with one vector per component.
#[derive(Clone, Copy)]
pub(super) struct Quaternions {
    x: __m512,
    y: __m512,
    z: __m512,
    w: __m512,
    sign: __m512,
}

/// A mask with one bit per byte of a vector. In the mask `KEPT`, the bits of the two high bytes of
/// each 32-bit lane are set.
///
/// The kernels hide the mask `KEPT` from the compiler with `black_box`. A compiler that knows the
/// mask replaces the single instruction that permutes and clears bytes with two instructions.
const KEPT: u64 = 0xcccc_cccc_cccc_cccc;

/// Returns the mask [`KEPT`], hidden from the compiler.
#[inline]
pub(super) fn kept() -> u64 {
    black_box(KEPT)
}

/// Applies the byte permutation `places` to two vectors. The mask `kept`, which is [`KEPT`], clears
/// the low half of each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn gather(low: __m512i, high: __m512i, places: ByteIndices, kept: u64) -> __m512i {
    _mm512_maskz_permutex2var_epi8(kept, low, cast(places), high)
}

/// Divides the 16-bit integer in the high half of each lane by 32767.
///
/// The quotient is equal to the result of an `f32` division, as in
/// [`Divisor::divide`](crate::decode::divisor::Divisor::divide). A 32-bit lane with a 16-bit
/// integer in its high half has 65536 times the value of this integer. The reciprocal of 32767 is
/// therefore divided by 65536, which changes only the exponent of the reciprocal.
#[inline]
#[target_feature(enable = "avx512f")]
fn scale(high: __m512i) -> __m512 {
    const HIGH: f32 = 65536.0;
    let (reciprocal, rest) = (_mm512_set1_ps(BY_32767.reciprocal / HIGH), _mm512_set1_ps(BY_32767.rest / HIGH));
    let number = _mm512_cvtepi32_ps(high);
    _mm512_fmadd_ps(number, reciprocal, _mm512_mul_ps(number, rest))
}

/// Returns for each lane 1.0 if the integer in this lane of `of` is 0 or positive, and -1.0 if it
/// is negative.
#[inline]
#[target_feature(enable = "avx512f")]
fn sign(of: __m512i) -> __m512 {
    let one = _mm512_set1_epi32(0x3f80_0000);
    _mm512_castsi512_ps(_mm512_or_si512(_mm512_and_si512(of, _mm512_set1_epi32(i32::MIN)), one))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn eight(raw: &[[I16; 4]; 16], kept: u64) -> Quaternions {
    let [low, high]: [__m512i; 2] = transmute!(*raw);
    let [x, y, z, w] = EIGHT;
    let w = gather(low, high, w, kept);
    Quaternions {
        x: scale(gather(low, high, x, kept)),
        y: scale(gather(low, high, y, kept)),
        z: scale(gather(low, high, z, kept)),
        w: scale(w),
        sign: sign(w),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn seven(raw: &[RawQuat7; 16], kept: u64) -> Quaternions {
    let bytes: &[u8; 112] = transmute_ref!(raw);
    let low: __m512i = cast(*bytes.first_chunk::<64>().unwrap_or(&[0; 64]));
    let high: __m512i = cast(*bytes.last_chunk::<64>().unwrap_or(&[0; 64]));
    let [x, y, z, last] = SEVEN;
    let [x, y, z] =
        [scale(gather(low, high, x, kept)), scale(gather(low, high, y, kept)), scale(gather(low, high, z, kept))];
    let left = _mm512_sub_ps(_mm512_set1_ps(1.0), _mm512_mul_ps(x, x));
    let left = _mm512_sub_ps(_mm512_sub_ps(left, _mm512_mul_ps(y, y)), _mm512_mul_ps(z, z));
    let w = _mm512_sqrt_ps(_mm512_max_ps(left, _mm512_setzero_ps()));
    Quaternions { x, y, z, w, sign: sign(gather(low, high, last, kept)) }
}

/// Scales the quaternions to unit length. The results are bit for bit equal to the results of the
/// scalar function `unit`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn unit(parts: Quaternions) -> Quaternions {
    let Quaternions { x, y, z, w, sign } = parts;
    let square = _mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(y, y));
    let square = _mm512_add_ps(_mm512_add_ps(square, _mm512_mul_ps(z, z)), _mm512_mul_ps(w, w));
    let long = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(square, _mm512_setzero_ps());
    let one = _mm512_set1_ps(1.0);
    let scale = _mm512_div_ps(one, _mm512_sqrt_ps(square));
    Quaternions {
        x: _mm512_maskz_mul_ps(long, x, scale),
        y: _mm512_maskz_mul_ps(long, y, scale),
        z: _mm512_maskz_mul_ps(long, z, scale),
        w: _mm512_mask_mul_ps(one, long, w, scale),
        sign,
    }
}

/// Returns 2 (ab + cd) for each lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn twice_sum(a: __m512, b: __m512, c: __m512, d: __m512) -> __m512 {
    _mm512_mul_ps(_mm512_set1_ps(2.0), _mm512_add_ps(_mm512_mul_ps(a, b), _mm512_mul_ps(c, d)))
}

/// Returns 2 (ab - cd) for each lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn twice_difference(a: __m512, b: __m512, c: __m512, d: __m512) -> __m512 {
    _mm512_mul_ps(_mm512_set1_ps(2.0), _mm512_sub_ps(_mm512_mul_ps(a, b), _mm512_mul_ps(c, d)))
}

/// Computes the normals of sixteen tangent frames, with the same results as
/// [`TangentFrame::normal`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn normal(Quaternions { x, y, z, w, .. }: Quaternions) -> [__m512; 3] {
    let up = _mm512_sub_ps(_mm512_set1_ps(1.0), twice_sum(x, x, y, y));
    [twice_sum(x, z, y, w), twice_difference(y, z, x, w), up]
}

/// Transposes four vectors: row *i* of the result consists of the four floats of quaternion *i*.
/// Each of the four result vectors contains four rows of four floats.
#[inline]
#[target_feature(enable = "avx512f")]
fn rows(a: __m512, b: __m512, c: __m512, d: __m512) -> [__m512; 4] {
    let [low, more] = [_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d)].map(|pairs| _mm512_castps_pd(pairs));
    let [high, most] = [_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d)].map(|pairs| _mm512_castps_pd(pairs));
    [
        _mm512_castpd_ps(_mm512_unpacklo_pd(low, more)),
        _mm512_castpd_ps(_mm512_unpackhi_pd(low, more)),
        _mm512_castpd_ps(_mm512_unpacklo_pd(high, most)),
        _mm512_castpd_ps(_mm512_unpackhi_pd(high, most)),
    ]
}

/// Two permutations for each vector of the result of `triples`, which contains x, y, z of sixteen
/// frames in order. The first permutation of each pair in `TRIPLES` selects floats from the vectors
/// x and y. The second permutation selects from the result of the first permutation and from the
/// vector z.
const TRIPLES: [[[i32; 16]; 2]; 3] = {
    let mut all = [[[0; 16]; 2]; 3];
    let mut at = 0_i32;
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "checked by the compiler; at most 47"
    )]
    while at < 48 {
        let (vector, lane) = (at as usize / 16, at as usize % 16);
        let (triple, part) = (at / 3, at % 3);
        let place = triple % 4 * 4 + triple / 4;
        all[vector][0][lane] = place + if part == 1 { 16 } else { 0 };
        all[vector][1][lane] = if part == 2 { place + 16 } else { lane as i32 };
        at += 1;
    }
    all
};

#[inline]
#[target_feature(enable = "avx512f")]
fn triples([x, y, z]: [__m512; 3]) -> [__m512; 3] {
    let [[a, last_a], [b, last_b], [c, last_c]] = TRIPLES;
    [
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, cast(a), y), cast(last_a), z),
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, cast(b), y), cast(last_b), z),
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, cast(c), y), cast(last_c), z),
    ]
}

/// Two permutations for each vector of the result of `frames`, which contains sixteen tangent
/// frames of five floats. The first permutation of each pair in `FRAMES` selects floats from two
/// vectors of transposed rows. The second permutation selects from the result of the first
/// permutation and from the vector of signs.
const FRAMES: [[[i32; 16]; 2]; 5] = {
    let mut all = [[[0; 16]; 2]; 5];
    let mut at = 0_i32;
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "checked by the compiler; at most 79"
    )]
    while at < 80 {
        let (vector, lane) = (at as usize / 16, at as usize % 16);
        let (frame, part) = (at / 5, at % 5);
        // The first float of the result vector `vector` belongs to a frame whose row is in one of
        // the four vectors of rows. `first` is the index, among the 64 floats of all rows, of the
        // first float in the vector of rows that contains the row of this frame.
        let first = vector as i32 * 16 / 5 / 4 * 16;
        all[vector][0][lane] = if part < 4 { frame * 4 + part - first } else { 0 };
        all[vector][1][lane] = if part < 4 { lane as i32 } else { 16 + frame % 4 * 4 + frame / 4 };
        at += 1;
    }
    all
};

#[inline]
#[target_feature(enable = "avx512f")]
fn frames(Quaternions { x, y, z, w, sign }: Quaternions) -> [TangentFrame; 16] {
    let [a, b, c, d] = rows(x, y, z, w);
    let [[rows_a, all_a], [rows_b, all_b], [rows_c, all_c], [rows_d, all_d], [rows_e, all_e]] = FRAMES;
    cast([
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(a, cast(rows_a), b), cast(all_a), sign),
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(a, cast(rows_b), b), cast(all_b), sign),
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(b, cast(rows_c), c), cast(all_c), sign),
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(c, cast(rows_d), d), cast(all_d), sign),
        _mm512_permutex2var_ps(_mm512_permutex2var_ps(d, cast(rows_e), d), cast(all_e), sign),
    ])
}

/// Defines kernels that decode sixteen records at a time. The arguments of each kernel are an
/// expression that decodes sixteen records, and a function that decodes each of the remaining
/// records.
macro_rules! sixteen {
    ($(fn $name:ident($raw:ty) -> $value:ty = |$chunk:ident, $values:ident, $kept:ident| $many:expr, $one:expr;)*) => {$(
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        pub(crate) fn $name<S: StreamingStore>(raw: &[$raw], out: &mut [$value]) {
            let $kept = kept();
            in_places::<S, _, _, 16>(raw, out, |$chunk, $values| $many, |raw, out| one_by_one(raw, out, $one));
        }
    )*};
}

sixteen! {
    fn frames8([I16; 4]) -> TangentFrame = |raw, out, kept| *out = frames(unit(eight(raw, kept))), frame8;
    fn frames7(RawQuat7) -> TangentFrame = |raw, out, kept| *out = frames(unit(seven(raw, kept))), frame7;
    fn normals8([I16; 4]) -> [f32; 3] = |raw, out, kept| *out = cast(triples(normal(unit(eight(raw, kept))))), |raw| frame8(raw).normal();
    fn normals7(RawQuat7) -> [f32; 3] = |raw, out, kept| *out = cast(triples(normal(unit(seven(raw, kept))))), |raw| frame7(raw).normal();
}
