//! The point of a triangle that is closest to a query point.
//!
//! The corners of the triangle are converted to `f64`, in which the difference of two nearby `f32`
//! numbers is exact. A triangle without area is treated as the line segment or the point that its
//! corners form.

use crate::bvh::coordinates::TriangleCorners;
use crate::math::{add_scaled, cross, dot, mix, subtract};

/// The greatest squared sine of the angle at the first corner for which a triangle counts as a
/// needle (a very thin triangle).
///
/// Rounding errors make the direction of the computed normal of a needle too inaccurate. For other
/// triangles, it is accurate enough.
const MIN_SINE_SQUARED: f64 = 1e-4;

/// The point of a triangle that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The square of the distance from the query point to the closest point, in square scene units.
    ///
    /// The squared distance is infinite if a coordinate of the triangle is not finite.
    pub distance_squared: f64,
    /// The closest point of the triangle, in scene units.
    pub point: [f64; 3],
    /// The barycentric coordinates, 0 to 1, of the closest point for the second and the third
    /// corner of the triangle.
    ///
    /// The barycentric coordinate for the first corner is 1 minus the sum of the other two
    /// coordinates.
    pub barycentric: [f64; 2],
}

impl ClosestPoint {
    /// Returns the point, `self` or `other`, that is nearer to the query point, or `self` if both
    /// points are at the same distance.
    fn or(self, other: Self) -> Self {
        if other.distance_squared < self.distance_squared { other } else { self }
    }
}

/// Returns the point of a triangle that is closest to `point`.
///
/// If several points of the triangle are equally close to `point`, returns one of them. Several
/// points can be equally close if the triangle has no area, because the edges of such a triangle
/// overlap each other.
#[must_use]
pub fn closest(point: [f64; 3], triangle: &TriangleCorners) -> ClosestPoint {
    closest_of_wide(point, triangle.map(|corner| corner.map(f64::from)))
}

/// Returns the point of a triangle that is closest to `point`, like [`closest`].
#[must_use]
#[inline]
pub fn closest_of_wide(point: [f64; 3], corners: [[f64; 3]; 3]) -> ClosestPoint {
    let [a, b, c] = corners;
    let nowhere = ClosestPoint { distance_squared: f64::INFINITY, point: a, barycentric: [0.0; 2] };
    if !corners.iter().flatten().all(|part| part.is_finite()) {
        return nowhere;
    }
    let within = inside(point, corners);
    if let Some((closest, true)) = within {
        return closest;
    }
    // The candidates for the closest point of the triangle are the closest point of each edge and,
    // if it is inside the triangle, the foot of the perpendicular from `point`. The candidate that
    // is nearest to `point` is the closest point of the triangle.
    let edge = |[from, to]: [[f64; 3]; 2], [first, last]: [[f64; 2]; 2]| {
        let part = along(point, from, to);
        at_distance(point, mix(from, to, part), mix(first, last, part))
    };
    let [first, second, third] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let edges = [edge([a, b], [first, second]), edge([b, c], [second, third]), edge([a, c], [first, third])];
    edges.into_iter().chain(within.map(|(closest, _)| closest)).fold(nowhere, ClosestPoint::or)
}

/// Returns the foot of the perpendicular from `point` to the plane of the triangle, or `None` if
/// the foot is outside the triangle.
///
/// The returned `bool` is `true` if no point on an edge of the triangle can be closer to `point`
/// than the foot of the perpendicular. The returned `bool` is `false` for needles (very thin
/// triangles), because the direction of the computed normal of a needle is too inaccurate.
fn inside(point: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> Option<(ClosestPoint, bool)> {
    let (ab, ac) = (subtract(b, a), subtract(c, a));
    let normal = cross(ab, ac);
    let square = dot(normal, normal);
    let is_needle = square <= MIN_SINE_SQUARED * dot(ab, ab) * dot(ac, ac);
    // Each iteration of the loop corrects the rounding error that the previous iteration left in
    // the foot of the perpendicular.
    let rounds = if is_needle { 3 } else { 1 };
    let (mut second, mut third, mut foot) = (0.0, 0.0, a);
    for _ in 0..rounds {
        let left = subtract(point, foot);
        second += dot(cross(left, ac), normal) / square;
        third += dot(cross(ab, left), normal) / square;
        foot = add_scaled(add_scaled(a, second, ab), third, ac);
    }
    // `is_inside` is false if one of the barycentric coordinates `second` and `third` is NaN, for
    // example because the triangle has no area.
    let is_inside = second >= 0.0 && third >= 0.0 && second + third <= 1.0;
    is_inside.then(|| (at_distance(point, foot, [second, third]), !is_needle))
}

/// Makes a [`ClosestPoint`] from the point `closest` of the triangle, and computes the squared
/// distance between `closest` and `point`.
fn at_distance(point: [f64; 3], closest: [f64; 3], barycentric: [f64; 2]) -> ClosestPoint {
    let offset = subtract(point, closest);
    ClosestPoint { distance_squared: dot(offset, offset), point: closest, barycentric }
}

/// Finds the point of a line segment that is closest to `point`. Returns the position of the found
/// point on the segment as a fraction: 0 at `from`, 1 at `to`.
fn along(point: [f64; 3], from: [f64; 3], to: [f64; 3]) -> f64 {
    let way = subtract(to, from);
    let square = dot(way, way);
    if square > 0.0 { (dot(subtract(point, from), way) / square).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;
    use crate::query::random::Random;

    fn wide(point: [f32; 3]) -> [f64; 3] {
        point.map(f64::from)
    }

    /// Checks that no point of the triangle is closer to `point` than the result of [`closest`].
    ///
    /// All corners of the triangle must be on the far side, as seen from `point`, of the plane that
    /// passes through the closest point and is perpendicular to the line from the closest point to
    /// `point`.
    fn expect_closest(point: [f64; 3], triangle: &TriangleCorners, tolerance: f64) -> ClosestPoint {
        let found = closest(point, triangle);
        let offset = subtract(point, found.point);
        assert!((dot(offset, offset) - found.distance_squared).abs() <= tolerance * tolerance, "{found:?}");
        for corner in triangle {
            let beyond = dot(offset, subtract(wide(*corner), found.point));
            // The tolerated rounding error of the closest point grows with the distance between the
            // closest point and `point`, and with the square of the triangle's size.
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
            let triangle: TriangleCorners = std::array::from_fn(|_| random.vector(5.0));
            let [a, b, c] = triangle.map(wide);
            let normal = cross(subtract(b, a), subtract(c, a));
            let length = dot(normal, normal).sqrt();
            let (second, third) = (f64::from(random.between(0.0, 0.5)), f64::from(random.between(0.0, 0.5)));
            let height = 10.0_f64.powi(round % 16 - 12);
            let inside = add_scaled(add_scaled(a, second, subtract(b, a)), third, subtract(c, a));
            let point = add_scaled(inside, height / length, normal);
            let found = expect_closest(point, &triangle, 1e-9);
            assert!((found.distance_squared.sqrt() - height).abs() < 1e-12 * (10.0 + height), "{height} {found:?}");
        }
    }

    /// Even for very thin triangles, the computed distance of a query point to the triangle is 0 if
    /// the query point is in the triangle, and equal to its height above the triangle's plane if
    /// the query point is above the triangle.
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
            let inside = add_scaled(add_scaled(a, second, subtract(b, a)), third, subtract(c, a));
            let point = add_scaled(inside, height / length, normal);
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
            let triangle: TriangleCorners = std::array::from_fn(|_| random.vector(5.0));
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
            let mut triangle: TriangleCorners = std::array::from_fn(|_| random.vector(5.0));
            // Some of the random triangles are needles (very thin triangles), and some are reduced
            // to line segments or points.
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
        assert_eq!(found, ClosestPoint { distance_squared: 9.0, point: [1.0; 3], barycentric: [0.0; 2] });
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
}
