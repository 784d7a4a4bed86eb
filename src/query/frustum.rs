//! A frustum: a convex region bounded by six planes, such as the region that a camera sees.

use crate::array::Bounds;
use crate::math::add_scaled;

/// The number of planes of a frustum.
pub(crate) const PLANES: usize = 6;

/// A frustum: the set of all points that are on the inner side of six planes. Points that lie
/// exactly on a plane belong to the frustum.
///
/// A frustum can be the region that a camera sees, or any convex region with up to six sides.
///
/// ```
/// use meshpeek::Bounds;
/// use meshpeek::query::Frustum;
/// // All points with x >= 1. Planes that are not needed are 0.
/// let half_space = Frustum::from_planes([[1.0, 0.0, 0.0, -1.0], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]]);
/// let cube = Bounds { min: [-2.0; 3], max: [0.5; 3] };
/// assert!(half_space.excludes(&cube));
/// assert!(half_space.contains(&Bounds { min: [1.0; 3], max: [2.0; 3] }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Plane; PLANES],
}

/// A plane: the coefficients a, b, c and d of the equation `a*x + b*y + c*z + d = 0`.
///
/// A point (x, y, z) is inside the plane if `a*x + b*y + c*z + d` is 0 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane([f64; 4]);

impl Plane {
    /// Makes a plane from its four coefficients. If a coefficient is not finite, no point is inside
    /// the plane.
    fn new(numbers: [f64; 4]) -> Self {
        Self(if numbers.iter().all(|number| number.is_finite()) { numbers } else { [0.0, 0.0, 0.0, -1.0] })
    }

    /// Returns the signed distance of a point from the plane, multiplied by the length of the
    /// plane's normal.
    ///
    /// The distance is positive for points inside the plane and negative for points outside the
    /// plane.
    #[inline]
    pub(crate) fn distance(&self, [x, y, z]: [f64; 3]) -> f64 {
        let Self([by_x, by_y, by_z, more]) = self;
        by_x * x + by_y * y + by_z * z + more
    }

    /// Returns the greatest or the least [`distance`](Self::distance) of the eight corners of a box
    /// from the plane.
    ///
    /// Returns the greatest distance of a box corner from the plane if `most` is true, and the
    /// least distance if `most` is false. The sum `a*x + b*y + c*z + d` is rounded in the same way
    /// as in `distance`. The distance that `distance` computes for any point in the box is
    /// therefore between the least and the greatest distance that this method computes.
    fn distance_of(&self, bounds: &Bounds, most: bool) -> f64 {
        let Self([by_x, by_y, by_z, more]) = self;
        let ([x, y, z], [far_x, far_y, far_z]) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
        let term = |factor: f64, near: f64, far: f64| {
            if factor == 0.0 {
                // If a coefficient of the plane is 0, its product with a coordinate of the box must
                // be 0, even if the coordinate is infinite. In floating point, 0 times infinity
                // would be NaN.
                return 0.0;
            }
            factor * if (factor > 0.0) == most { far } else { near }
        };
        term(*by_x, x, far_x) + term(*by_y, y, far_y) + term(*by_z, z, far_z) + more
    }
}

impl Frustum {
    /// Makes a frustum from six planes.
    ///
    /// Each plane is an array of four coefficients a, b, c, d. A point (x, y, z) is inside the
    /// plane if `a*x + b*y + c*z + d` is 0 or more. The normal (a, b, c) of a plane points to the
    /// inside of the frustum and may have any length.
    ///
    /// If all four coefficients of a plane are 0, every point is inside this plane. If one is not
    /// finite, no point is inside, and the frustum is empty.
    #[must_use]
    pub fn from_planes(planes: [[f32; 4]; 6]) -> Self {
        Self { planes: planes.map(|plane| Plane::new(plane.map(f64::from))) }
    }

    /// Makes a frustum from a matrix that transforms scene units to clip space.
    ///
    /// The planes are computed with the method of Gribb and Hartmann (2001). The matrix is the
    /// product of three matrices: projection, view, and the model matrix of the mesh.
    ///
    /// The matrix is stored by columns and multiplies a column vector from the left. `matrix[3]` is
    /// the point in clip space to which the matrix transforms the origin. A point with the clip
    /// coordinates x, y, z, w is inside the frustum if `-w <= x <= w`, `-w <= y <= w` and `0 <= z
    /// <= w`, as in Direct3D, Metal, Vulkan and WebGPU. The projection may have a reversed depth or
    /// an infinite far plane. OpenGL uses the condition `-w <= z` instead of `0 <= z`. For OpenGL,
    /// compute the planes yourself and pass them to [`from_planes`](Self::from_planes).
    #[must_use]
    pub fn from_matrix(matrix: &[[f32; 4]; 4]) -> Self {
        let columns = matrix.map(|column| column.map(f64::from));
        let row = |part: fn([f64; 4]) -> f64| columns.map(part);
        let (across, up) = (row(|[x, ..]| x), row(|[_, y, ..]| y));
        let (depth, w) = (row(|[.., z, _]| z), row(|[.., w]| w));
        let [left, right] = [1.0, -1.0].map(|factor| add_scaled(w, factor, across));
        let [bottom, top] = [1.0, -1.0].map(|factor| add_scaled(w, factor, up));
        let planes = [left, right, bottom, top, depth, add_scaled(w, -1.0, depth)];
        Self { planes: planes.map(Plane::new) }
    }

    pub(crate) const fn planes(&self) -> &[Plane; PLANES] {
        &self.planes
    }

    /// Returns whether a box is completely outside at least one of the six planes, which means that
    /// the box is outside the frustum.
    ///
    /// Returns `false` for some boxes near an edge or a corner of the frustum that are outside the
    /// frustum but not outside any single plane. Returns `true` for an empty box.
    #[must_use]
    pub fn excludes(&self, bounds: &Bounds) -> bool {
        // A box whose distance from a plane is NaN must count as outside, and the comparison `>=
        // 0.0` is false for NaN. The distance from a plane may be NaN if the box has a side at
        // infinity.
        let reaches = |plane: &Plane| plane.distance_of(bounds, true) >= 0.0;
        bounds.is_empty() || !self.planes.iter().all(reaches)
    }

    /// Returns whether a box is completely inside the frustum. Returns `false` for an empty box.
    #[must_use]
    pub fn contains(&self, bounds: &Bounds) -> bool {
        !bounds.is_empty() && self.planes.iter().all(|plane| plane.distance_of(bounds, false) >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::coordinates::TriangleCorners;
    use crate::query::random::Random;
    use crate::query::triangle_overlap::{overlaps_box, overlaps_frustum};

    /// The matrix of a test camera at the origin that looks in the direction of the positive z
    /// axis.
    ///
    /// At each depth z from 1 to 9, the test camera sees the points whose x and y are between -z/2
    /// and z/2.
    const CAMERA: [[f32; 4]; 4] =
        [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.125, 1.0], [0.0, 0.0, -1.125, 0.0]];

    /// Returns a frustum that is a box: `bounds` enlarged by `more` on every side.
    fn sides(bounds: &Bounds, more: f64) -> Frustum {
        let mut planes = [Plane::new([0.0; 4]); PLANES];
        for axis in 0..3 {
            for (side, sign, at) in [(0, 1.0, bounds.min[axis]), (1, -1.0, bounds.max[axis])] {
                let mut numbers = [0.0, 0.0, 0.0, more - sign * f64::from(at)];
                numbers[axis] = sign;
                planes[2 * axis + side] = Plane::new(numbers);
            }
        }
        Frustum { planes }
    }

    fn point(at: [f32; 3]) -> Bounds {
        Bounds { min: at, max: at }
    }

    /// Returns a random triangle and a random box near the triangle.
    ///
    /// Corners of the random triangle may coincide, and its coordinates may be small whole numbers.
    fn pair(random: &mut Random, round: u32) -> (TriangleCorners, Bounds) {
        let mut place = |size| {
            let place: [f32; 3] = random.vector(size);
            if round.is_multiple_of(2) { place.map(f32::round) } else { place }
        };
        let (one, other) = (place(3.0), place(3.0));
        let mut triangle: TriangleCorners = std::array::from_fn(|_| place(6.0));
        if round.is_multiple_of(7) {
            triangle[2] = triangle[usize::from(round.is_multiple_of(3))];
        }
        (triangle, point(one).union(&point(other)))
    }

    #[test]
    fn a_box_and_its_sides_hold_the_same_triangles() {
        let mut random = Random::new(6);
        let (mut inside, mut outside, mut touching) = (0, 0, 0);
        for round in 0..100_000 {
            let (triangle, bounds) = pair(&mut random, round);
            let [less, more] = [-1e-9, 1e-9].map(|more| overlaps_frustum(&triangle, &sides(&bounds, more)));
            let found = overlaps_box(&triangle, &bounds);
            match (less, more) {
                (true, true) => inside += 1,
                (false, false) => outside += 1,
                _ => touching += 1,
            }
            if less == more {
                assert_eq!(found, less, "{triangle:?} {bounds:?}");
                assert_eq!(overlaps_frustum(&triangle, &sides(&bounds, 0.0)), less, "{triangle:?} {bounds:?}");
            } else {
                assert!(found, "they touch: {triangle:?} {bounds:?}");
            }
        }
        assert!(inside > 10_000 && outside > 10_000 && touching > 1000, "{inside} {outside} {touching}");
    }

    #[test]
    fn what_a_box_is_told_holds_for_the_triangles_in_it() {
        let mut random = Random::new(7);
        let (mut excluded, mut contained) = (0, 0);
        for round in 0..100_000 {
            let planes = std::array::from_fn(|_| {
                let [a, b, c] = random.vector(1.0);
                [a, b, c, random.between(-2.0, 9.0)]
            });
            let frustum = Frustum::from_planes(planes);
            let (triangle, _) = pair(&mut random, round);
            let around = triangle.iter().fold(Bounds::EMPTY, |all, corner| all.union(&point(*corner)));
            let overlaps = overlaps_frustum(&triangle, &frustum);
            if frustum.excludes(&around) {
                excluded += 1;
                assert!(!overlaps && !frustum.contains(&around), "{triangle:?} {frustum:?}");
            }
            if frustum.contains(&around) {
                contained += 1;
                assert!(overlaps, "{triangle:?} {frustum:?}");
            }
        }
        assert!(excluded > 1000 && contained > 1000, "{excluded} {contained}");
    }

    #[test]
    fn sees_what_the_matrix_takes_into_clip_space() {
        let frustum = Frustum::from_matrix(&CAMERA);
        for (at, seen) in [
            ([0.0, 0.0, 1.0], true),
            ([0.0, 0.0, 9.0], true),
            ([0.0, 0.0, 0.99], false),
            ([0.0, 0.0, 9.01], false),
            ([2.0, -2.0, 4.0], true),
            ([2.01, 0.0, 4.0], false),
            ([0.0, 2.01, 4.0], false),
            ([-2.01, 0.0, 4.0], false),
            ([0.0, 0.0, -4.0], false),
        ] {
            assert_eq!(frustum.contains(&point(at)), seen, "{at:?}");
            assert_eq!(frustum.excludes(&point(at)), !seen, "{at:?}");
            assert_eq!(overlaps_frustum(&[at; 3], &frustum), seen, "{at:?}");
        }
        let across = [[-9.0, 0.0, 4.0], [9.0, 0.0, 4.0], [9.0, 1.0, 4.0]];
        assert!(overlaps_frustum(&across, &frustum), "no corner is inside");
        let corner = [[2.5, 0.0, 1.0], [9.0, 0.0, 1.0], [9.0, 0.0, 7.5]];
        assert!(!overlaps_frustum(&corner, &frustum), "it is not outside any single plane");
    }

    #[test]
    fn a_matrix_may_turn_and_move() {
        let mut random = Random::new(8);
        for _ in 0..20_000 {
            let matrix: [[f32; 4]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| random.between(-1.0, 1.0)));
            let at = random.vector(3.0);
            let [x, y, z] = at.map(f64::from);
            let clip: [f64; 4] = std::array::from_fn(|row| {
                let column = matrix.map(|column| f64::from(column[row]));
                x * column[0] + y * column[1] + z * column[2] + column[3]
            });
            let [across, up, depth, w] = clip;
            let inside = across.abs() <= w && up.abs() <= w && depth >= 0.0 && depth <= w;
            assert_eq!(Frustum::from_matrix(&matrix).contains(&point(at)), inside, "{matrix:?} {at:?}");
        }
    }

    #[test]
    fn nothing_is_inside_what_is_not_a_number() {
        let triangle = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let all = Bounds { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        for bad in [f32::NAN, f32::INFINITY] {
            for place in 0..4 {
                let mut planes = [[0.0; 4]; 6];
                planes[place][place] = bad;
                let frustum = Frustum::from_planes(planes);
                assert!(!overlaps_frustum(&triangle, &frustum));
                assert!(frustum.excludes(&all) && !frustum.contains(&all) && !frustum.contains(&point([0.0; 3])));
            }
        }
        assert!(Frustum::from_matrix(&[[f32::NAN; 4]; 4]).excludes(&all));
    }

    #[test]
    fn boxes_may_be_empty_or_infinite() {
        let every = Frustum::from_planes([[0.0; 4]; 6]);
        let camera = Frustum::from_matrix(&CAMERA);
        let all = Bounds { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        assert!(every.contains(&all) && !every.excludes(&all));
        assert!(!camera.contains(&all) && !camera.excludes(&all));
        for empty in [Bounds::EMPTY, point([f32::NAN; 3])] {
            assert!(every.excludes(&empty) && !every.contains(&empty));
        }
        let ahead = Frustum::from_planes([[0.0, 0.0, 1.0, 0.0]; 6]);
        let above = Bounds { min: [f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0], ..all };
        assert!(ahead.contains(&above));
        assert!(ahead.excludes(&Bounds { max: [f32::INFINITY, f32::INFINITY, -1.0], ..all }));
        assert!(ahead.excludes(&Bounds { max: [f32::NEG_INFINITY; 3], ..all }));
    }
}
