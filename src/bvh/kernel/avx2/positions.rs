//! Decodes the positions of the corners of four or eight triangles to vectors, with one lane per
//! triangle.

use std::arch::x86_64::{
    __m128, _mm_cvtepi32_ps, _mm_cvtepu16_epi32, _mm_cvtsi64_si128, _mm_movehl_ps, _mm_movelh_ps, _mm_unpackhi_ps,
    _mm_unpacklo_ps, _mm256_set_m128,
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
        VertexPositions::File(Positions(PositionEncoding::F32(array))) => {
            let bytes = array.as_bytes();
            joined(numbers, |numbers| load_positions(bytes, numbers))
        }
        VertexPositions::Computed(points) => joined(numbers, |numbers| load_positions(cast_slice(points), numbers)),
        VertexPositions::File(Positions(PositionEncoding::MinMax16(array))) => {
            let (bytes, decoder) = (array.as_bytes(), array.decoder());
            joined(numbers, |numbers| load_codes(bytes, &decoder, numbers))
        }
        VertexPositions::File(_) => None,
    }
    .unwrap_or_else(|| triangles.block::<true>(numbers))
}

/// Loads the first four and the last four of eight triangles, and joins their vectors.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn joined(numbers: &CornerIndices, load: impl Fn(&[u32; 3 * QUAD]) -> Option<Quad>) -> Option<TriangleBlock> {
    let [first, last] = numbers.as_flattened().as_chunks().0 else { return None };
    let (first, last) = (load(first)?, load(last)?);
    let mut block = TriangleBlock { corners: [[[0.0; LANES]; 3]; 3] };
    let axes = first.as_flattened().iter().zip(last.as_flattened());
    for (axis, (first, last)) in block.corners.as_flattened_mut().iter_mut().zip(axes) {
        *axis = cast(_mm256_set_m128(*last, *first));
    }
    Some(block)
}
