//! Overlap tests of a triangle with a box or a frustum.
//!
//! The corners of the triangle are converted to `f64`, in which the difference of two nearby `f32`
//! numbers is exact. A triangle without area is treated as the line segment or the point that they
//! form.

use crate::array::Bounds;
use crate::bvh::coordinates::TriangleCorners;
use crate::math::{cross, dot, mix, subtract};
use crate::query::frustum::{Frustum, PLANES, Plane};

/// The maximum rounding error of a sum of three products whose factors are sums, relative to the
/// sum of the magnitudes of the products.
const ROUNDING_MARGIN: f64 = 8.0 * f64::EPSILON;

/// Returns whether a triangle and a box have a point in common.
///
/// A triangle and a box that only touch each other also have a point in common. The test has a
/// tolerance for rounding errors.
///
/// The sides of the box may be at infinity. Returns `false` if the box is empty or has a NaN, or if
/// the triangle has a coordinate that is not finite.
#[must_use]
pub fn overlaps_box(triangle: &[[f32; 3]; 3], bounds: &Bounds) -> bool {
    let Some(around) = around(triangle) else { return false };
    // All points that the box and the triangle have in common lie in the intersection of the box
    // and the bounding box of the triangle. The intersection of the two boxes is finite, because
    // the bounding box of the triangle is finite. If a plane separates the intersection of the two
    // boxes from the triangle, the box and the triangle have no common point.
    let part = shared(&around, bounds);
    if bounds.is_empty() || part.is_empty() {
        return false;
    }
    part == around || !is_separated(triangle, &part)
}

/// Returns the bounding box of a triangle, or `None` if a coordinate of the triangle is not finite.
fn around(triangle: &TriangleCorners) -> Option<Bounds> {
    let finite = triangle.iter().flatten().all(|part| part.is_finite());
    let bounds = triangle.iter().map(|corner| Bounds { min: *corner, max: *corner });
    finite.then(|| bounds.fold(Bounds::EMPTY, |all, corner| all.union(&corner)))
}

/// Returns the intersection of two boxes. The returned box is empty if the two boxes have no point
/// in common.
fn shared(one: &Bounds, other: &Bounds) -> Bounds {
    let mut shared = *one;
    for (least, other) in shared.min.iter_mut().zip(other.min) {
        *least = least.max(other);
    }
    for (greatest, other) in shared.max.iter_mut().zip(other.max) {
        *greatest = greatest.min(other);
    }
    shared
}

/// Returns whether a plane separates a triangle from a box.
///
/// The box must lie within the bounding box of the triangle. The tested planes are the plane of the
/// triangle, and the planes that are parallel to one edge of the triangle and one edge of the box
/// (Akenine-Möller, *Fast 3D Triangle-Box Overlap Testing*, 2001). Planes parallel to the faces of
/// the box need no test, because the box is not empty and lies within the bounding box of the
/// triangle.
fn is_separated(triangle: &TriangleCorners, bounds: &Bounds) -> bool {
    let corners @ [a, b, c] = triangle.map(|corner| corner.map(f64::from));
    let (min, max) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
    let apart = SeparatingAxisTest::new(corners, min, max);
    let edges @ [ab, _, ca] = [subtract(b, a), subtract(c, b), subtract(a, c)];
    let normal = cross(ab, ca);
    // Each component of the triangle's normal is a difference of two products. The magnitude of
    // this difference may be far smaller than the magnitudes of the two products.
    let [ux, uy, uz] = ab.map(f64::abs);
    let [vx, vy, vz] = ca.map(f64::abs);
    let magnitude = [uy * vz + uz * vy, uz * vx + ux * vz, ux * vy + uy * vx];
    apart.along(normal, magnitude)
        || edges.iter().any(|[x, y, z]| {
            let across = [[0.0, -z, *y], [*z, 0.0, -x], [-y, *x, 0.0]];
            across.iter().any(|axis| apart.along(*axis, axis.map(f64::abs)))
        })
}

/// The corners of a triangle and the half size of a box, relative to the centre of the box.
struct SeparatingAxisTest {
    corners: [[f64; 3]; 3],
    half: [f64; 3],
    /// The greatest distance of a triangle corner or a side of the box from the centre of the box,
    /// along each axis.
    reach: [f64; 3],
}

impl SeparatingAxisTest {
    fn new(corners: [[f64; 3]; 3], min: [f64; 3], max: [f64; 3]) -> Self {
        let center = mix(min, max, 0.5);
        let half = subtract(max, center);
        let corners = corners.map(|corner| subtract(corner, center));
        let mut reach = half;
        for corner in corners {
            for (reach, part) in reach.iter_mut().zip(corner) {
                *reach = reach.max(part.abs());
            }
        }
        Self { corners, half, reach }
    }

    /// Returns whether the triangle and the box are separated along the direction `axis`.
    ///
    /// The result is `true` only if the gap between the triangle and the box is larger than the
    /// possible rounding error. Each component of `magnitude` is the sum of the magnitudes of the
    /// products from which the same component of `axis` was computed.
    fn along(&self, axis: [f64; 3], magnitude: [f64; 3]) -> bool {
        let [p, q, r] = self.corners.map(|corner| dot(axis, corner));
        let radius = dot(axis.map(f64::abs), self.half) + ROUNDING_MARGIN * dot(magnitude, self.reach);
        p.min(q).min(r) > radius || p.max(q).max(r) < -radius
    }
}

/// Returns whether a triangle and a frustum have a point in common.
///
/// A triangle and a frustum that only touch each other, up to rounding errors, also have a point in
/// common. Returns `false` if a coordinate of the triangle is not finite.
#[must_use]
pub fn overlaps_frustum(triangle: &[[f32; 3]; 3], frustum: &Frustum) -> bool {
    let finite = triangle.iter().flatten().all(|part| part.is_finite());
    let mut left = ClippedPolygon::default();
    triangle.iter().filter(|_| finite).for_each(|corner| left.push(corner.map(f64::from)));
    for plane in frustum.planes() {
        left = left.inside(plane);
    }
    !left.corners().is_empty()
}

/// A convex polygon: the part of a triangle that remains after clipping at one or more planes.
/// Clipping at a plane may remove corners, and increases the number of corners by at most one.
#[derive(Clone, Copy, Default)]
struct ClippedPolygon {
    corners: [[f64; 3]; 3 + PLANES],
    count: usize,
}

impl ClippedPolygon {
    fn corners(&self) -> &[[f64; 3]] {
        self.corners.get(..self.count).unwrap_or_default()
    }

    /// Adds a corner to the polygon, or ignores the corner if the polygon already has the maximum
    /// number of corners. Only rounding errors could produce more corners than the maximum of 3
    /// plus the number of planes.
    fn push(&mut self, corner: [f64; 3]) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count = self.count.saturating_add(1);
        }
    }

    /// Returns the part of the polygon inside a plane, by the algorithm of Sutherland and Hodgman.
    fn inside(&self, plane: &Plane) -> Self {
        let mut left = Self::default();
        let Some(mut from) = self.corners().last().map(|last| (*last, plane.distance(*last))) else { return left };
        for corner in self.corners() {
            let to = (*corner, plane.distance(*corner));
            if (from.1 >= 0.0) != (to.1 >= 0.0) {
                left.push(cut(from, to));
            }
            if to.1 >= 0.0 {
                left.push(to.0);
            }
            from = to;
        }
        left
    }
}

/// Returns the point at which a plane cuts an edge. One end of the edge must have a negative
/// distance from the plane, and the other end must have a distance of 0 or more.
fn cut(from: ([f64; 3], f64), to: ([f64; 3], f64)) -> [f64; 3] {
    // The intersection point is always computed from the end of the edge that is inside the plane,
    // which gives the same result for both directions of the edge.
    let [(inner, above), (outer, below)] = if from.1 >= 0.0 { [from, to] } else { [to, from] };
    mix(inner, outer, above / (above - below))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;
    use crate::math::add;
    use crate::query::random::Random;

    #[test]
    fn tells_what_reaches_into_a_box() {
        let unit = Bounds { min: [0.0; 3], max: [1.0; 3] };
        let overlaps = |triangle: TriangleCorners| overlaps_box(&triangle, &unit);
        assert!(overlaps([[0.25, 0.5, 0.5], [0.5, 0.25, 0.5], [0.5, 0.5, 0.25]]), "inside");
        assert!(overlaps([[-9.0, -9.0, 0.5], [9.0, -9.0, 0.5], [0.0, 18.0, 0.5]]), "around");
        assert!(!overlaps([[1.5, 1.5, 0.5], [2.5, 0.5, 0.5], [2.5, 2.5, 0.5]]), "past a side");
        assert!(!overlaps([[2.25, 0.0, 0.5], [0.0, 2.25, 0.5], [2.25, 2.25, 0.5]]), "past an edge");
        assert!(overlaps([[2.0, 0.0, 0.5], [0.0, 2.0, 0.5], [2.0, 2.0, 0.5]]), "touches an edge");
        assert!(overlaps([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]), "touches a corner");
        assert!(!overlaps([[3.01, 0.0, 0.0], [0.0, 3.01, 0.0], [0.0, 0.0, 3.01]]), "past a corner");
        assert!(overlaps([[1.0, 0.25, 0.25], [1.0, 0.75, 0.25], [1.0, 0.25, 0.75]]), "in a side");
        assert!(overlaps([[1.0; 3]; 3]), "a point on a corner");
        assert!(!overlaps([[1.0, 1.0, 1.001]; 3]), "a point outside");
        assert!(overlaps([[-1.0, -1.0, -1.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]), "a segment through it");
        assert!(!overlaps([[2.25, 0.0, 0.5], [0.0, 2.25, 0.5], [0.0, 2.25, 0.5]]), "a segment past an edge");
    }

    /// Tests a box with a corner at the centre of a triangle. All coordinates of the box and the
    /// triangle can be stored exactly, but the products of coordinates are rounded.
    #[test]
    fn rounding_loses_no_touch() {
        let mut random = Random::new(12);
        let mut touches = 0;
        while touches < 2000 {
            let mut place = || random.vector(1.0).map(|part| (part * 1_048_576.0).round() / 1_048_576.0);
            let [corner, one, other] = [place(), place(), place()];
            let [x, y, z] = cross(one.map(f64::from), other.map(f64::from));
            if x <= 0.0 || y <= 0.0 || z <= 0.0 {
                continue;
            }
            touches += 1;
            let triangle = [add(corner, one), add(corner, other), subtract(subtract(corner, one), other)];
            let below = Bounds { min: subtract(corner, [0.5; 3]), max: corner };
            assert!(overlaps_box(&triangle, &below), "{triangle:?} {below:?}");
            let apart = Bounds { max: subtract(corner, [1e-4; 3]), ..below };
            assert!(!overlaps_box(&triangle, &apart), "{triangle:?} {apart:?}");
        }
    }

    #[test]
    fn boxes_may_be_empty_infinite_or_flat() {
        let triangle = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]];
        let all = Bounds { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        assert!(overlaps_box(&triangle, &all));
        assert!(!overlaps_box(&triangle, &Bounds::EMPTY));
        assert!(!overlaps_box(&triangle, &Bounds { min: [f32::INFINITY; 3], max: [f32::INFINITY; 3] }));
        let half = |x: f32, y: f32| Bounds { min: [x, y, f32::NEG_INFINITY], ..all };
        assert!(overlaps_box(&triangle, &half(0.5, 0.5)), "touches the longest edge");
        assert!(!overlaps_box(&triangle, &half(0.5, 0.625)));
        for place in 0..3 {
            let mut bad = all;
            bad.max[place] = f32::NAN;
            assert!(!overlaps_box(&triangle, &bad));
            let mut inverted = all;
            inverted.max[place] = f32::NEG_INFINITY;
            inverted.min[place] = 0.0;
            assert!(!overlaps_box(&triangle, &inverted));
            let mut spoilt = triangle;
            spoilt[place][place] = f32::NAN;
            assert!(!overlaps_box(&spoilt, &all));
            assert!(!overlaps_frustum(&spoilt, &Frustum::from_planes([[0.0; 4]; 6])));
        }
        let flat = |z: f32| Bounds { min: [0.25, 0.25, z], max: [3.0, 3.0, z] };
        assert!(overlaps_box(&triangle, &flat(0.5)));
        assert!(!overlaps_box(&triangle, &flat(0.75)));
        assert!(
            !overlaps_box(&triangle, &Bounds { min: [0.75, 0.75, 0.5], max: [3.0, 3.0, 0.5] }),
            "in one plane, apart"
        );
    }
}
