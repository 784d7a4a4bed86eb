//! Kernels that decode eight quaternions of seven bytes each at a time, for processors without
//! AVX-512.

#![allow(clippy::many_single_char_names, reason = "components of quaternions have one-letter names")]

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm256_blend_ps, _mm256_castpd_ps, _mm256_castps_pd, _mm256_cvtepi32_ps, _mm256_fmadd_ps,
    _mm256_max_ps, _mm256_mul_ps, _mm256_permute_ps, _mm256_set_m128i, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_shuffle_epi8, _mm256_sqrt_ps, _mm256_sub_ps, _mm256_unpackhi_pd, _mm256_unpackhi_ps, _mm256_unpacklo_pd,
    _mm256_unpacklo_ps,
};

use bytemuck::cast;
use zerocopy::transmute_ref;

use crate::decode::codec::one_by_one;
use crate::decode::divisor::BY_32767;
use crate::decode::tangent_frame::scalar::{RawQuat7, rotation7};

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

/// Returns x, y, z and 0 for each of two quaternions, as floats.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn pair(low: __m128i, high: __m128i, places: [[i8; 16]; 2]) -> __m256 {
    scale(_mm256_shuffle_epi8(_mm256_set_m128i(high, low), cast(places)))
}

/// Computes the component w of eight quaternions from x, y and z. The first half of the returned
/// vector contains the w of quaternions 0, 2, 4, 6, and the second half the w of quaternions 1, 3,
/// 5, 7.
#[inline]
#[target_feature(enable = "avx2")]
fn fourth([a, b, c, d]: [__m256; 4]) -> __m256 {
    let square = |part: __m256| _mm256_mul_ps(part, part);
    let [a, b, c, d] = [square(a), square(b), square(c), square(d)];
    let pairs = |pairs: __m256| _mm256_castps_pd(pairs);
    let (xy_low, xy_high) = (pairs(_mm256_unpacklo_ps(a, b)), pairs(_mm256_unpacklo_ps(c, d)));
    let (z_low, z_high) = (pairs(_mm256_unpackhi_ps(a, b)), pairs(_mm256_unpackhi_ps(c, d)));
    let x = _mm256_castpd_ps(_mm256_unpacklo_pd(xy_low, xy_high));
    let y = _mm256_castpd_ps(_mm256_unpackhi_pd(xy_low, xy_high));
    let z = _mm256_castpd_ps(_mm256_unpacklo_pd(z_low, z_high));
    let left = _mm256_sub_ps(_mm256_sub_ps(_mm256_sub_ps(_mm256_set1_ps(1.0), x), y), z);
    _mm256_sqrt_ps(_mm256_max_ps(left, _mm256_setzero_ps()))
}

/// Decodes quaternions that are stored in seven bytes.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn rotations7(raw: &[RawQuat7], out: &mut [[f32; 4]]) {
    const FRONT: [[i8; 16]; 2] = [places(0), places(0)];
    let (chunks, rest) = raw.as_chunks::<8>();
    let (values, last) = out.as_chunks_mut::<8>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        let bytes: &[u8; BYTES] = transmute_ref!(chunk);
        // The last two of eight quaternions are both taken from the last sixteen of the 56 bytes. A
        // load of sixteen bytes from the start of one of the last two quaternions would exceed the
        // 56 bytes.
        let end = half(bytes, 40);
        let a = pair(half(bytes, 0), half(bytes, 7), FRONT);
        let b = pair(half(bytes, 14), half(bytes, 21), FRONT);
        let c = pair(half(bytes, 28), half(bytes, 35), FRONT);
        let d = pair(end, end, [places(2), places(9)]);
        let w = fourth([a, b, c, d]);
        *values = cast([
            _mm256_blend_ps::<0b1000_1000>(a, _mm256_permute_ps::<0b00_00_00_00>(w)),
            _mm256_blend_ps::<0b1000_1000>(b, _mm256_permute_ps::<0b01_00_00_00>(w)),
            _mm256_blend_ps::<0b1000_1000>(c, _mm256_permute_ps::<0b10_00_00_00>(w)),
            _mm256_blend_ps::<0b1000_1000>(d, w),
        ]);
    }
    one_by_one(rest, last, rotation7);
}
