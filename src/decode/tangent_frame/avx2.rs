//! Kernels that decode eight quaternions of seven bytes each at a time, for processors without
//! AVX-512.

#![allow(clippy::many_single_char_names, reason = "components of quaternions have one-letter names")]

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm256_broadcastsi128_si256, _mm256_castpd_ps, _mm256_castps_pd, _mm256_cvtepi32_ps,
    _mm256_fmadd_ps, _mm256_max_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_epi8,
    _mm256_sqrt_ps, _mm256_sub_ps, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpackhi_pd,
    _mm256_unpackhi_ps, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_unpacklo_pd, _mm256_unpacklo_ps,
};

use bytemuck::cast;
use zerocopy::transmute_ref;

use crate::decode::codec::one_by_one;
use crate::decode::divisor::BY_32767;
use crate::decode::stream::in_chunks;
use crate::decode::tangent_frame::scalar::{RawQuat7, rotation7};
use crate::simd::StreamingStore;

/// Size of eight stored quaternions of seven bytes each, in bytes.
const BYTES: usize = 56;

/// Returns a byte shuffle that moves the 16-bit x, y and z of a quaternion to the high halves of
/// three 32-bit lanes.
///
/// The six bytes of x, y and z begin at byte `at` of the 16 bytes that are shuffled.
#[allow(clippy::arithmetic_side_effects, reason = "checked by the compiler")]
const fn places(at: i8) -> [i8; 16] {
    [-1, -1, at, at + 1, -1, -1, at + 2, at + 3, -1, -1, at + 4, at + 5, -1, -1, -1, -1]
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

/// Returns x, y, z and 0 for each of two quaternions, in the high halves of 32-bit lanes.
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

/// Eight quaternions, with one vector for each of x, y, z and w.
///
/// The first half of each vector contains quaternions 0, 2, 4 and 6, and the second half contains
/// quaternions 1, 3, 5 and 7.
type Components = [__m256; 4];

/// Decodes eight quaternions of seven bytes. The computed w is not negative.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn seven(chunk: &[RawQuat7; 8]) -> Components {
    let bytes: &[u8; BYTES] = transmute_ref!(chunk);
    // The last two of eight quaternions are taken from the last sixteen of the 56 bytes, because a
    // load of sixteen bytes from their start would exceed the 56 bytes.
    let [a, b, c, d] = [(0, 0), (14, 0), (28, 0), (40, 2)].map(|(at, first)| pair(half(bytes, at), first));
    let [xy, more_xy] = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
    let [z, more_z] = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
    let x = scale(_mm256_unpacklo_epi64(xy, more_xy));
    let y = scale(_mm256_unpackhi_epi64(xy, more_xy));
    let z = scale(_mm256_unpacklo_epi64(z, more_z));
    let square = |part: __m256| _mm256_mul_ps(part, part);
    let left = _mm256_sub_ps(_mm256_sub_ps(_mm256_sub_ps(_mm256_set1_ps(1.0), square(x)), square(y)), square(z));
    [x, y, z, _mm256_sqrt_ps(_mm256_max_ps(left, _mm256_setzero_ps()))]
}

/// Returns the eight quaternions in order.
#[inline]
#[target_feature(enable = "avx2")]
fn rows([x, y, z, w]: Components) -> [__m256; 4] {
    let pairs = |pairs: __m256| _mm256_castps_pd(pairs);
    let [xy, more_xy] = [pairs(_mm256_unpacklo_ps(x, y)), pairs(_mm256_unpackhi_ps(x, y))];
    let [zw, more_zw] = [pairs(_mm256_unpacklo_ps(z, w)), pairs(_mm256_unpackhi_ps(z, w))];
    [
        _mm256_unpacklo_pd(xy, zw),
        _mm256_unpackhi_pd(xy, zw),
        _mm256_unpacklo_pd(more_xy, more_zw),
        _mm256_unpackhi_pd(more_xy, more_zw),
    ]
    .map(|rows| _mm256_castpd_ps(rows))
}

/// Decodes quaternions that are stored in seven bytes.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn rotations7<S: StreamingStore>(raw: &[RawQuat7], out: &mut [[f32; 4]]) {
    let decode = |chunk: &[RawQuat7; 8]| cast(rows(seven(chunk)));
    in_chunks::<S, _, _, 8>(raw, out, decode, |raw, out| one_by_one(raw, out, rotation7));
}
