//! The exact test of a ray against the triangles of a leaf, four at a time, in `f64`.

use std::arch::x86_64::{
    __m128, __m256d, _CMP_GT_OQ, _CMP_LT_OQ, _mm256_add_pd, _mm256_cmp_pd, _mm256_cvtps_pd, _mm256_div_pd,
    _mm256_max_pd, _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_permute2f128_pd, _mm256_set1_pd,
    _mm256_setzero_pd, _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm256_xor_pd,
};
use std::ops::{ControlFlow, Range};

use bytemuck::{cast, cast_slice};
use zerocopy::transmute_ref;

use crate::array::Array;
use crate::bvh::kernel::avx2::positions::{FloatRecords, Quad, by_corner, load_codes};
use crate::bvh::kernel::portable;
use crate::bvh::kernel::watertight_ray::{DominantAxis, FoundCrossing, WatertightRay};
use crate::bvh::lanes::{CornerIndices, QUAD};
use crate::bvh::triangles::{Triangles, VertexPositions};
use crate::math::{as_index, narrow};
use crate::model::{PositionEncoding, Positions};
use crate::simd::Records;

/// Tests a ray exactly against the triangles of a leaf whose numbers are in `lanes`. Calls `found`
/// for the same crossings as the portable version
/// [`ray_triangles`](crate::bvh::kernel::portable::ray_triangles).
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn ray_triangles(
    triangles: &Triangles<'_>,
    corners: &CornerIndices,
    lanes: Range<usize>,
    ray: &WatertightRay,
    found: FoundCrossing<'_>,
) -> ControlFlow<()> {
    let quads = transmute_ref!(corners);
    let leaf = RayLeaf { ray, lanes: lanes.clone() };
    let tested = match triangles.points() {
        VertexPositions::File(Positions(PositionEncoding::F32(array))) => Records::new(array.as_bytes(), quads)
            .map(|records| leaf.test(found, |is_last| wide_positions(records, is_last))),
        VertexPositions::Computed(points) => Records::new(cast_slice(points), quads)
            .map(|records| leaf.test(found, |is_last| wide_positions(records, is_last))),
        VertexPositions::File(Positions(PositionEncoding::MinMax16(array))) => {
            let decoder = array.decoder();
            Records::new(array.as_bytes(), quads)
                .map(|records| leaf.test(found, |is_last| widened(&load_codes(records, &decoder, is_last))))
        }
        VertexPositions::File(_) => None,
    };
    tested.unwrap_or_else(|| portable::ray_triangles(triangles, corners, lanes, ray, found))
}

/// The positions of the corners of four triangles, in `f64`.
type WideQuad = [[__m256d; 3]; 3];

/// Loads the positions of the corners of the first four triangles of a leaf, or of the last four.
///
/// A position is converted to `f64` while it is loaded, which takes fewer instructions than the
/// conversion of transposed vectors.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn wide_positions(records: FloatRecords<'_>, is_last: bool) -> WideQuad {
    let wide = |record: [u8; 16]| _mm256_cvtps_pd(cast(record));
    let quad = |[a, b, c, d]: [[u8; 16]; QUAD]| {
        let (a, b, c, d) = (wide(a), wide(b), wide(c), wide(d));
        let (low, other_low) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
        let (high, other_high) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(low, other_low),
            _mm256_permute2f128_pd::<0x20>(high, other_high),
            _mm256_permute2f128_pd::<0x31>(low, other_low),
        ]
    };
    let [first, second, third] = by_corner(records.load(is_last));
    [quad(first), quad(second), quad(third)]
}

/// Converts the positions of the corners of four triangles to `f64`.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn widened([a, b, c]: &Quad) -> WideQuad {
    let wide = |[x, y, z]: &[__m128; 3]| [_mm256_cvtps_pd(*x), _mm256_cvtps_pd(*y), _mm256_cvtps_pd(*z)];
    [wide(a), wide(b), wide(c)]
}

/// A leaf that a ray is tested against.
struct RayLeaf<'b> {
    ray: &'b WatertightRay,
    /// The numbers of the triangles in the leaf.
    lanes: Range<usize>,
}

impl RayLeaf<'_> {
    /// Tests the ray against the triangles. `load` returns the first four of them, or the last
    /// four.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn test(&self, found: FoundCrossing<'_>, load: impl Fn(bool) -> WideQuad) -> ControlFlow<()> {
        match self.ray.axis {
            DominantAxis::X => self.test_along::<1, 2, 0>(found, load),
            DominantAxis::Y => self.test_along::<2, 0, 1>(found, load),
            DominantAxis::Z => self.test_along::<0, 1, 2>(found, load),
        }
    }

    /// Tests the ray against the triangles, four at a time. The axes are in the order of
    /// [`DominantAxis::last`].
    #[target_feature(enable = "avx2,fma")]
    fn test_along<const X: usize, const Y: usize, const Z: usize>(
        &self,
        found: FoundCrossing<'_>,
        load: impl Fn(bool) -> WideQuad,
    ) -> ControlFlow<()> {
        for (is_last, first) in [(false, 0), (true, QUAD)] {
            if first >= self.lanes.end {
                break;
            }
            let bits = crossed(moved::<X, Y, Z>(&load(is_last), self.ray).areas);
            if bits != 0 {
                let lanes = first..self.lanes.end.min(first.wrapping_add(QUAD));
                report::<X, Y, Z>(&load(is_last), bits, lanes, self.ray, found)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Four triangles relative to the origin of a ray, in `f64`.
struct MovedQuad {
    /// The corners, with the axes in the order x, y, z.
    corners: [[__m256d; 3]; 3],
    /// For each corner, twice the signed area of the triangle that the ray forms with the opposite
    /// edge, and the coordinate along the dominant axis.
    areas: [__m256d; 3],
    along: [__m256d; 3],
}

/// Moves and shears the corners of four triangles, with the same operations as
/// [`WatertightRay::crossing`]. The axes are in the order of [`DominantAxis::last`].
#[target_feature(enable = "avx2,fma")]
#[inline]
fn moved<const X: usize, const Y: usize, const Z: usize>(quad: &WideQuad, ray: &WatertightRay) -> MovedQuad {
    let [from_x, from_y, from_z] = ray.origin.map(|part| _mm256_set1_pd(part));
    let [shear_x, shear_y] = ray.shear.map(|part| _mm256_set1_pd(part));
    let corners = quad.map(|[x, y, z]| [_mm256_sub_pd(x, from_x), _mm256_sub_pd(y, from_y), _mm256_sub_pd(z, from_z)]);
    let sheared = corners.map(|corner| {
        let part = |axis: usize| corner.get(axis).copied().unwrap_or(shear_x);
        let [x, y, z] = [part(X), part(Y), part(Z)];
        [_mm256_sub_pd(x, _mm256_mul_pd(shear_x, z)), _mm256_sub_pd(y, _mm256_mul_pd(shear_y, z)), z]
    });
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = sheared;
    let area = |ax, ay, bx, by| _mm256_sub_pd(_mm256_mul_pd(ax, by), _mm256_mul_pd(ay, bx));
    MovedQuad {
        corners,
        areas: [area(cx, cy, bx, by), area(ax, ay, cx, cy), area(bx, by, ax, ay)],
        along: [az, bz, cz],
    }
}

/// Returns a bit mask with a bit set for each of four triangles that a ray passes through, from
/// either side. A triangle with a NaN may have a bit, and is not accepted later.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn crossed([first, second, third]: [__m256d; 3]) -> i32 {
    let zero = _mm256_setzero_pd();
    let least = _mm256_min_pd(_mm256_min_pd(first, second), third);
    let greatest = _mm256_max_pd(_mm256_max_pd(first, second), third);
    let [below, above] = [_mm256_cmp_pd::<_CMP_LT_OQ>(least, zero), _mm256_cmp_pd::<_CMP_GT_OQ>(greatest, zero)];
    _mm256_movemask_pd(_mm256_xor_pd(below, above))
}

/// Computes the crossings of the triangles whose bit is set, as [`WatertightRay::crossing`] does,
/// and passes those that are accepted to `found`. `lanes` are the numbers of the triangles in the
/// leaf.
///
/// A ray crosses few of the triangles that it is tested against, so they are loaded and moved
/// again.
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn report<const X: usize, const Y: usize, const Z: usize>(
    quad: &WideQuad,
    bits: i32,
    lanes: Range<usize>,
    ray: &WatertightRay,
    found: FoundCrossing<'_>,
) -> ControlFlow<()> {
    let MovedQuad { corners: [a, b, c], areas, along: [az, bz, cz] } = moved::<X, Y, Z>(quad, ray);
    let [first, second, third] = areas;
    let products = [_mm256_mul_pd(first, az), _mm256_mul_pd(second, bz), _mm256_mul_pd(third, cz)];
    let sum = |[first, second, third]: [__m256d; 3]| _mm256_add_pd(_mm256_add_pd(first, second), third);
    let whole = sum(areas);
    let t = _mm256_mul_pd(_mm256_div_pd(sum(products), whole), _mm256_set1_pd(ray.scale));
    let (mut near, mut far) = (_mm256_set1_pd(f64::NEG_INFINITY), _mm256_set1_pd(f64::INFINITY));
    for (((a, b), c), inverse) in a.into_iter().zip(b).zip(c).zip(ray.inverse) {
        if inverse.is_finite() {
            let inverse = _mm256_set1_pd(inverse);
            let [a, b, c] = [_mm256_mul_pd(a, inverse), _mm256_mul_pd(b, inverse), _mm256_mul_pd(c, inverse)];
            near = _mm256_max_pd(near, _mm256_min_pd(_mm256_min_pd(a, b), c));
            far = _mm256_min_pd(far, _mm256_max_pd(_mm256_max_pd(a, b), c));
        }
    }
    let zero = _mm256_setzero_pd();
    let t = _mm256_add_pd(_mm256_max_pd(_mm256_min_pd(t, far), near), zero);
    let [t, whole, second, third]: [[f64; QUAD]; 4] = cast([
        t,
        whole,
        _mm256_add_pd(_mm256_div_pd(second, whole), zero),
        _mm256_add_pd(_mm256_div_pd(third, whole), zero),
    ]);
    let corners: [[[f64; QUAD]; 3]; 3] = cast(*quad);
    let mut left = bits & lanes.clone().fold(0, |mask, lane| mask | 1 << (lane % QUAD));
    while left != 0 {
        let lane = as_index(left.trailing_zeros()) % QUAD;
        left &= left.wrapping_sub(1);
        let part = |list: &[f64; QUAD]| list.get(lane).copied().unwrap_or(f64::NAN);
        let mut triangle = [[0.0; 3]; 3];
        for (part, lanes) in triangle.as_flattened_mut().iter_mut().zip(corners.as_flattened()) {
            *part = lanes.get(lane).copied().map_or(f32::NAN, narrow);
        }
        if let Some(crossing) = ray.accept(&triangle, part(&t), part(&whole), [part(&second), part(&third)]) {
            found(lanes.start.wrapping_add(lane), crossing, &triangle)?;
        }
    }
    ControlFlow::Continue(())
}
