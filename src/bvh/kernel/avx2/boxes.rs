//! Tests of a ray and of a point against the bounding boxes of the eight children of a node. Each
//! of the eight vector lanes tests one bounding box.

use std::arch::x86_64::{
    __m256, __m256i, _CMP_GT_OQ, _CMP_LE_OQ, _mm_cvtsi64_si128, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_ps,
    _mm256_andnot_si256, _mm256_blend_ps, _mm256_cmp_ps, _mm256_cmpeq_epi32, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32,
    _mm256_fmadd_ps, _mm256_fnmadd_ps, _mm256_fnmsub_ps, _mm256_max_epi32, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps,
    _mm256_or_ps, _mm256_or_si256, _mm256_permute_ps, _mm256_permute4x64_epi64, _mm256_set_m128, _mm256_set1_epi32,
    _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_epi8, _mm256_srai_epi32, _mm256_srlv_epi32, _mm256_sub_ps,
    _mm256_unpackhi_epi32, _mm256_unpacklo_epi32,
};

use bytemuck::cast;
use zerocopy::transmute_ref;

use crate::bvh::kernel::avx2::bits;
use crate::bvh::kernel::conservative_ray::{ConservativeRay, GRID_STEPS, POINT_MARGIN, PlaneRow};
use crate::bvh::layout::{RawNode, StackEntry, WIDTH};

/// Offset of the references to the children, from the start of the node, in bytes.
const CHILDREN: usize = std::mem::offset_of!(RawNode, children);
/// The shuffle that moves the exponents of the grid steps to the highest byte of the lanes for x, y
/// and z.
const EXPONENTS_UP: [i8; 32] = {
    let mut shuffle = [-1; 32];
    [shuffle[3], shuffle[7], shuffle[11]] = [12, 13, 14];
    [shuffle[19], shuffle[23], shuffle[27]] = [12, 13, 14];
    shuffle
};

/// Returns two copies of four numbers.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn twice(numbers: [f32; 4]) -> __m256 {
    let numbers = cast(numbers);
    _mm256_set_m128(numbers, numbers)
}

/// Returns the references to the children of a node.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn children(node: &RawNode) -> __m256i {
    let bytes: &[u8; size_of::<RawNode>()] = transmute_ref!(node);
    cast(*bytes.last_chunk::<{ size_of::<RawNode>() - CHILDREN }>().unwrap_or(&[0; 32]))
}

/// Returns two copies of the origin of a node's grid, with 0 in the fourth lane, and the exponents
/// of the grid steps, at the bits of the exponent of a float.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn grid(node: &RawNode) -> (__m256, __m256i) {
    let bytes: &[u8; size_of::<RawNode>()] = transmute_ref!(node);
    let header = twice(cast(*bytes.first_chunk::<16>().unwrap_or(&[0; 16])));
    let exponents = _mm256_srai_epi32::<1>(_mm256_shuffle_epi8(cast(header), cast(EXPONENTS_UP)));
    // The exponents in the fourth lane of the header are not a float, and slow as a denormal one.
    (_mm256_blend_ps::<0b1000_1000>(header, _mm256_setzero_ps()), exponents)
}

/// Multiplies numbers by the powers of two with the given exponents, which are at least -126 like
/// those of [`RawNode::steps`].
#[target_feature(enable = "avx2,fma")]
#[inline]
fn scaled(numbers: __m256, exponents: __m256i) -> __m256 {
    let biased = _mm256_add_epi32(exponents, _mm256_set1_epi32(127 << 23));
    _mm256_mul_ps(numbers, cast(_mm256_max_epi32(biased, _mm256_set1_epi32(1 << 23))))
}

/// Returns eight planes of the children's bounding boxes, in grid steps.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn planes(node: &RawNode, row: PlaneRow) -> __m256 {
    let rows: &[[u8; WIDTH]; size_of::<RawNode>() / WIDTH] = transmute_ref!(node);
    let planes = rows.get(row.index()).copied().unwrap_or_default();
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(planes))))
}

/// Returns three vectors: each lane of vector *i* contains the number in lane *i* of both halves of
/// `numbers`.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn spread(numbers: __m256) -> [__m256; 3] {
    [
        _mm256_permute_ps::<0b0000_0000>(numbers),
        _mm256_permute_ps::<0b0101_0101>(numbers),
        _mm256_permute_ps::<0b1010_1010>(numbers),
    ]
}

/// Tests a ray against the bounding boxes of a node's children. Returns a bit mask like that of the
/// portable version [`ray_boxes`](crate::bvh::kernel::portable::ray_boxes).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn ray_boxes(node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
    let (origin, exponents) = grid(node);
    let inverse = twice(ray.inverse);
    let step = spread(scaled(inverse, exponents));
    let starts = spread(_mm256_fmadd_ps(origin, inverse, twice(ray.near)));
    let ends = spread(_mm256_fmadd_ps(origin, inverse, twice(ray.far)));
    let mut near = _mm256_set1_ps(ray.from);
    let mut far = _mm256_set1_ps(limit);
    let axes = ray.first.into_iter().zip(ray.last).zip(step);
    for (((first, last), step), (start, end)) in axes.zip(starts.into_iter().zip(ends)) {
        near = _mm256_max_ps(_mm256_fmadd_ps(planes(node, first), step, start), near);
        far = _mm256_min_ps(_mm256_fmadd_ps(planes(node, last), step, end), far);
    }
    let missing = _mm256_cmpeq_epi32(children(node), _mm256_set1_epi32(-1));
    let met = _mm256_cmp_ps::<_CMP_LE_OQ>(near, far);
    (bits(_mm256_andnot_ps(cast(missing), met)), cast(near))
}

/// Returns the same stack entries as the portable version
/// [`entries`](crate::bvh::kernel::portable::entries).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn entries(node: &RawNode, near: &[f32; WIDTH]) -> [StackEntry; WIDTH] {
    let one = _mm256_set1_epi32(1);
    let leaves = _mm256_srlv_epi32(_mm256_set1_epi32(node.leaves.into()), cast([0, 1, 2, 3, 4, 5, 6, 7]));
    let keys = _mm256_or_si256(_mm256_andnot_si256(one, cast(*near)), _mm256_and_si256(leaves, one));
    // Exchanges the middle quarters, because the next instruction interleaves each half on its own.
    let [keys, children] = [keys, children(node)].map(|all| _mm256_permute4x64_epi64::<0b1101_1000>(all));
    cast([_mm256_unpacklo_epi32(children, keys), _mm256_unpackhi_epi32(children, keys)])
}

/// Tests a point against the bounding boxes of a node's children. Returns the same values as the
/// portable version [`point_boxes`](crate::bvh::kernel::portable::point_boxes).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn point_boxes(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
    let (origin, exponents) = grid(node);
    let [x, y, z] = *point;
    let (start, step) = (_mm256_sub_ps(origin, twice([x, y, z, 0.0])), scaled(_mm256_set1_ps(1.0), exponents));
    let reach = _mm256_fmadd_ps(step, _mm256_set1_ps(GRID_STEPS), _mm256_andnot_ps(_mm256_set1_ps(-0.0), start));
    let starts = spread(_mm256_fnmadd_ps(reach, _mm256_set1_ps(POINT_MARGIN), start));
    let ends = spread(_mm256_fmadd_ps(reach, _mm256_set1_ps(POINT_MARGIN), start));
    let (mut sum, mut missing) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    let axes = PlaneRow::LOW.into_iter().zip(PlaneRow::HIGH).zip(spread(step));
    for (((low, high), step), (start, end)) in axes.zip(starts.into_iter().zip(ends)) {
        let [low, high] = [planes(node, low), planes(node, high)];
        missing = _mm256_or_ps(missing, _mm256_cmp_ps::<_CMP_GT_OQ>(low, high));
        let before = _mm256_fmadd_ps(low, step, start);
        let behind = _mm256_fnmsub_ps(high, step, end);
        let out = _mm256_max_ps(_mm256_max_ps(before, behind), _mm256_setzero_ps());
        sum = _mm256_fmadd_ps(out, out, sum);
    }
    let near = _mm256_cmp_ps::<_CMP_LE_OQ>(sum, _mm256_set1_ps(limit));
    (bits(_mm256_andnot_ps(missing, near)), cast(sum))
}
