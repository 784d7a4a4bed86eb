//! The test of a point against eight triangles.

use std::arch::x86_64::{
    __m256, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_NGT_UQ, _mm256_and_ps, _mm256_andnot_ps, _mm256_blendv_ps,
    _mm256_cmp_ps, _mm256_div_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_fnmadd_ps, _mm256_max_ps, _mm256_min_ps,
    _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_sub_ps,
};

use bytemuck::cast;

use crate::bvh::kernel::avx2::bits;
use crate::bvh::kernel::conservative_ray::{DISTANCE_MARGIN, MAX_EXACT_COORDINATE, RELIABLE_AREAS};
use crate::bvh::lanes::TriangleBlock;

/// Returns the absolute value of the number in each lane.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn abs(number: __m256) -> __m256 {
    _mm256_andnot_ps(_mm256_set1_ps(-0.0), number)
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
