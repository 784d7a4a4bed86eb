//! One triangle: the point of it closest to another, and whether it reaches into a box or a frustum.
//!
//! Corners are widened to f64, in which differences of nearby f32 are exact. A triangle without an area is what is left of it:
//! a segment, or a point.

use crate::array::Bounds;
use crate::query::frustum::{Frustum, PLANES, Plane};

/// The corners of a triangle, in order.
pub(crate) type Triangle = [[f32; 3]; 3];

/// The greatest magnitude of a coordinate that is taken for one: 2^60.
pub(crate) const LIMIT: f64 = 1_152_921_504_606_846_976.0;

/// What rounding may add to or take from a sum of three products of sums, as a part of the sum of their magnitudes.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The square of the sine of the angle at a corner, below which the direction of a normal is not relied upon alone.
const NEEDLE: f64 = 1e-4;

/// Tells whether all coordinates are finite, and none is beyond [`LIMIT`].
#[inline]
pub(crate) fn is_within_limit(corner: &[f32; 3]) -> bool {
    corner.iter().all(|part| f64::from(part.abs()) <= LIMIT)
}

/// The point of a triangle that is closest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The square of the distance between the two, in scene units; infinite where a coordinate is not finite.
    pub distance_squared: f64,
    /// The point, in scene units.
    pub point: [f64; 3],
    /// The parts, 0 to 1, that the second corner and the third have in the point; the first has the rest.
    pub barycentric: [f64; 2],
}

impl Closest {
    /// Returns the nearer of two; this one where they are as near.
    fn or(self, other: Self) -> Self {
        if other.distance_squared < self.distance_squared { other } else { self }
    }
}

/// Returns the point of a triangle that is closest to `point`. Of several, as on both ends of a segment that folds back, it is
/// any.
#[must_use]
pub fn closest(point: [f64; 3], triangle: &[[f32; 3]; 3]) -> Closest {
    let corners @ [a, b, c] = triangle.map(|corner| corner.map(f64::from));
    let nowhere = Closest { distance_squared: f64::INFINITY, point: a, barycentric: [0.0; 2] };
    if !triangle.iter().flatten().all(|part| part.is_finite()) {
        return nowhere;
    }
    let within = inside(point, corners);
    if let Some((closest, true)) = within {
        return closest;
    }
    // Each of these is a point of the triangle, so that the least distance is right wherever one of them is.
    let edge = |[from, to]: [[f64; 3]; 2], corners: [[f64; 2]; 2]| {
        let part = along(point, from, to);
        let barycentric = toward(corners, part);
        at_distance(point, toward([from, to], part), barycentric)
    };
    let [first, second, third] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let edges = [edge([a, b], [first, second]), edge([b, c], [second, third]), edge([a, c], [first, third])];
    edges.into_iter().chain(within.map(|(closest, _)| closest)).fold(nowhere, Closest::or)
}

/// Returns the foot of the perpendicular where it is inside the triangle, and whether no edge can be closer: so, but for needles,
/// where the direction of the perpendicular is known too badly.
fn inside(point: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> Option<(Closest, bool)> {
    let (ab, ac) = (subtract(b, a), subtract(c, a));
    let normal = cross(ab, ac);
    let square = dot(normal, normal);
    let is_needle = square <= NEEDLE * dot(ab, ab) * dot(ac, ac);
    // Each round finds what the one before it was wrong by.
    let rounds = if is_needle { 3 } else { 1 };
    let (mut second, mut third, mut foot) = (0.0, 0.0, a);
    for _ in 0..rounds {
        let left = subtract(point, foot);
        second += dot(cross(left, ac), normal) / square;
        third += dot(cross(ab, left), normal) / square;
        foot = plus(plus(a, second, ab), third, ac);
    }
    // False of what is not a number, as where there is no area.
    let is_inside = second >= 0.0 && third >= 0.0 && second + third <= 1.0;
    is_inside.then(|| (at_distance(point, foot, [second, third]), !is_needle))
}

/// Measures how far a point of a triangle is from `point`.
fn at_distance(point: [f64; 3], closest: [f64; 3], barycentric: [f64; 2]) -> Closest {
    let offset = subtract(point, closest);
    Closest { distance_squared: dot(offset, offset), point: closest, barycentric }
}

/// Returns which part of the way along a segment is closest to `point`: 0 to 1.
fn along(point: [f64; 3], from: [f64; 3], to: [f64; 3]) -> f64 {
    let way = subtract(to, from);
    let square = dot(way, way);
    if square > 0.0 { (dot(subtract(point, from), way) / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns what lies a part of the way from one to the other; exactly the one or the other at the ends.
fn toward<const N: usize>([from, to]: [[f64; N]; 2], part: f64) -> [f64; N] {
    let mut between = from;
    for (from, to) in between.iter_mut().zip(to) {
        *from = *from * (1.0 - part) + to * part;
    }
    between
}

/// Tells whether a triangle and a box have a point in common; one that they touch in, to within rounding, is in both.
///
/// Sides of the box may be infinite. An empty box, one that is not a number, and a triangle with a coordinate that is not finite
/// have no point in common with anything.
#[must_use]
pub fn overlaps_box(triangle: &[[f32; 3]; 3], bounds: &Bounds) -> bool {
    let Some(around) = around(triangle) else { return false };
    // What they have in common lies in the part of the box that is also in the one around the triangle: no part of it is
    // infinite, and what separates it from the triangle separates the box.
    let part = shared(&around, bounds);
    if bounds.is_empty() || part.is_empty() {
        return false;
    }
    part == around || !is_separated(triangle, &part)
}

/// Returns the box around a triangle; `None` where a coordinate is not finite.
fn around(triangle: &Triangle) -> Option<Bounds> {
    let finite = triangle.iter().flatten().all(|part| part.is_finite());
    let bounds = triangle.iter().map(|corner| Bounds { min: *corner, max: *corner });
    finite.then(|| bounds.fold(Bounds::EMPTY, |all, corner| all.union(&corner)))
}

/// Returns what two boxes have in common; empty where that is nothing.
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

/// Tells whether a plane passes between a triangle and a box that the one around the triangle holds: along a face of either, or
/// along an edge of each (Akenine-Möller, *Fast 3D Triangle-Box Overlap Testing*, 2001). The faces of the box need no test:
/// it holds something.
fn is_separated(triangle: &Triangle, bounds: &Bounds) -> bool {
    let corners @ [a, b, c] = triangle.map(|corner| corner.map(f64::from));
    let (min, max) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
    let apart = Apart::new(corners, min, max);
    let edges @ [ab, _, ca] = [subtract(b, a), subtract(c, b), subtract(a, c)];
    let normal = cross(ab, ca);
    // The normal is a difference of products, whose magnitude may be far less than theirs.
    let [ux, uy, uz] = ab.map(f64::abs);
    let [vx, vy, vz] = ca.map(f64::abs);
    let magnitude = [uy * vz + uz * vy, uz * vx + ux * vz, ux * vy + uy * vx];
    apart.along(normal, magnitude)
        || edges.iter().any(|[x, y, z]| {
            let across = [[0.0, -z, *y], [*z, 0.0, -x], [-y, *x, 0.0]];
            across.iter().any(|axis| apart.along(*axis, axis.map(f64::abs)))
        })
}

/// A triangle and a box, seen from the centre of the box.
struct Apart {
    corners: [[f64; 3]; 3],
    half: [f64; 3],
    /// The greatest distance from the centre, along each axis, of anything that is measured.
    reach: [f64; 3],
}

impl Apart {
    fn new(corners: [[f64; 3]; 3], min: [f64; 3], max: [f64; 3]) -> Self {
        let center = toward([min, max], 0.5);
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

    /// Tells whether the two are apart in the direction of `axis`, and not by rounding: `magnitude` is that of what the axis
    /// was computed from.
    fn along(&self, axis: [f64; 3], magnitude: [f64; 3]) -> bool {
        let [p, q, r] = self.corners.map(|corner| dot(axis, corner));
        let radius = dot(axis.map(f64::abs), self.half) + ROUNDING * dot(magnitude, self.reach);
        p.min(q).min(r) > radius || p.max(q).max(r) < -radius
    }
}

/// Tells whether a triangle and a frustum have a point in common; one that they touch in, to within rounding, is in both.
/// `false` where a coordinate is not finite.
#[must_use]
pub fn overlaps_frustum(triangle: &[[f32; 3]; 3], frustum: &Frustum) -> bool {
    let finite = triangle.iter().flatten().all(|part| part.is_finite());
    let mut left = Polygon::default();
    triangle.iter().filter(|_| finite).for_each(|corner| left.push(corner.map(f64::from)));
    for plane in frustum.planes() {
        left = left.inside(plane);
    }
    !left.corners().is_empty()
}

/// A convex polygon: a triangle, of which each plane that cuts it takes corners and adds one at most.
#[derive(Clone, Copy, Default)]
struct Polygon {
    corners: [[f64; 3]; 3 + PLANES],
    count: usize,
}

impl Polygon {
    fn corners(&self) -> &[[f64; 3]] {
        self.corners.get(..self.count).unwrap_or_default()
    }

    /// Adds a corner. One that has no room, as only rounding could make it, is left out.
    fn push(&mut self, corner: [f64; 3]) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count = self.count.saturating_add(1);
        }
    }

    /// Returns what of it is inside a plane, by Sutherland and Hodgman's way around it.
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

/// Returns where a plane cuts an edge, whose ends are at distances from it of which one is below 0.
fn cut(from: ([f64; 3], f64), to: ([f64; 3], f64)) -> [f64; 3] {
    // From the same end, whichever way the edge is gone along.
    let [(inner, above), (outer, below)] = if from.1 >= 0.0 { [from, to] } else { [to, from] };
    toward([inner, outer], above / (above - below))
}

pub(crate) fn subtract([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ax - bx, ay - by, az - bz]
}

fn plus([ax, ay, az]: [f64; 3], factor: f64, [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ax + factor * bx, ay + factor * by, az + factor * bz]
}

pub(crate) fn dot([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> f64 {
    ax * bx + ay * by + az * bz
}

pub(crate) fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
pub(crate) mod tests {
    use super::*;

    /// Random numbers that are the same on every run: a generator of the xorshift family.
    pub(crate) struct Random(u64);

    impl Random {
        pub(crate) fn new(seed: u64) -> Self {
            Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
        }

        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
        }

        /// Returns a number below `limit`.
        pub(crate) fn below(&mut self, limit: usize) -> usize {
            let limit = u64::try_from(limit).unwrap();
            usize::try_from((self.next() >> 11) % limit).unwrap()
        }

        /// Returns a number between two.
        pub(crate) fn between(&mut self, from: f32, to: f32) -> f32 {
            let part = u32::try_from(self.next() >> 40).unwrap();
            from + (to - from) * crate::math::narrow(f64::from(part) / 16_777_216.0)
        }

        /// Returns a vector whose parts are at most `size` from 0.
        pub(crate) fn vector(&mut self, size: f32) -> [f32; 3] {
            std::array::from_fn(|_| self.between(-size, size))
        }
    }

    fn wide(point: [f32; 3]) -> [f64; 3] {
        point.map(f64::from)
    }

    /// Tests that no point of the triangle is closer: none lies beyond the plane that touches it there.
    fn expect_closest(point: [f64; 3], triangle: &Triangle, tolerance: f64) -> Closest {
        let found = closest(point, triangle);
        let offset = subtract(point, found.point);
        assert!((dot(offset, offset) - found.distance_squared).abs() <= tolerance * tolerance, "{found:?}");
        for corner in triangle {
            let beyond = dot(offset, subtract(wide(*corner), found.point));
            // As much as a point that is off by rounding makes of the triangle's size, and the distance's.
            let size = triangle.as_flattened().iter().fold(1.0_f64, |size, part| size.max(f64::from(part.abs())));
            let allowed = tolerance * found.distance_squared.sqrt() + 1e-13 * size * size;
            assert!(beyond <= tolerance * tolerance + allowed, "{point:?} {triangle:?} {found:?}");
        }
        let [second, third] = found.barycentric;
        let first = 1.0 - second - third;
        assert!(second >= 0.0 && third >= 0.0 && first >= -1e-15, "{found:?}");
        for (axis, place) in found.point.into_iter().enumerate() {
            let [a, b, c] = triangle.map(|corner| f64::from(corner[axis]));
            assert!((a * first + b * second + c * third - place).abs() <= tolerance, "{found:?}");
        }
        found
    }

    #[test]
    fn finds_the_closest_in_each_region() {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        for (point, expected, barycentric) in [
            ([1.0, 1.0, 3.0], [1.0, 1.0, 0.0], [0.25, 0.25]),
            ([1.0, -2.0, 1.0], [1.0, 0.0, 0.0], [0.25, 0.0]),
            ([-2.0, 3.0, -1.0], [0.0, 3.0, 0.0], [0.0, 0.75]),
            ([4.0, 4.0, 0.0], [2.0, 2.0, 0.0], [0.5, 0.5]),
            ([-1.0, -1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0]),
            ([9.0, -1.0, 1.0], [4.0, 0.0, 0.0], [1.0, 0.0]),
            ([-1.0, 9.0, 1.0], [0.0, 4.0, 0.0], [0.0, 1.0]),
            ([0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.125, 0.125]),
        ] {
            let found = expect_closest(point, &triangle, 1e-14);
            assert_eq!((found.point, found.barycentric), (expected, barycentric), "{point:?}");
        }
    }

    #[test]
    fn a_point_above_the_middle_is_as_far_as_it_is_high() {
        let mut random = Random::new(9);
        for round in 0..20_000 {
            let triangle: Triangle = std::array::from_fn(|_| random.vector(5.0));
            let [a, b, c] = triangle.map(wide);
            let normal = cross(subtract(b, a), subtract(c, a));
            let length = dot(normal, normal).sqrt();
            let (second, third) = (f64::from(random.between(0.0, 0.5)), f64::from(random.between(0.0, 0.5)));
            let height = 10.0_f64.powi(round % 16 - 12);
            let inside = plus(plus(a, second, subtract(b, a)), third, subtract(c, a));
            let point = plus(inside, height / length, normal);
            let found = expect_closest(point, &triangle, 1e-9);
            assert!((found.distance_squared.sqrt() - height).abs() < 1e-12 * (10.0 + height), "{height} {found:?}");
        }
    }

    /// However thin a triangle is, a point in it is at no distance, and one above it at its height.
    #[test]
    fn needles_are_no_farther_than_others() {
        let mut random = Random::new(11);
        for round in 0..20_000_i32 {
            let (from, to) = (random.vector(5.0), random.vector(5.0));
            let on = crate::math::mix(from, to, random.between(-0.5, 1.5));
            let mut triangle = [from, to, crate::math::add(on, random.vector(10.0_f32.powi(-(round % 9))))];
            let [a, b, c] = triangle.map(wide);
            let normal = cross(subtract(b, a), subtract(c, a));
            let length = dot(normal, normal).sqrt();
            if length < 1e-6 {
                continue;
            }
            let (second, third) = (f64::from(random.between(0.0, 0.5)), f64::from(random.between(0.0, 0.5)));
            let height = [0.0, 1e-9, 1e-3, 10.0][usize::try_from(round % 4).unwrap()];
            let inside = plus(plus(a, second, subtract(b, a)), third, subtract(c, a));
            let point = plus(inside, height / length, normal);
            for _ in 0..3 {
                triangle.rotate_left(1);
                let found = closest(point, &triangle).distance_squared.sqrt();
                assert!((found - height).abs() < 1e-12 * (10.0 + height), "{height} {found} {triangle:?}");
            }
        }
    }

    #[test]
    fn no_sample_is_closer() {
        let mut random = Random::new(4);
        for _ in 0..300 {
            let triangle: Triangle = std::array::from_fn(|_| random.vector(5.0));
            let point = wide(random.vector(10.0));
            let found = closest(point, &triangle).distance_squared.sqrt();
            let mut least = f64::INFINITY;
            let [a, b, c] = triangle.map(wide);
            for second in 0..=40_u8 {
                for third in 0..=(40 - second) {
                    let [second, third] = [second, third].map(|part| f64::from(part) / 40.0);
                    let sample: [f64; 3] =
                        std::array::from_fn(|k| a[k] * (1.0 - second - third) + b[k] * second + c[k] * third);
                    let offset = subtract(point, sample);
                    least = least.min(dot(offset, offset).sqrt());
                }
            }
            assert!(found <= least + 1e-12 && least <= found + 0.5, "{found} {least}");
        }
    }

    #[test]
    fn is_the_same_whatever_the_order_of_corners() {
        let mut random = Random::new(5);
        for round in 0..30_000 {
            let mut triangle: Triangle = std::array::from_fn(|_| random.vector(5.0));
            // Some are needles, some segments or points.
            if round % 2 == 0 {
                let part = random.between(-0.5, 1.5);
                let thin = 10.0_f32.powi(-i32::try_from(random.below(12)).unwrap());
                let on = crate::math::mix(triangle[0], triangle[1], part);
                triangle[2] = crate::math::add(on, random.vector(thin));
            }
            if round % 10 == 3 {
                triangle[random.below(3)] = triangle[random.below(3)];
            }
            let point = match round % 3 {
                0 => wide(random.vector(10.0)),
                1 => wide(crate::math::mix(triangle[0], triangle[2], random.between(-0.2, 1.2))),
                _ => wide(random.vector(1e4)),
            };
            let size = point.iter().fold(10.0_f64, |size, part| size.max(part.abs()));
            let found = expect_closest(point, &triangle, 1e-12 * size).distance_squared.sqrt();
            let [a, b, c] = triangle;
            for other in [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
                let again = expect_closest(point, &other, 1e-12 * size).distance_squared.sqrt();
                assert!((found - again).abs() <= 1e-12 * size, "{point:?} {triangle:?} {found} {again}");
            }
        }
    }

    #[test]
    fn what_has_no_area_is_a_segment_or_a_point() {
        let [a, b] = [[1.0, 1.0, 1.0], [5.0, 1.0, 1.0]];
        for segment in [[a, b, b], [a, a, b], [a, b, a], [b, a, a], [a, b, [3.0, 1.0, 1.0]]] {
            for (point, expected) in [
                ([2.5, 4.0, 1.0], [2.5, 1.0, 1.0]),
                ([0.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
                ([9.0, 1.0, 4.0], [5.0, 1.0, 1.0]),
            ] {
                assert_eq!(expect_closest(point, &segment, 1e-14).point, expected, "{segment:?}");
            }
        }
        let found = closest([1.0, 1.0, 4.0], &[a; 3]);
        assert_eq!(found, Closest { distance_squared: 9.0, point: [1.0; 3], barycentric: [0.0; 2] });
        let needle = [[0.0; 3], [1e6, 0.0, 0.0], [5e5, f32::MIN_POSITIVE, 0.0]];
        assert_eq!(closest([25e4, 0.0, 7.0], &needle).distance_squared, 49.0);
    }

    #[test]
    fn what_is_no_coordinate_is_infinitely_far() {
        for bad in [f32::NAN, f32::INFINITY] {
            let triangle = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, bad, 0.0]];
            assert_eq!(closest([0.0; 3], &triangle).distance_squared, f64::INFINITY);
        }
        for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
            let found = closest([0.0, bad, 0.0], &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
            assert_eq!(found.distance_squared, f64::INFINITY);
        }
        let huge = [[f32::MAX; 3], [f32::MIN; 3], [f32::MAX, f32::MIN, 0.0]];
        assert!(closest([0.0; 3], &huge).distance_squared.is_finite());
        assert!(closest([1e38, 0.0, 1e-45], &huge).point.iter().all(|part| part.is_finite()));
    }

    #[test]
    fn tells_what_reaches_into_a_box() {
        let unit = Bounds { min: [0.0; 3], max: [1.0; 3] };
        let overlaps = |triangle: Triangle| overlaps_box(&triangle, &unit);
        assert!(overlaps([[0.25, 0.5, 0.5], [0.5, 0.25, 0.5], [0.5, 0.5, 0.25]]), "inside");
        assert!(overlaps([[-9.0, -9.0, 0.5], [9.0, -9.0, 0.5], [0.0, 18.0, 0.5]]), "around");
        assert!(!overlaps([[1.5, 1.5, 0.5], [2.5, 0.5, 0.5], [2.5, 2.5, 0.5]]), "beside");
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

    /// The corner of a box is the middle of a triangle, in numbers that can be stored; products of them are rounded.
    #[test]
    fn rounding_loses_no_touch() {
        let mut random = Random::new(12);
        let mut touches = 0;
        while touches < 2000 {
            let mut place = || random.vector(1.0).map(|part| (part * 1_048_576.0).round() / 1_048_576.0);
            let [corner, one, other] = [place(), place(), place()];
            let [x, y, z] = cross(wide(one), wide(other));
            if x <= 0.0 || y <= 0.0 || z <= 0.0 {
                continue;
            }
            touches += 1;
            let (add, subtract) = (crate::math::add, crate::math::subtract);
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
