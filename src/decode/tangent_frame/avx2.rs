//! Kernels that decode eight tangent frames at a time, for processors without AVX-512.
//!
//! One vector register holds the same component (such as x) of all eight quaternions, as in the
//! kernels for AVX-512.

#![allow(clippy::many_single_char_names, reason = "components of quaternions have one-letter names")]

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _CMP_GT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_blend_ps, _mm256_blendv_ps,
    _mm256_broadcastsi128_si256, _mm256_castpd_ps, _mm256_castps_pd, _mm256_castsi256_ps, _mm256_cmp_ps,
    _mm256_cvtepi32_ps, _mm256_div_ps, _mm256_fmadd_ps, _mm256_max_ps, _mm256_mul_ps, _mm256_or_ps,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_epi8,
    _mm256_sqrt_ps, _mm256_sub_ps, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpackhi_pd,
    _mm256_unpackhi_ps, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_unpacklo_pd, _mm256_unpacklo_ps,
};

use bytemuck::{cast, cast_mut};
use zerocopy::little_endian::I16;
use zerocopy::{transmute, transmute_ref};

use crate::decode::codec::one_by_one;
use crate::decode::divisor::BY_32767;
use crate::decode::packed64::x86::without_fourth;
use crate::decode::stream::in_places;
use crate::decode::tangent_frame::axes::TangentFrame;
use crate::decode::tangent_frame::scalar::{RawQuat7, frame7, frame8};
use crate::simd::StreamingStore;

/// Size of eight stored quaternions of seven bytes each, in bytes.
const BYTES: usize = 56;

/// Returns a byte shuffle that moves the 16-bit x, y and z of a quaternion to the high halves of
/// three 32-bit lanes, and the sign byte to the highest byte of a fourth lane.
///
/// The seven bytes begin at byte `at` of the 16 bytes that are shuffled.
#[allow(clippy::arithmetic_side_effects, reason = "checked by the compiler")]
const fn places(at: i8) -> [i8; 16] {
    [-1, -1, at, at + 1, -1, -1, at + 2, at + 3, -1, -1, at + 4, at + 5, -1, -1, -1, at + 6]
}

/// Loads sixteen bytes into a vector, starting at byte `at` of `bytes`.
#[inline]
#[target_feature(enable = "avx2")]
fn half(bytes: &[u8; BYTES], at: usize) -> __m128i {
    cast(bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()).copied().unwrap_or_default())
}

/// Divides the 16-bit integer in the high half of each lane by 32767.
///
/// The quotient is bit for bit equal to the result of an `f32` division. A lane with a 16-bit
/// integer in its high half has 65536 times the value of this integer. The reciprocal of 32767 is
/// therefore divided by 65536, which changes only the exponent of the reciprocal.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn scale(high: __m256i) -> __m256 {
    const HIGH: f32 = 65536.0;
    let (reciprocal, rest) = (_mm256_set1_ps(BY_32767.reciprocal / HIGH), _mm256_set1_ps(BY_32767.rest / HIGH));
    let number = _mm256_cvtepi32_ps(high);
    _mm256_fmadd_ps(number, reciprocal, _mm256_mul_ps(number, rest))
}

/// Returns x, y, z and the sign of each of two quaternions, in the high parts of 32-bit lanes.
///
/// The fourteen bytes of the two quaternions begin at byte `first` (0 or 2) of `bytes`. Both halves
/// of the shuffled vector contain all of `bytes`, because a load that fills both halves takes no
/// shuffle instruction.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(bytes: __m128i, first: usize) -> __m256i {
    let places = if first == 0 { [places(0), places(7)] } else { [places(2), places(9)] };
    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), cast(places))
}

/// Eight quaternions and their handedness, with one vector per component.
///
/// The first half of each vector contains quaternions 0, 2, 4 and 6, and the second half contains
/// quaternions 1, 3, 5 and 7.
#[derive(Clone, Copy)]
struct Components {
    x: __m256,
    y: __m256,
    z: __m256,
    w: __m256,
    sign: __m256,
}

/// Returns for each lane 1.0 if the highest bit of this lane of `of` is clear, and -1.0 if it is
/// set.
#[inline]
#[target_feature(enable = "avx2")]
fn sign(of: __m256) -> __m256 {
    _mm256_or_ps(_mm256_and_ps(of, _mm256_set1_ps(-0.0)), _mm256_set1_ps(1.0))
}

/// Decodes eight quaternions of seven bytes. The computed w is not negative.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn seven(chunk: &[RawQuat7; 8]) -> Components {
    let bytes: &[u8; BYTES] = transmute_ref!(chunk);
    // The last two of eight quaternions are taken from the last sixteen of the 56 bytes, because a
    // load of sixteen bytes from their start would exceed the 56 bytes.
    let [a, b, c, d] = [(0, 0), (14, 0), (28, 0), (40, 2)].map(|(at, first)| pair(half(bytes, at), first));
    let [xy, more_xy] = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
    let [zs, more_zs] = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
    let x = scale(_mm256_unpacklo_epi64(xy, more_xy));
    let y = scale(_mm256_unpackhi_epi64(xy, more_xy));
    let z = scale(_mm256_unpacklo_epi64(zs, more_zs));
    let square = |part: __m256| _mm256_mul_ps(part, part);
    let left = _mm256_sub_ps(_mm256_sub_ps(_mm256_sub_ps(_mm256_set1_ps(1.0), square(x)), square(y)), square(z));
    let w = _mm256_sqrt_ps(_mm256_max_ps(left, _mm256_setzero_ps()));
    Components { x, y, z, w, sign: sign(_mm256_castsi256_ps(_mm256_unpackhi_epi64(zs, more_zs))) }
}

/// Moves two 16-bit components of the two quaternions in each half of a vector to the high halves
/// of 32-bit lanes: x and y, or z and w. The low halves become 0.
pub(super) const XY: [[i8; 16]; 2] = [[-1, -1, 0, 1, -1, -1, 8, 9, -1, -1, 2, 3, -1, -1, 10, 11]; 2];
pub(super) const ZW: [[i8; 16]; 2] = [[-1, -1, 4, 5, -1, -1, 12, 13, -1, -1, 6, 7, -1, -1, 14, 15]; 2];

/// Decodes eight quaternions of eight bytes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn eight(chunk: &[[I16; 4]; 8]) -> Components {
    let fours: [__m256i; 2] = transmute!(*chunk);
    let [front, back] = fours.map(|four| _mm256_permute4x64_epi64::<0b11_01_10_00>(four));
    let [a, b] = [_mm256_shuffle_epi8(front, cast(XY)), _mm256_shuffle_epi8(back, cast(XY))];
    let [c, d] = [_mm256_shuffle_epi8(front, cast(ZW)), _mm256_shuffle_epi8(back, cast(ZW))];
    let [x, y] = [scale(_mm256_unpacklo_epi64(a, b)), scale(_mm256_unpackhi_epi64(a, b))];
    let [z, w] = [scale(_mm256_unpacklo_epi64(c, d)), scale(_mm256_unpackhi_epi64(c, d))];
    Components { x, y, z, w, sign: sign(w) }
}

/// Scales quaternions to unit length, with the same results as the scalar function `unit`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn unit([x, y, z, w]: [__m256; 4]) -> [__m256; 4] {
    let square = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    let square = _mm256_add_ps(_mm256_add_ps(square, _mm256_mul_ps(z, z)), _mm256_mul_ps(w, w));
    let is_long = _mm256_cmp_ps::<_CMP_GT_OQ>(square, _mm256_setzero_ps());
    let one = _mm256_set1_ps(1.0);
    let scale = _mm256_and_ps(is_long, _mm256_div_ps(one, _mm256_sqrt_ps(square)));
    let w = _mm256_blendv_ps(one, _mm256_mul_ps(w, scale), is_long);
    [_mm256_mul_ps(x, scale), _mm256_mul_ps(y, scale), _mm256_mul_ps(z, scale), w]
}

#[inline]
#[target_feature(enable = "avx2")]
fn unit_frames(Components { x, y, z, w, sign }: Components) -> Components {
    let [x, y, z, w] = unit([x, y, z, w]);
    Components { x, y, z, w, sign }
}

/// Returns 2 (ab + cd) for each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn twice_sum(a: __m256, b: __m256, c: __m256, d: __m256) -> __m256 {
    _mm256_mul_ps(_mm256_set1_ps(2.0), _mm256_add_ps(_mm256_mul_ps(a, b), _mm256_mul_ps(c, d)))
}

/// Returns 2 (ab - cd) for each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn twice_difference(a: __m256, b: __m256, c: __m256, d: __m256) -> __m256 {
    _mm256_mul_ps(_mm256_set1_ps(2.0), _mm256_sub_ps(_mm256_mul_ps(a, b), _mm256_mul_ps(c, d)))
}

/// Computes the normals of eight tangent frames, with the same results as
/// [`TangentFrame::normal`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn normal([x, y, z, w]: [__m256; 4]) -> [__m256; 3] {
    let up = _mm256_sub_ps(_mm256_set1_ps(1.0), twice_sum(x, x, y, y));
    [twice_sum(x, z, y, w), twice_difference(y, z, x, w), up]
}

/// Transposes four vectors to eight rows of four floats, in the order of the quaternions.
#[inline]
#[target_feature(enable = "avx2")]
fn rows([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    let pairs = |pairs: __m256| _mm256_castps_pd(pairs);
    let [low, high] = [pairs(_mm256_unpacklo_ps(a, b)), pairs(_mm256_unpackhi_ps(a, b))];
    let [more, most] = [pairs(_mm256_unpacklo_ps(c, d)), pairs(_mm256_unpackhi_ps(c, d))];
    [
        _mm256_unpacklo_pd(low, more),
        _mm256_unpackhi_pd(low, more),
        _mm256_unpacklo_pd(high, most),
        _mm256_unpackhi_pd(high, most),
    ]
    .map(|rows| _mm256_castpd_ps(rows))
}

/// Returns x, y, z of eight vectors in order.
#[inline]
#[target_feature(enable = "avx2")]
fn triples([x, y, z]: [__m256; 3]) -> [__m256; 3] {
    without_fourth(rows([x, y, z, z]))
}

/// Returns eight tangent frames of five floats in order.
#[inline]
#[target_feature(enable = "avx2")]
fn frames(Components { x, y, z, w, sign }: Components) -> [__m256; 5] {
    let [a, b, c, d] = rows([x, y, z, w]);
    let pick = |from: __m256, places: [i32; 8]| _mm256_permutevar8x32_ps(from, cast(places));
    // The signs of eight frames are in eight different lanes of five vectors.
    let sign = pick(sign, [2, 4, 3, 5, 0, 6, 1, 7]);
    let second = _mm256_blend_ps::<0b1111_1110>(pick(a, [7; 8]), pick(b, [0, 0, 0, 1, 2, 3, 0, 4]));
    let third = _mm256_blend_ps::<0b1111_0000>(pick(b, [5, 6, 7, 0, 0, 0, 0, 0]), pick(c, [0, 0, 0, 0, 0, 1, 2, 3]));
    let fourth = _mm256_blend_ps::<0b1100_0000>(pick(c, [0, 4, 5, 6, 7, 0, 0, 0]), pick(d, [0, 0, 0, 0, 0, 0, 0, 1]));
    [
        _mm256_blend_ps::<0b0001_0000>(pick(a, [0, 1, 2, 3, 0, 4, 5, 6]), sign),
        _mm256_blend_ps::<0b0100_0010>(second, sign),
        _mm256_blend_ps::<0b0000_1000>(third, sign),
        _mm256_blend_ps::<0b0010_0001>(fourth, sign),
        _mm256_blend_ps::<0b1000_0100>(pick(d, [2, 3, 0, 4, 5, 6, 7, 0]), sign),
    ]
}

/// Defines kernels that decode sixteen records, eight at a time. The arguments of each kernel are
/// an expression that decodes eight records, and a function that decodes each of the remaining
/// records.
macro_rules! sixteen {
    ($(fn $name:ident($raw:ty) -> $value:ty = |$chunk:ident, $values:ident: $kind:ty| $many:expr, $one:expr;)*) => {$(
        #[inline]
        #[target_feature(enable = "avx2,fma")]
        pub(crate) fn $name<S: StreamingStore>(raw: &[$raw], out: &mut [$value]) {
            let decode = |chunk: &[$raw; 16], values: &mut [$value; 16]| {
                let values: &mut [$kind; 2] = cast_mut(values);
                for ($values, $chunk) in values.iter_mut().zip(chunk.as_chunks().0) {
                    $many;
                }
            };
            in_places::<S, _, _, 16>(raw, out, decode, |raw, out| one_by_one(raw, out, $one));
        }
    )*};
}

sixteen! {
    fn frames8([I16; 4]) -> TangentFrame = |raw, out: [[f32; 8]; 5]| *out = cast(frames(unit_frames(eight(raw)))), frame8;
    fn frames7(RawQuat7) -> TangentFrame = |raw, out: [[f32; 8]; 5]| *out = cast(frames(unit_frames(seven(raw)))), frame7;
    fn normals8([I16; 4]) -> [f32; 3] = |raw, out: [[f32; 8]; 3]| {
        let Components { x, y, z, w, .. } = eight(raw);
        *out = cast(triples(normal(unit([x, y, z, w]))));
    }, |raw| frame8(raw).normal();
    fn normals7(RawQuat7) -> [f32; 3] = |raw, out: [[f32; 8]; 3]| {
        let Components { x, y, z, w, .. } = seven(raw);
        *out = cast(triples(normal(unit([x, y, z, w]))));
    }, |raw| frame7(raw).normal();
}
