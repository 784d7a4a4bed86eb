//! Decodes the positions of the corners of four or eight triangles to vectors, with one lane per
//! triangle.

use std::arch::x86_64::{
    __m128, __m256, _mm_cvtepi32_ps, _mm_cvtepu16_epi32, _mm_cvtsi64_si128, _mm_movehl_ps, _mm_movelh_ps,
    _mm_unpackhi_ps, _mm_unpacklo_ps, _mm256_set_m128, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

use bytemuck::{cast, cast_slice};

use crate::array::Array;
use crate::bvh::lanes::{CornerIndices, LANES, QUAD, TriangleBlock};
use crate::bvh::triangles::{Triangles, VertexPositions};
use crate::decode::MinMax16;
use crate::decode::divisor::BY_65535;
use crate::model::{PositionEncoding, Positions};
use crate::simd::load_records;

/// The positions of the corners of four triangles: for each corner and each axis, one vector with
/// the coordinate of every triangle.
pub(super) type Quad = [[__m128; 3]; 3];

/// Loads the positions of the corners of four triangles. Returns `None` if a vertex index is that
/// of the last position, which can't be loaded as 16 bytes, or is out of range.
#[target_feature(enable = "avx2,fma")]
#[inline]
#[allow(clippy::many_single_char_names, reason = "twelve corners with the same role")]
pub(super) fn load_positions(bytes: &[u8], numbers: &[u32; 3 * QUAD]) -> Option<Quad> {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = load_records::<12, 16>(bytes, numbers)?;
    let quad = |corners: [[u8; 16]; QUAD]| {
        let [a, b, c, d]: [__m128; QUAD] = cast(corners);
        turned4(a, b, c, d)
    };
    Some([quad([a, d, g, j]), quad([b, e, h, k]), quad([c, f, i, l])])
}

/// Decodes the positions of the corners of four triangles from 16-bit codes, like
/// [`load_positions`].
#[target_feature(enable = "avx2,fma")]
#[inline]
#[allow(clippy::many_single_char_names, reason = "twelve corners with the same role")]
pub(super) fn load_codes(bytes: &[u8], decoder: &MinMax16<3>, numbers: &[u32; 3 * QUAD]) -> Option<Quad> {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = load_records::<6, 8>(bytes, numbers)?;
    let wide = |codes| _mm_cvtepi32_ps(_mm_cvtepu16_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(codes))));
    let quad = |[a, b, c, d]: [[u8; 8]; QUAD]| {
        let mut axes: [[f32; QUAD]; 3] = cast(turned4(wide(a), wide(b), wide(c), wide(d)));
        scale(&mut axes, decoder);
        cast(axes)
    };
    Some([quad([a, d, g, j]), quad([b, e, h, k]), quad([c, f, i, l])])
}

/// Transposes four positions to three vectors: the x, the y and the z coordinates of all four.
#[target_feature(enable = "avx2,fma")]
#[inline]
#[allow(clippy::many_single_char_names, reason = "four parameters with the same role")]
fn turned4(a: __m128, b: __m128, c: __m128, d: __m128) -> [__m128; 3] {
    let (low, high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
    let (other_low, other_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
    [_mm_movelh_ps(low, other_low), _mm_movehl_ps(other_low, low), _mm_movelh_ps(high, other_high)]
}

/// Loads the sixteen bytes that start with the position of vertex `number`. The position takes the
/// first twelve of the sixteen loaded bytes.
///
/// Returns four NaNs if the vertex index `number` is out of range.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn position12(bytes: &[u8], number: u32) -> __m128 {
    let at = crate::math::as_index(number).wrapping_mul(12);
    match bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        Some(found) => cast(*found),
        None => last12(bytes, at),
    }
}

/// Loads the last position of the array, without reading bytes after the array. Returns NaNs if the
/// byte offset `at` is not the offset of a complete position.
#[cold]
fn last12(bytes: &[u8], at: usize) -> __m128 {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk::<12>);
    let [x, y, z] = found.map_or([f32::NAN; 3], |found| cast(*found));
    cast([x, y, z, f32::NAN])
}

/// Loads the three quantized 16-bit coordinates of vertex `number`, and converts them to floats (0
/// to 65535).
#[target_feature(enable = "avx2,fma")]
#[inline]
fn position6(bytes: &[u8], number: u32) -> __m128 {
    let at = crate::math::as_index(number).wrapping_mul(6);
    match bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        Some(found) => _mm_cvtepi32_ps(_mm_cvtepu16_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(*found)))),
        None => last6(bytes, at),
    }
}

/// Loads the last position of the array, without reading bytes after the array. Returns NaNs if the
/// byte offset `at` is not the offset of a complete position.
#[cold]
fn last6(bytes: &[u8], at: usize) -> __m128 {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk::<6>);
    let [x, y, z] = found.map_or([f32::NAN; 3], |[a, b, c, d, e, f]| {
        [[*a, *b], [*c, *d], [*e, *f]].map(|code| f32::from(u16::from_le_bytes(code)))
    });
    cast([x, y, z, f32::NAN])
}

/// Transposes eight positions to three vectors: the x, the y and the z coordinates of all eight
/// positions.
#[target_feature(enable = "avx2,fma")]
#[inline]
#[allow(clippy::many_single_char_names, reason = "eight parameters with the same role")]
fn turned([a, b, c, d, e, f, g, h]: [__m128; 8]) -> [__m256; 3] {
    let pair = |low, high| _mm256_set_m128(high, low);
    let [first, second, third, fourth] = [pair(a, e), pair(b, f), pair(c, g), pair(d, h)];
    let (low, high) = (_mm256_unpacklo_ps(first, second), _mm256_unpackhi_ps(first, second));
    let (other_low, other_high) = (_mm256_unpacklo_ps(third, fourth), _mm256_unpackhi_ps(third, fourth));
    [
        _mm256_shuffle_ps::<0b01_00_01_00>(low, other_low),
        _mm256_shuffle_ps::<0b11_10_11_10>(low, other_low),
        _mm256_shuffle_ps::<0b01_00_01_00>(high, other_high),
    ]
}

/// Decodes coordinates in lanes from their 16-bit codes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn scale<const N: usize>(axes: &mut [[f32; N]; 3], decoder: &MinMax16<3>) {
    for (axis, (min, max)) in axes.iter_mut().zip(decoder.min().into_iter().zip(decoder.max())) {
        for code in axis {
            *code = BY_65535.divide::<true>(*code) * (max - min) + min;
        }
    }
}

/// Decodes the positions of the corners of eight triangles. Returns the same block as
/// [`Triangles::block`].
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn block(triangles: &Triangles<'_>, numbers: &CornerIndices) -> TriangleBlock {
    match triangles.points() {
        VertexPositions::File(Positions(PositionEncoding::F32(array))) => floats(array.as_bytes(), numbers),
        VertexPositions::Computed(points) => floats(cast_slice(points), numbers),
        VertexPositions::File(Positions(PositionEncoding::MinMax16(array))) => {
            codes(array.as_bytes(), array.decoder(), numbers)
        }
        VertexPositions::File(_) => triangles.block::<true>(numbers),
    }
}

#[target_feature(enable = "avx2,fma")]
#[inline]
#[allow(clippy::many_single_char_names, reason = "eight parameters with the same role")]
fn floats(bytes: &[u8], [a, b, c, d, e, f, g, h]: &CornerIndices) -> TriangleBlock {
    let mut corners = [[[0.0; LANES]; 3]; 3];
    let numbers = a.iter().zip(b).zip(c).zip(d).zip(e).zip(f).zip(g).zip(h);
    for (axes, (((((((a, b), c), d), e), f), g), h)) in corners.iter_mut().zip(numbers) {
        let [a, b, c, d] = [position12(bytes, *a), position12(bytes, *b), position12(bytes, *c), position12(bytes, *d)];
        let [e, f, g, h] = [position12(bytes, *e), position12(bytes, *f), position12(bytes, *g), position12(bytes, *h)];
        let [x, y, z] = turned([a, b, c, d, e, f, g, h]);
        *axes = [cast(x), cast(y), cast(z)];
    }
    TriangleBlock { corners }
}

#[target_feature(enable = "avx2,fma")]
#[inline]
#[allow(clippy::many_single_char_names, reason = "eight parameters with the same role")]
fn codes(bytes: &[u8], decoder: MinMax16<3>, [a, b, c, d, e, f, g, h]: &CornerIndices) -> TriangleBlock {
    let mut corners = [[[0.0; LANES]; 3]; 3];
    let numbers = a.iter().zip(b).zip(c).zip(d).zip(e).zip(f).zip(g).zip(h);
    for (axes, (((((((a, b), c), d), e), f), g), h)) in corners.iter_mut().zip(numbers) {
        let [a, b, c, d] = [position6(bytes, *a), position6(bytes, *b), position6(bytes, *c), position6(bytes, *d)];
        let [e, f, g, h] = [position6(bytes, *e), position6(bytes, *f), position6(bytes, *g), position6(bytes, *h)];
        let turned = turned([a, b, c, d, e, f, g, h]);
        *axes = turned.map(cast);
        scale(axes, &decoder);
    }
    TriangleBlock { corners }
}
