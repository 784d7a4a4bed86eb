//! The same for processors with AVX2: a lane for each box or triangle.

use std::arch::x86_64::{
    __m128i, __m256, _CMP_GE_OQ, _CMP_LE_OQ, _CMP_NGT_UQ, _mm_cvtsi64_si128, _mm256_add_ps, _mm256_and_ps,
    _mm256_andnot_ps, _mm256_blendv_ps, _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_div_ps,
    _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_fnmadd_ps, _mm256_max_ps, _mm256_min_ps, _mm256_movemask_ps,
    _mm256_mul_ps, _mm256_or_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_sub_ps, _mm256_xor_ps,
};

use bytemuck::cast;

use super::super::tree::layout::{RawNode, WIDTH};
use super::super::triangles::Block;
use super::{AREAS, EDGE_SLACK, NEAR_SLACK, SLACK, STEPS, Sieve, slab};

/// Widens eight steps.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn steps(planes: [u8; WIDTH]) -> __m256 {
    let bytes: __m128i = _mm_cvtsi64_si128(i64::from_le_bytes(planes));
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes))
}

/// Returns the bits of a comparison.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn bits(mask: __m256) -> u32 {
    _mm256_movemask_ps(mask).unsigned_abs()
}

/// As [`boxes`](super::boxes).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn boxes(node: &RawNode, ray: &Sieve, limit: f32) -> (u32, [f32; WIDTH]) {
    let slab = slab(node, ray);
    let mut near = _mm256_set1_ps(ray.from);
    let mut far = _mm256_set1_ps(limit);
    let planes = node.low.iter().zip(&node.high).zip(ray.inverse);
    for (((low, high), inverse), ((start, end), step)) in planes.zip(slab.near.iter().zip(slab.far).zip(slab.step)) {
        let (first, second) = if inverse < 0.0 { (high, low) } else { (low, high) };
        let step = _mm256_set1_ps(step);
        near = _mm256_max_ps(_mm256_fmadd_ps(steps(*first), step, _mm256_set1_ps(*start)), near);
        far = _mm256_min_ps(_mm256_fmadd_ps(steps(*second), step, _mm256_set1_ps(end)), far);
    }
    (bits(_mm256_cmp_ps::<_CMP_LE_OQ>(near, far)), cast(near))
}

/// Returns the number without its sign.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn abs(number: __m256) -> __m256 {
    _mm256_andnot_ps(_mm256_set1_ps(-0.0), number)
}

/// As [`sift`](super::sift).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn sift(block: &Block, ray: &Sieve, limit: f32) -> u32 {
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
    let slack = _mm256_mul_ps(_mm256_mul_ps(reach, across), _mm256_set1_ps(EDGE_SLACK));
    let slack = _mm256_add_ps(slack, _mm256_set1_ps(f32::MIN_POSITIVE));
    let least = _mm256_min_ps(_mm256_min_ps(u, v), w);
    let most = max(max(u, v), w);
    let inside = _mm256_or_ps(
        _mm256_cmp_ps::<_CMP_GE_OQ>(_mm256_add_ps(least, slack), _mm256_setzero_ps()),
        _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_sub_ps(most, slack), _mm256_setzero_ps()),
    );
    let near = _mm256_min_ps(_mm256_min_ps(az, bz), cz);
    let near = _mm256_fnmadd_ps(reach, _mm256_set1_ps(SLACK), near);
    bits(_mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_LE_OQ>(near, _mm256_set1_ps(limit))))
}

/// As [`distances`](super::distances).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn distances(node: &RawNode, point: &[f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
    let mut sum = _mm256_setzero_ps();
    let mut missing = _mm256_setzero_ps();
    let axes = node.low.iter().zip(&node.high).zip(node.origin().into_iter().zip(node.steps()).zip(point));
    for ((low, high), ((origin, step), at)) in axes {
        let start = origin - at;
        let slack = (start.abs() + STEPS * step) * SLACK;
        let (low, high) = (steps(*low), steps(*high));
        missing = _mm256_or_ps(missing, _mm256_cmp_ps::<_CMP_GE_OQ>(_mm256_sub_ps(low, high), _mm256_set1_ps(1.0)));
        let step = _mm256_set1_ps(step);
        let before = _mm256_fmadd_ps(low, step, _mm256_set1_ps(start - slack));
        let behind = _mm256_fmadd_ps(high, step, _mm256_set1_ps(start + slack));
        let behind = _mm256_xor_ps(behind, _mm256_set1_ps(-0.0));
        let out = _mm256_max_ps(_mm256_max_ps(before, behind), _mm256_setzero_ps());
        sum = _mm256_fmadd_ps(out, out, sum);
    }
    let near = _mm256_cmp_ps::<_CMP_LE_OQ>(sum, _mm256_set1_ps(limit));
    (bits(_mm256_andnot_ps(missing, near)), cast(sum))
}

/// As [`approach`](super::approach).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn approach(block: &Block, point: &[f32; 3], limit: f32) -> u32 {
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
        // Where there is no length, 0 / 0 is no number, and `max` then gives its second: 0.
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
        _mm256_cmp_ps::<_CMP_GE_OQ>(area, _mm256_set1_ps(AREAS.start)),
        _mm256_cmp_ps::<_CMP_LE_OQ>(area, _mm256_set1_ps(AREAS.end)),
    );
    let plane = _mm256_blendv_ps(_mm256_set1_ps(f32::INFINITY), _mm256_and_ps(plane, sound), inside);
    // Of a triangle that is not there, `min` gives its second, which is no number.
    let least = _mm256_min_ps(plane, edges);
    let reach = [a, b, c].into_iter().flatten().fold(zero, |most, part| _mm256_max_ps(abs(part), most));
    let bound = _mm256_fnmadd_ps(_mm256_mul_ps(reach, reach), _mm256_set1_ps(NEAR_SLACK), least);
    bits(_mm256_cmp_ps::<_CMP_LE_OQ>(bound, _mm256_set1_ps(limit)))
}
