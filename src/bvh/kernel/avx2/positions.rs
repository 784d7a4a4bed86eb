//! Decodes the positions of the corners of four or eight triangles to vectors, with one lane per
//! triangle.

use std::arch::x86_64::{
    __m128, _mm_cvtepi32_ps, _mm_cvtepu16_epi32, _mm_cvtsi64_si128, _mm_movehl_ps, _mm_movelh_ps, _mm_unpackhi_ps,
    _mm_unpacklo_ps, _mm256_set_m128,
};

use bytemuck::{cast, cast_slice};
use zerocopy::transmute_ref;

use crate::array::Array;
use crate::bvh::lanes::{CornerIndices, LANES, QUAD, TriangleBlock};
use crate::bvh::triangles::{Triangles, VertexPositions};
use crate::decode::MinMax16;
use crate::decode::divisor::BY_65535;
use crate::model::{PositionEncoding, Positions};
use crate::simd::Records;

/// The positions of the corners of four triangles: for each corner and each axis, one vector with
/// the coordinate of every triangle.
pub(super) type Quad = [[__m128; 3]; 3];

/// Positions of three floats. The last position of an array cannot be loaded, because each position
/// is loaded as 16 bytes.
pub(super) type FloatRecords<'a> = Records<'a, 12, 16>;

/// Positions of three 16-bit codes. The last position of an array cannot be loaded, because each
/// position is loaded as 8 bytes.
pub(super) type CodeRecords<'a> = Records<'a, 6, 8>;

/// Loads the positions of the corners of the first four triangles of a leaf, or of the last four.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn load_positions(records: FloatRecords<'_>, is_last: bool) -> Quad {
    let quad = |[a, b, c, d]: [[u8; 16]; QUAD]| turned4(cast(a), cast(b), cast(c), cast(d));
    let [first, second, third] = by_corner(records.load(is_last));
    [quad(first), quad(second), quad(third)]
}

/// Decodes the positions of the corners of four triangles from 16-bit codes, like
/// [`load_positions`].
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn load_codes(records: CodeRecords<'_>, decoder: &MinMax16<3>, is_last: bool) -> Quad {
    let wide = |codes| _mm_cvtepi32_ps(_mm_cvtepu16_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(codes))));
    let quad = |[a, b, c, d]: [[u8; 8]; QUAD]| {
        let mut axes: [[f32; QUAD]; 3] = cast(turned4(wide(a), wide(b), wide(c), wide(d)));
        scale(&mut axes, decoder);
        cast(axes)
    };
    let [first, second, third] = by_corner(records.load(is_last));
    [quad(first), quad(second), quad(third)]
}

/// Returns, for each corner of a triangle, the records of four triangles.
#[inline(always)]
#[allow(clippy::many_single_char_names, reason = "twelve corners with the same role")]
pub(super) const fn by_corner<T: Copy>([a, b, c, d, e, f, g, h, i, j, k, l]: [T; 3 * QUAD]) -> [[T; QUAD]; 3] {
    [[a, d, g, j], [b, e, h, k], [c, f, i, l]]
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
    let quads = transmute_ref!(numbers);
    match triangles.points() {
        VertexPositions::File(Positions(PositionEncoding::F32(array))) => {
            Records::new(array.as_bytes(), quads).map(|records| joined(|is_last| load_positions(records, is_last)))
        }
        VertexPositions::Computed(points) => {
            Records::new(cast_slice(points), quads).map(|records| joined(|is_last| load_positions(records, is_last)))
        }
        VertexPositions::File(Positions(PositionEncoding::MinMax16(array))) => {
            let decoder = array.decoder();
            Records::new(array.as_bytes(), quads)
                .map(|records| joined(|is_last| load_codes(records, &decoder, is_last)))
        }
        VertexPositions::File(_) => None,
    }
    .unwrap_or_else(|| triangles.block::<true>(numbers))
}

/// Loads the first four and the last four of eight triangles, and joins their vectors.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn joined(load: impl Fn(bool) -> Quad) -> TriangleBlock {
    let (first, last) = (load(false), load(true));
    let mut block = TriangleBlock { corners: [[[0.0; LANES]; 3]; 3] };
    let axes = first.as_flattened().iter().zip(last.as_flattened());
    for (axis, (first, last)) in block.corners.as_flattened_mut().iter_mut().zip(axes) {
        *axis = cast(_mm256_set_m128(*last, *first));
    }
    block
}
