//! Tests of a ray and of a point against the bounding boxes of the eight children of a node. Each
//! of the eight vector lanes tests one bounding box.

use std::arch::x86_64::{
    __m128, __m128i, __m256, __m256i, _CMP_GT_OQ, _CMP_LE_OQ, _mm_add_epi32, _mm_andnot_ps, _mm_cvtepi8_epi32,
    _mm_cvtsi32_si128, _mm_cvtsi64_si128, _mm_fmadd_ps, _mm_fnmadd_ps, _mm_max_epi32, _mm_set1_epi32, _mm_set1_ps,
    _mm_slli_epi32, _mm_srli_si128, _mm_sub_ps, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_ps,
    _mm256_andnot_si256, _mm256_blend_ps, _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cmpeq_epi32,
    _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_fnmsub_ps,
    _mm256_max_ps, _mm256_min_ps, _mm256_or_ps, _mm256_or_si256, _mm256_permute_ps, _mm256_permute4x64_epi64,
    _mm256_set_m128, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_epi8, _mm256_srai_epi32,
    _mm256_srlv_epi32, _mm256_unpackhi_epi32, _mm256_unpacklo_epi32,
};

use bytemuck::cast;
use zerocopy::transmute_ref;

use crate::bvh::kernel::avx2::bits;
use crate::bvh::kernel::conservative_ray::{ConservativeRay, GRID_STEPS, POINT_MARGIN, PlaneRow};
use crate::bvh::layout::{RawNode, StackEntry, WIDTH};

/// Offsets of the lower and the upper planes of the children's bounding boxes, from the start of
/// the node, in bytes.
const LOW: usize = std::mem::offset_of!(RawNode, low);

const HIGH: usize = std::mem::offset_of!(RawNode, high);

/// Offset of the exponents of the grid steps, from the start of the node, in bytes. In the byte
/// after the exponents, a bit is set for each child that is a leaf.
const EXPONENTS: usize = std::mem::offset_of!(RawNode, exponents);

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

/// Converts the coordinates of eight planes, in grid steps, from `u8` to floats.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn steps(planes: __m128i) -> __m256 {
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(planes))
}

/// Converts the coordinates of eight planes along each of three axes (24 bytes, in grid steps) to
/// floats.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn axes(planes: __m256i) -> [__m256; 3] {
    let low = _mm256_castsi256_si128(planes);
    [steps(low), steps(_mm_srli_si128::<8>(low)), steps(_mm256_extracti128_si256::<1>(planes))]
}

/// Returns `N` bytes of a node, starting at byte offset `AT`.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn bytes<const AT: usize, const N: usize>(node: &RawNode) -> [u8; N] {
    let bytes: &[u8; size_of::<RawNode>()] = transmute_ref!(node);
    let (_, rest) = bytes.split_first_chunk::<AT>().unwrap_or((&[0; AT], &[]));
    *rest.first_chunk::<N>().unwrap_or(&[0; N])
}

/// Returns two vectors: the origin of a node's grid, and the length of a grid step along x, y and
/// z.
///
/// Each vector has four lanes: the values for x, y and z, and unrelated data in the fourth lane.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn grid(node: &RawNode) -> [__m128; 2] {
    let exponents = _mm_cvtsi32_si128(i32::from_le_bytes(bytes::<EXPONENTS, 4>(node)));
    let biased = _mm_max_epi32(_mm_add_epi32(_mm_cvtepi8_epi32(exponents), _mm_set1_epi32(127)), _mm_set1_epi32(1));
    [cast(bytes::<0, 16>(node)), cast(_mm_slli_epi32::<23>(biased))]
}

/// Returns three vectors of eight lanes: each lane of vector *i* contains the number in lane *i* of
/// both halves of `numbers`.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn spread(all: __m256) -> [__m256; 3] {
    [
        _mm256_permute_ps::<0b0000_0000>(all),
        _mm256_permute_ps::<0b0101_0101>(all),
        _mm256_permute_ps::<0b1010_1010>(all),
    ]
}

/// Returns two copies of four numbers.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn twice(numbers: __m128) -> __m256 {
    _mm256_set_m128(numbers, numbers)
}

/// Tests a ray against the bounding boxes of a node's children. Returns a bit mask like that of the
/// portable version [`ray_boxes`](crate::bvh::kernel::portable::ray_boxes).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn ray_boxes(node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
    let rows: &[[u8; WIDTH]; size_of::<RawNode>() / WIDTH] = transmute_ref!(node);
    let row = |row: PlaneRow| -> __m256 {
        let planes = rows.get(row.index()).copied().unwrap_or_default();
        steps(_mm_cvtsi64_si128(i64::from_le_bytes(planes)))
    };
    let header: __m128 = cast(bytes::<0, 16>(node));
    let header = twice(header);
    let inverse = twice(cast(ray.inverse));
    // A power of two is multiplied by adding its exponent to that of the other factor, which is at
    // least 1. The builder never stores an exponent below -120.
    let exponents = _mm256_srai_epi32::<1>(_mm256_shuffle_epi8(cast(header), cast(EXPONENTS_UP)));
    let step = spread(cast(_mm256_add_epi32(cast(inverse), exponents)));
    // The fourth lane of the header is not a float, and slow if it is a denormal number.
    let origin = _mm256_blend_ps::<0b1000_1000>(header, _mm256_setzero_ps());
    let starts = spread(_mm256_fmadd_ps(origin, inverse, twice(cast(ray.near))));
    let ends = spread(_mm256_fmadd_ps(origin, inverse, twice(cast(ray.far))));
    let mut near = _mm256_set1_ps(ray.from);
    let mut far = _mm256_set1_ps(limit);
    let planes = ray.first.into_iter().zip(ray.last).zip(step);
    for (((first, last), step), (start, end)) in planes.zip(starts.into_iter().zip(ends)) {
        near = _mm256_max_ps(_mm256_fmadd_ps(row(first), step, start), near);
        far = _mm256_min_ps(_mm256_fmadd_ps(row(last), step, end), far);
    }
    let missing = _mm256_cmpeq_epi32(cast(bytes::<CHILDREN, 32>(node)), _mm256_set1_epi32(-1));
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
    let [keys, children] =
        [keys, cast(bytes::<CHILDREN, 32>(node))].map(|all| _mm256_permute4x64_epi64::<0b1101_1000>(all));
    cast([_mm256_unpacklo_epi32(children, keys), _mm256_unpackhi_epi32(children, keys)])
}

/// Tests a point against the bounding boxes of a node's children. Returns the same values as the
/// portable version [`point_boxes`](crate::bvh::kernel::portable::point_boxes).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn point_boxes(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
    let [origin, step] = grid(node);
    let [x, y, z] = *point;
    let start = _mm_sub_ps(origin, cast([x, y, z, 0.0]));
    let reach = _mm_fmadd_ps(step, _mm_set1_ps(GRID_STEPS), _mm_andnot_ps(_mm_set1_ps(-0.0), start));
    let starts = spread(twice(_mm_fnmadd_ps(reach, _mm_set1_ps(POINT_MARGIN), start)));
    let ends = spread(twice(_mm_fmadd_ps(reach, _mm_set1_ps(POINT_MARGIN), start)));
    let mut sum = _mm256_setzero_ps();
    let mut missing = _mm256_setzero_ps();
    let planes = axes(cast(bytes::<LOW, 32>(node)))
        .into_iter()
        .zip(axes(cast(bytes::<HIGH, 32>(node))))
        .zip(spread(twice(step)));
    for (((low, high), step), (start, end)) in planes.zip(starts.into_iter().zip(ends)) {
        missing = _mm256_or_ps(missing, _mm256_cmp_ps::<_CMP_GT_OQ>(low, high));
        let before = _mm256_fmadd_ps(low, step, start);
        let behind = _mm256_fnmsub_ps(high, step, end);
        let out = _mm256_max_ps(_mm256_max_ps(before, behind), _mm256_setzero_ps());
        sum = _mm256_fmadd_ps(out, out, sum);
    }
    let near = _mm256_cmp_ps::<_CMP_LE_OQ>(sum, _mm256_set1_ps(limit));
    (bits(_mm256_andnot_ps(missing, near)), cast(sum))
}
