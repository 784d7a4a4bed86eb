//! The kernels for processors with AVX2. Each of the eight vector lanes tests one bounding box or
//! one triangle.

use crate::array::Array;
use std::arch::x86_64::{
    __m128, __m128i, __m256, __m256i, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_NGT_UQ, _mm_add_epi32, _mm_add_ps,
    _mm_andnot_ps, _mm_cvtepi8_epi32, _mm_cvtepi32_ps, _mm_cvtepu16_epi32, _mm_cvtsi32_si128, _mm_cvtsi64_si128,
    _mm_fmadd_ps, _mm_fnmadd_ps, _mm_max_epi32, _mm_mul_ps, _mm_set1_epi32, _mm_set1_ps, _mm_slli_epi32,
    _mm_srli_si128, _mm_sub_ps, _mm256_add_ps, _mm256_and_ps, _mm256_andnot_ps, _mm256_blendv_epi8, _mm256_blendv_ps,
    _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_div_ps,
    _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_fnmadd_ps, _mm256_fnmsub_ps, _mm256_max_ps,
    _mm256_min_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_or_ps, _mm256_permute_ps, _mm256_set_m128, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_sub_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm256_xor_ps,
};

use bytemuck::{cast, cast_slice};
use zerocopy::transmute_ref;

use crate::bvh::kernel::conservative_ray::{
    ConservativeRay, DISTANCE_MARGIN, EDGE_MARGIN, GRID_STEPS, MAX_EXACT_COORDINATE, PLANE_MARGIN, RELIABLE_AREAS,
};
use crate::bvh::lanes::{CornerIndices, LANES, TriangleBlock};
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::triangles::{Triangles, VertexPositions};
use crate::decode::MinMax16;
use crate::decode::divisor::BY_65535;
use crate::model::{PositionEncoding, Positions};

/// Offsets of the lower and the upper planes of the children's bounding boxes, from the start of
/// the node, in bytes.
const LOW: usize = std::mem::offset_of!(RawNode, low);
const HIGH: usize = std::mem::offset_of!(RawNode, high);
/// Offset of the exponents of the grid steps, from the start of the node, in bytes. In the byte
/// after the exponents, a bit is set for each child that is a leaf.
const EXPONENTS: usize = std::mem::offset_of!(RawNode, exponents);

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

/// Returns three vectors of eight lanes: each lane of vector *i* contains `numbers[i]`.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn spread(numbers: __m128) -> [__m256; 3] {
    let all = _mm256_set_m128(numbers, numbers);
    [
        _mm256_permute_ps::<0b0000_0000>(all),
        _mm256_permute_ps::<0b0101_0101>(all),
        _mm256_permute_ps::<0b1010_1010>(all),
    ]
}

/// Converts the result of a vector comparison to a bit mask with one bit for each lane.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn bits(mask: __m256) -> u32 {
    _mm256_movemask_ps(mask).unsigned_abs()
}

/// Tests a ray against the bounding boxes of a node's children. Returns the same values as the
/// portable version [`ray_boxes`](crate::bvh::kernel::portable::ray_boxes).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn ray_boxes(node: &RawNode, ray: &ConservativeRay, limit: f32) -> (u32, [f32; WIDTH]) {
    let [origin, steps] = grid(node);
    let [from, inverse] = ray.padded.map(cast);
    let step = _mm_mul_ps(steps, inverse);
    let start = _mm_mul_ps(_mm_sub_ps(origin, from), inverse);
    let unsigned = |number: __m128| _mm_andnot_ps(_mm_set1_ps(-0.0), number);
    let reach = _mm_fmadd_ps(unsigned(step), _mm_set1_ps(GRID_STEPS), unsigned(start));
    let slack = _mm_fmadd_ps(reach, _mm_set1_ps(PLANE_MARGIN), cast(ray.widened));
    let [starts, ends] = [spread(_mm_sub_ps(start, slack)), spread(_mm_add_ps(start, slack))];
    let [low, high] = [bytes::<LOW, 32>(node), bytes::<HIGH, 32>(node)].map(cast);
    let down = cast(ray.down);
    let nearer = axes(_mm256_blendv_epi8(low, high, down));
    let farther = axes(_mm256_blendv_epi8(high, low, down));
    let mut near = _mm256_set1_ps(ray.from);
    let mut far = _mm256_set1_ps(limit);
    let planes = nearer.into_iter().zip(farther).zip(spread(step));
    for (((first, last), step), (start, end)) in planes.zip(starts.into_iter().zip(ends)) {
        near = _mm256_max_ps(_mm256_fmadd_ps(first, step, start), near);
        far = _mm256_min_ps(_mm256_fmadd_ps(last, step, end), far);
    }
    (bits(_mm256_cmp_ps::<_CMP_LE_OQ>(near, far)), cast(near))
}

/// Returns the absolute value of the number in each lane.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn abs(number: __m256) -> __m256 {
    _mm256_andnot_ps(_mm256_set1_ps(-0.0), number)
}

/// Tests a ray against eight triangles. Returns the same bit mask as the portable version
/// [`ray_triangles`](crate::bvh::kernel::portable::ray_triangles).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn ray_triangles(block: &TriangleBlock, ray: &ConservativeRay, limit: f32) -> u32 {
    let [kx, ky, kz] = ray.axes;
    let [sx, sy] = ray.shear.map(|shear| _mm256_set1_ps(shear));
    let sign = _mm256_and_ps(_mm256_set1_ps(-0.0), _mm256_set1_ps(ray.sign));
    let sheared = block.corners.map(|corner| {
        let part = |axis: usize| -> __m256 {
            let [x, y, z] = &corner;
            let [from_x, from_y, from_z] = ray.origin;
            let (lanes, from) = match axis {
                0 => (x, from_x),
                1 => (y, from_y),
                _ => (z, from_z),
            };
            _mm256_sub_ps(cast(*lanes), _mm256_set1_ps(from))
        };
        let z = part(kz);
        [_mm256_fnmadd_ps(sx, z, part(kx)), _mm256_fnmadd_ps(sy, z, part(ky)), _mm256_xor_ps(z, sign)]
    });
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = sheared;
    let u = _mm256_fmsub_ps(cx, by, _mm256_mul_ps(cy, bx));
    let v = _mm256_fmsub_ps(ax, cy, _mm256_mul_ps(ay, cx));
    let w = _mm256_fmsub_ps(bx, ay, _mm256_mul_ps(by, ax));
    let max = |one, other| _mm256_max_ps(one, other);
    let across = max(max(max(abs(ax), abs(ay)), max(abs(bx), abs(by))), max(abs(cx), abs(cy)));
    let reach = max(max(abs(az), abs(bz)), max(abs(cz), across));
    let slack = _mm256_mul_ps(_mm256_mul_ps(reach, across), _mm256_set1_ps(EDGE_MARGIN));
    let slack = _mm256_add_ps(slack, _mm256_set1_ps(f32::MIN_POSITIVE));
    let least = _mm256_min_ps(_mm256_min_ps(u, v), w);
    let most = max(max(u, v), w);
    let inside = _mm256_or_ps(
        _mm256_cmp_ps::<_CMP_GE_OQ>(_mm256_add_ps(least, slack), _mm256_setzero_ps()),
        _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_sub_ps(most, slack), _mm256_setzero_ps()),
    );
    let near = _mm256_min_ps(_mm256_min_ps(az, bz), cz);
    let near = _mm256_fnmadd_ps(reach, _mm256_set1_ps(PLANE_MARGIN), near);
    bits(_mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_LE_OQ>(near, _mm256_set1_ps(limit))))
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
    let starts = spread(_mm_fnmadd_ps(reach, _mm_set1_ps(PLANE_MARGIN), start));
    let ends = spread(_mm_fmadd_ps(reach, _mm_set1_ps(PLANE_MARGIN), start));
    let mut sum = _mm256_setzero_ps();
    let mut missing = _mm256_setzero_ps();
    let planes =
        axes(cast(bytes::<LOW, 32>(node))).into_iter().zip(axes(cast(bytes::<HIGH, 32>(node)))).zip(spread(step));
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

/// Tests a point against eight triangles. Returns the same bit mask as the portable version
/// [`point_triangles`](crate::bvh::kernel::portable::point_triangles).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn point_triangles(block: &TriangleBlock, point: &[f32; 3], limit: f32) -> u32 {
    type Vector = [__m256; 3];
    let subtract = |[ax, ay, az]: Vector, [bx, by, bz]: Vector| -> Vector {
        [_mm256_sub_ps(ax, bx), _mm256_sub_ps(ay, by), _mm256_sub_ps(az, bz)]
    };
    let dot = |[ax, ay, az]: Vector, [bx, by, bz]: Vector| {
        _mm256_fmadd_ps(ax, bx, _mm256_fmadd_ps(ay, by, _mm256_mul_ps(az, bz)))
    };
    let cross = |[ax, ay, az]: Vector, [bx, by, bz]: Vector| -> Vector {
        [
            _mm256_fmsub_ps(ay, bz, _mm256_mul_ps(az, by)),
            _mm256_fmsub_ps(az, bx, _mm256_mul_ps(ax, bz)),
            _mm256_fmsub_ps(ax, by, _mm256_mul_ps(ay, bx)),
        ]
    };
    let zero = _mm256_setzero_ps();
    let from = point.map(|part| _mm256_set1_ps(part));
    let [a, b, c] = block.corners.map(|corner| subtract(corner.map(cast), from));
    let [ab, bc, ca] = [subtract(b, a), subtract(c, b), subtract(a, c)];
    let to_edge = |from: Vector, along: Vector| {
        // If an edge of the triangle has length 0, the quotient 0 / 0 is NaN, and `max` returns its
        // second operand, 0.
        let part = _mm256_div_ps(_mm256_sub_ps(zero, dot(from, along)), dot(along, along));
        let part = _mm256_min_ps(_mm256_max_ps(part, zero), _mm256_set1_ps(1.0));
        let [[start_x, start_y, start_z], [along_x, along_y, along_z]] = [from, along];
        let away = [
            _mm256_fmadd_ps(along_x, part, start_x),
            _mm256_fmadd_ps(along_y, part, start_y),
            _mm256_fmadd_ps(along_z, part, start_z),
        ];
        dot(away, away)
    };
    let edges = _mm256_min_ps(_mm256_min_ps(to_edge(a, ab), to_edge(b, bc)), to_edge(c, ca));
    let normal = cross(ab, bc);
    let area = dot(normal, normal);
    let above = |along: Vector, from: Vector| _mm256_cmp_ps::<_CMP_NGT_UQ>(dot(cross(normal, along), from), zero);
    let inside = _mm256_and_ps(_mm256_and_ps(above(ab, a), above(bc, b)), above(ca, c));
    let height = dot(normal, a);
    let plane = _mm256_div_ps(_mm256_mul_ps(height, height), area);
    let sound = _mm256_and_ps(
        _mm256_cmp_ps::<_CMP_GE_OQ>(area, _mm256_set1_ps(RELIABLE_AREAS.start)),
        _mm256_cmp_ps::<_CMP_LE_OQ>(area, _mm256_set1_ps(RELIABLE_AREAS.end)),
    );
    let plane = _mm256_blendv_ps(_mm256_set1_ps(f32::INFINITY), _mm256_and_ps(plane, sound), inside);
    // If a lane contains no triangle, `edges` is NaN in this lane. `min` returns its second
    // operand, `edges`, if an operand is NaN, so a NaN in `edges` is kept.
    let least = _mm256_min_ps(plane, edges);
    let reach = [a, b, c].into_iter().flatten().fold(zero, |most, part| _mm256_max_ps(abs(part), most));
    let bound = _mm256_fnmadd_ps(_mm256_mul_ps(reach, reach), _mm256_set1_ps(DISTANCE_MARGIN), least);
    let bound = _mm256_blendv_ps(bound, zero, _mm256_cmp_ps::<_CMP_GT_OQ>(reach, _mm256_set1_ps(MAX_EXACT_COORDINATE)));
    bits(_mm256_cmp_ps::<_CMP_LE_OQ>(bound, _mm256_set1_ps(limit)))
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
        let intervals = decoder.min().into_iter().zip(decoder.max());
        for ((axis, codes), (min, max)) in axes.iter_mut().zip(turned).zip(intervals) {
            *axis = cast(codes);
            for code in axis {
                *code = BY_65535.divide::<true>(*code) * (max - min) + min;
            }
        }
    }
    TriangleBlock { corners }
}
