//! The exact test of a ray against a triangle.

use std::ops::ControlFlow;

use crate::bvh::coordinates::{TriangleCorners, is_valid_point};

/// A ray prepared for tests against many triangles.
///
/// The intersection test is the test of Woop, Benthin and Wald, *Watertight Ray/Triangle
/// Intersection* (JCGT 2, 2013), computed in `f64`.
///
/// The corners of a triangle are moved to put the ray's origin at 0, and sheared to make the ray
/// run along a coordinate axis. A corner that several triangles share is transformed in the same
/// way for each of them. The sign of a difference of two rounded products determines on which side
/// of an edge the ray passes. For a ray that passes close to an edge, this difference of two
/// products may be rounded to 0, but it never has the wrong sign. Because the sign is never wrong,
/// a ray through an edge or a corner hits at least one of the triangles that share the edge or
/// corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatertightRay {
    pub(crate) origin: [f64; 3],
    /// The inverse of each component of the ray's direction. For a direction component of 0, the
    /// inverse is infinite.
    pub(crate) inverse: [f64; 3],
    /// The coordinate axis along which the ray's direction has its largest component.
    pub(crate) axis: DominantAxis,
    /// The components of the ray's direction along the next two axes, in cyclic order, divided by
    /// the component along `axis`.
    pub(crate) shear: [f64; 2],
    /// The change of the ray parameter `t` for a distance of 1 along `axis`.
    pub(crate) scale: f64,
    /// The least and the greatest `t` of an accepted crossing.
    pub(crate) range: [f64; 2],
}

/// A coordinate axis: x, y or z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DominantAxis {
    X,
    Y,
    Z,
}

impl DominantAxis {
    /// Reorders the components of a vector: first the components along the next two axes in cyclic
    /// order, then the component along this axis.
    #[inline]
    pub(crate) const fn last<T: Copy>(self, [x, y, z]: [T; 3]) -> [T; 3] {
        match self {
            Self::X => [y, z, x],
            Self::Y => [z, x, y],
            Self::Z => [x, y, z],
        }
    }

    /// Returns the coordinate axis along which a vector has its largest component.
    #[inline]
    fn longest(vector: [f64; 3]) -> Self {
        let [x, y, z] = vector.map(f64::abs);
        if z >= x && z >= y {
            Self::Z
        } else if y >= x {
            Self::Y
        } else {
            Self::X
        }
    }
}

/// The point at which a ray crosses a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// The ray parameter `t`: the distance of the crossing from the ray's origin, divided by the
    /// length of the ray's direction vector.
    pub t: f64,
    /// The barycentric coordinates, 0 to 1, of the crossing for the second and the third corner of
    /// the triangle.
    ///
    /// The barycentric coordinate for the first corner is 1 minus the sum of the other two
    /// coordinates.
    pub barycentric: [f64; 2],
    /// Whether the ray comes from the front side of the triangle, from which the corners appear in
    /// counter-clockwise order.
    pub front: bool,
}

/// Receives a crossing, with the number of the triangle in its leaf and its corners. Returns
/// `Break` if no other crossing is needed.
pub(crate) type FoundCrossing<'b> = &'b mut dyn FnMut(usize, Crossing, &TriangleCorners) -> ControlFlow<()>;

impl WatertightRay {
    /// Prepares a ray for the intersection test. Returns `None` if the ray cannot hit any triangle.
    ///
    /// A ray cannot hit any triangle if its origin is not finite or beyond ±2^60, if its direction
    /// is zero or not finite, or if its range of `t` is empty or contains a NaN.
    #[inline]
    pub(crate) fn new(start: [f32; 3], direction: [f64; 3], range: [f64; 2]) -> Option<Self> {
        let origin = start.map(f64::from);
        let [least, greatest] = range;
        let axis = DominantAxis::longest(direction);
        let [across, up, along] = axis.last(direction);
        let sound = is_valid_point(&start)
            && direction.iter().all(|part| part.is_finite())
            && along != 0.0
            && least <= greatest;
        if !sound {
            return None;
        }
        // The component of the direction along `axis` has the largest magnitude, so no component of
        // `shear` has a magnitude above 1. The magnitude of `scale`, the inverse of the largest
        // direction component, is below 2^150.
        let inverse = direction.map(|part| 1.0 / part);
        let [_, _, scale] = axis.last(inverse);
        Some(Self { origin, inverse, axis, shear: [across / along, up / along], scale, range })
    }

    /// Returns the magnitude of the largest component of the ray's direction.
    #[inline]
    pub(crate) fn measure(direction: [f64; 3]) -> f64 {
        let [_, _, along] = DominantAxis::longest(direction).last(direction);
        along.abs()
    }

    /// Returns the crossing of the ray with a triangle. The ray may hit either side of the
    /// triangle.
    ///
    /// Returns `None` if the ray misses the triangle, if the ray parameter `t` of the crossing is
    /// outside the ray's range, if the ray is parallel to the triangle's plane, if the triangle has
    /// no area, or if a coordinate of the triangle is not finite or beyond ±2^60.
    ///
    /// A crossing near an end of the ray's range is accepted if its rounded `t` is in the range.
    #[inline]
    #[allow(
        clippy::needless_bitwise_bool,
        reason = "the six comparisons are not predictable, so there is one branch on all"
    )]
    pub(crate) fn crossing(&self, triangle: &TriangleCorners) -> Option<Crossing> {
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = self.sheared(triangle);
        // Seen along the ray, the ray is a point that forms a triangle with each edge. Each of
        // `first`, `second` and `third` is twice the signed area of the triangle of the ray and one
        // edge, and is proportional to the barycentric coordinate of the corner opposite to that
        // edge. Exchanging the two ends of an edge changes only the sign of the signed area. A
        // fused multiply-add would break this symmetry of the signed area, so the products must not
        // be fused.
        let first = cx * by - cy * bx;
        let second = ax * cy - ay * cx;
        let third = bx * ay - by * ax;
        let any_below = (first < 0.0) | (second < 0.0) | (third < 0.0);
        let any_above = (first > 0.0) | (second > 0.0) | (third > 0.0);
        if any_below == any_above {
            // The ray passes outside the triangle, or `first`, `second` and `third` are all 0 or
            // NaN.
            return None;
        }
        let whole = first + second + third;
        // The addition of 0.0 changes a `t` of -0.0 to 0.0, because sorting by `total_cmp` would
        // put -0.0 before 0.0.
        let t = self.within_box(triangle, (first * az + second * bz + third * cz) / whole * self.scale) + 0.0;
        self.accept(triangle, t, whole, [second / whole + 0.0, third / whole + 0.0])
    }

    /// Returns the crossing with a triangle, if the ray accepts it. `whole` is twice the signed
    /// area of the triangle, as seen along the ray.
    #[inline]
    pub(crate) fn accept(
        &self,
        triangle: &TriangleCorners,
        t: f64,
        whole: f64,
        barycentric: [f64; 2],
    ) -> Option<Crossing> {
        let [least, greatest] = self.range;
        let hit = (least..=greatest).contains(&t) && t.is_finite() && triangle.iter().all(is_valid_point);
        hit.then_some(Crossing { t, barycentric, front: (whole > 0.0) == (self.scale > 0.0) })
    }

    /// Clamps the `t` of a crossing to the part of the ray that is within the bounding box of the
    /// triangle.
    ///
    /// If the ray is nearly parallel to the triangle's plane, the computed crossing may be outside
    /// the triangle's bounding box. Without clamping, the bounding boxes of the tree would
    /// determine whether a query finds it.
    #[inline]
    fn within_box(&self, [a, b, c]: &TriangleCorners, t: f64) -> f64 {
        let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
        let corners = a.iter().zip(b).zip(c).map(|((a, b), c)| [*a, *b, *c].map(f64::from));
        for ((corners, origin), inverse) in corners.zip(self.origin).zip(self.inverse) {
            if inverse.is_finite() {
                let [a, b, c] = corners.map(|corner| (corner - origin) * inverse);
                near = greater(near, lesser(lesser(a, b), c));
                far = lesser(far, greater(greater(a, b), c));
            }
        }
        greater(lesser(t, far), near)
    }

    /// Moves and shears the corners of a triangle. In the sheared coordinates, the ray starts at 0
    /// and runs along the last axis.
    #[inline]
    fn sheared(&self, triangle: &TriangleCorners) -> [[f64; 3]; 3] {
        let [ox, oy, oz] = self.axis.last(self.origin);
        let [shear_x, shear_y] = self.shear;
        // The branch that this `match` on the dominant axis takes is the same for all corners and
        // all triangles, because the axis depends only on the ray.
        let turned = match self.axis {
            DominantAxis::X => triangle.map(|corner| DominantAxis::X.last(corner)),
            DominantAxis::Y => triangle.map(|corner| DominantAxis::Y.last(corner)),
            DominantAxis::Z => *triangle,
        };
        turned.map(|[x, y, z]| {
            let [x, y, z] = [f64::from(x) - ox, f64::from(y) - oy, f64::from(z) - oz];
            [x - shear_x * z, y - shear_y * z, z]
        })
    }
}

/// Returns the smaller of two numbers. Compiles to one processor instruction.
#[inline]
const fn lesser(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// Returns the larger of two numbers. Compiles to one processor instruction.
#[inline]
const fn greater(one: f64, other: f64) -> f64 {
    if one > other { one } else { other }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "a target with few bits is hit exactly")]
mod tests {
    use zerocopy::little_endian::{F32, U16, U32};

    use super::*;
    use crate::array::Packed;
    use crate::bvh::kernel::dispatch::{self, KernelJob, Kernels};
    use crate::bvh::lanes::CornerIndices;
    use crate::bvh::triangles::Triangles;
    use crate::decode::{Floats, Index, MinMax16};
    use crate::math::dot;
    use crate::model::{IndexEncoding, Indices, PositionEncoding, Positions};
    use crate::query::Ray;
    use crate::query::random::Random;

    impl WatertightRay {
        fn of(ray: &Ray) -> Option<Self> {
            Self::new(ray.origin, ray.direction.map(f64::from), ray.range.map(f64::from))
        }
    }

    /// Tests a ray against the triangles of a leaf with the kernels, and returns the crossings.
    struct Leaf<'b> {
        triangles: &'b Triangles<'b>,
        count: usize,
        ray: WatertightRay,
    }

    impl KernelJob for Leaf<'_> {
        type Output = Vec<(usize, Crossing, TriangleCorners)>;

        fn run(self, kernels: &impl Kernels) -> Self::Output {
            let mut corners = CornerIndices::default();
            self.triangles.corner_indices_from(0, &mut corners);
            let mut all = Vec::new();
            let _: ControlFlow<()> = kernels.ray_triangles(
                self.triangles,
                &corners,
                0..self.count,
                &self.ray,
                &mut |lane, crossing, corners| {
                    all.push((lane, crossing, *corners));
                    ControlFlow::Continue(())
                },
            );
            all
        }
    }

    /// Casts rays at leaves whose positions are floats or 16-bit codes. Some leaves have a vertex
    /// index that is out of range.
    ///
    /// The crossings of each SIMD level must equal those of single triangles, bit for bit.
    #[test]
    fn kernels_find_the_same_crossings() {
        let mut random = Random::new(4);
        let numbers: [U32; 24] = std::array::from_fn(|at| U32::new(u32::try_from(at).unwrap()));
        let indices = Indices(IndexEncoding::U32(Packed::new(&numbers, Index::new())));
        let mut hits = 0;
        for round in 0..if cfg!(debug_assertions) { 2000 } else { 20_000 } {
            let odd = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::MIN, 1.3e18, 1e-40, 0.5];
            let mut part =
                |size: f32| if random.below(40) == 0 { odd[random.below(8)] } else { random.between(-size, size) };
            let size = [1.0, 1e-3, 1e9][round % 3];
            let mut points: [[f32; 3]; 24] = std::array::from_fn(|_| [part(size), part(size), part(size)]);
            if round % 5 == 0 {
                points.iter_mut().flatten().for_each(|part| *part = part.round());
            }
            let code = |at: usize| {
                [0, 1, 2].map(|axis| U16::new(u16::try_from((at * 7 + axis * 13 + round) * 7919 % 65_536).unwrap()))
            };
            let codes: [[U16; 3]; 24] = std::array::from_fn(code);
            let floats = points.map(|point| point.map(F32::new));
            let arrays = [
                PositionEncoding::F32(Packed::new(&floats, Floats)),
                PositionEncoding::MinMax16(Packed::new(&codes, MinMax16::new([-1.0; 3], [1.0, 2.0, 0.5]))),
                PositionEncoding::F32(Packed::new(&floats[..23], Floats)),
            ];
            let triangles = Triangles::from_arrays(Positions(arrays[round % 7 % 3]), indices);
            let all: Vec<TriangleCorners> = (0..8)
                .map(|at| [0, 1, 2].map(|corner| triangles.point(3 * at + corner).unwrap_or([f32::NAN; 3])))
                .collect();
            let [a, b, c] = all[random.below(8)];
            let target = [a, crate::math::mix(a, b, 0.5), crate::math::mix(crate::math::mix(a, b, 0.3), c, 0.3)];
            let mut ray = Ray::toward(random.vector(3.0 * size), target[random.below(3)]);
            if random.below(3) == 0 {
                ray.direction[random.below(3)] = [0.0, -0.0][random.below(2)];
            }
            if random.below(2) == 0 {
                ray = ray.within([[f32::NEG_INFINITY, f32::INFINITY], [0.0, 1.0], [-1.0, 0.5]][random.below(3)]);
            }
            let Some(ray) = WatertightRay::of(&ray) else { continue };
            let count = 1 + random.below(8);
            let bits = |list: &[(usize, Crossing, TriangleCorners)]| -> Vec<_> {
                let all = |(lane, crossing, corners): &(usize, Crossing, TriangleCorners)| {
                    let numbers = [crossing.t, crossing.barycentric[0], crossing.barycentric[1]].map(f64::to_bits);
                    (*lane, numbers, crossing.front, corners.map(|corner| corner.map(f32::to_bits)))
                };
                list.iter().map(all).collect()
            };
            let one_by_one: Vec<_> = all.iter().take(count).enumerate().collect();
            let expected: Vec<_> =
                one_by_one.into_iter().filter_map(|(lane, one)| Some((lane, ray.crossing(one)?, *one))).collect();
            hits += expected.len();
            crate::simd::at_each_level(|level| {
                let found = dispatch::run(Leaf { triangles: &triangles, count, ray });
                assert_eq!(bits(&found), bits(&expected), "{level:?}, round {round}");
            });
        }
        assert!(hits > 500, "{hits}");
    }

    const FLAT: TriangleCorners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn crossing(ray: &Ray, triangle: &TriangleCorners) -> Option<Crossing> {
        WatertightRay::of(ray).and_then(|aim| aim.crossing(triangle))
    }

    /// Makes a closed mesh from an octahedron: divides each triangle into four triangles in each of
    /// `times` steps, and then moves each vertex to a random distance from `center`.
    fn rock(random: &mut Random, times: usize, center: [f32; 3]) -> Vec<TriangleCorners> {
        let signs = [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [1.0, -1.0, 1.0]];
        let mut sides: Vec<TriangleCorners> = signs
            .into_iter()
            .flat_map(|[x, y, _]| [1.0, -1.0].map(|z| [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]))
            .collect();
        for _ in 0..times {
            let middle = |one: [f32; 3], other: [f32; 3]| crate::math::mix(one, other, 0.5);
            sides = sides
                .into_iter()
                .flat_map(|[a, b, c]| {
                    let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
                })
                .collect();
        }
        let mut moved: Vec<([f32; 3], [f32; 3])> = Vec::new();
        let mut place = |corner: [f32; 3]| {
            if let Some((_, place)) = moved.iter().find(|(from, _)| *from == corner) {
                return *place;
            }
            let far = random.between(0.5, 2.0);
            let place = crate::math::add(center, corner.map(|part| part * far));
            moved.push((corner, place));
            place
        };
        sides.iter().map(|side| side.map(&mut place)).collect()
    }

    #[test]
    fn crosses_from_either_side() {
        let down = crossing(&Ray::new([0.25, 0.5, 3.0], [0.0, 0.0, -2.0]), &FLAT).unwrap();
        assert_eq!(down, Crossing { t: 1.5, barycentric: [0.25, 0.5], front: true });
        let up = crossing(&Ray::new([0.25, 0.5, -3.0], [0.0, 0.0, 2.0]), &FLAT).unwrap();
        assert_eq!(up, Crossing { front: false, ..down });
        assert_eq!(crossing(&Ray::new([0.75, 0.5, 3.0], [0.0, 0.0, -2.0]), &FLAT), None, "it misses");
        assert_eq!(crossing(&Ray::new([0.25, 0.5, 3.0], [0.0, 0.0, 2.0]), &FLAT), None, "it points away");
        assert_eq!(crossing(&Ray::new([0.25, 0.5, 0.0], [1.0, 0.0, 0.0]), &FLAT), None, "edge-on");
        // Tests rays along each coordinate axis in both directions, against triangles with
        // clockwise and with counter-clockwise corners.
        for turn in 0..3 {
            for sign in [1.0, -1.0] {
                let turned = |mut vector: [f32; 3]| {
                    vector.rotate_right(turn);
                    vector
                };
                let ray = Ray::new(turned([0.25, 0.25, sign]), turned([0.0, 0.0, -sign]));
                let [a, b, c] = FLAT.map(turned);
                assert_eq!(crossing(&ray, &[a, b, c]).unwrap().front, sign > 0.0, "{turn}");
                assert_eq!(crossing(&ray, &[a, c, b]).unwrap().front, sign < 0.0, "{turn}");
            }
        }
    }

    #[test]
    fn both_ends_of_the_range_count() {
        let ray = Ray::toward([0.25, 0.25, 4.0], [0.25, 0.25, 0.0]);
        for (range, hit) in [
            ([0.0, 1.0], true),
            ([1.0, 2.0], true),
            ([1.0, 1.0], true),
            ([0.0, 0.999], false),
            ([1.001, f32::INFINITY], false),
            ([f32::NEG_INFINITY, f32::INFINITY], true),
            ([2.0, 1.0], false),
            ([f32::NAN, 2.0], false),
            ([0.0, f32::NAN], false),
        ] {
            assert_eq!(crossing(&ray.within(range), &FLAT).is_some(), hit, "{range:?}");
        }
        let behind = Ray::new([0.25, 0.25, 4.0], [0.0, 0.0, 2.0]).within([-2.0, 0.0]);
        assert_eq!(crossing(&behind, &FLAT).unwrap().t, -2.0);
    }

    #[test]
    fn refuses_what_can_hit_nothing() {
        let sound = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
        assert!(WatertightRay::of(&sound).is_some());
        let far = 1.3e18;
        for origin in [[f32::NAN, 0.0, 0.0], [0.0, f32::INFINITY, 0.0], [0.0, 0.0, far], [-far, 0.0, 0.0]] {
            assert!(WatertightRay::of(&Ray { origin, ..sound }).is_none(), "{origin:?}");
        }
        for direction in [[0.0; 3], [-0.0; 3], [f32::NAN, 1.0, 1.0], [1.0, f32::INFINITY, 0.0], [1.0, 0.0, f32::NAN]] {
            assert!(WatertightRay::of(&Ray { direction, ..sound }).is_none(), "{direction:?}");
        }
    }

    #[test]
    fn what_is_no_coordinate_is_no_hit() {
        let ray = Ray::new([0.25, 0.25, 4.0], [0.0, 0.0, -1.0]);
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1.3e18];
        for value in bad {
            for place in 0..9 {
                for direction in [[0.0, 0.0, -1.0], [0.1, -0.2, -1.0], [-1.0, 0.3, 0.0], [0.0, 1.0, 0.0]] {
                    let mut triangle = FLAT;
                    triangle.as_flattened_mut()[place] = value;
                    let every = [f32::NEG_INFINITY, f32::INFINITY];
                    assert_eq!(crossing(&Ray { direction, ..ray }.within(every), &triangle), None, "{value} {place}");
                }
            }
        }
        assert_eq!(crossing(&ray, &[[f32::MAX, 0.0, 0.0], [f32::MIN, f32::MAX, 0.0], [f32::MIN, f32::MIN, 0.0]]), None);
    }

    #[test]
    fn what_has_no_area_is_no_hit() {
        let ray = Ray::new([0.5, 0.0, 1.0], [0.0, 0.0, -1.0]);
        for flat in [
            [[0.5, 0.0, 0.0]; 3],
            [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
            [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]],
            [[0.5, 0.0, 0.0], [0.5, 0.0, 1.0], [0.5, 1.0, 0.0]],
        ] {
            assert_eq!(crossing(&ray, &flat), None, "{flat:?}");
        }
    }

    #[test]
    fn any_length_of_direction_will_do() {
        let ray = Ray::new([0.25, 0.5, 3.0], [0.0625, -0.125, -2.0]);
        let expected = crossing(&ray, &FLAT).unwrap();
        for power in [-143, -130, -60, 0, 60, 126] {
            // With the smallest scale factor, 2^-143, only the last bits of each direction
            // component remain. Each direction component is still a whole multiple of the smallest
            // positive `f32`.
            let factor = 2.0_f64.powi(power);
            let direction = ray.direction.map(|part| crate::math::narrow(f64::from(part) * factor));
            let found = crossing(&Ray { direction, ..ray }, &FLAT).unwrap();
            assert_eq!(found.barycentric, expected.barycentric, "{power}");
            assert!((found.t * factor / expected.t - 1.0).abs() < 1e-15, "{power}");
        }
        let steep = crossing(&Ray::new([0.25, 0.5, 3.0], [f32::from_bits(1), 0.0, f32::MIN]), &FLAT).unwrap();
        assert_eq!(steep.barycentric, [0.25, 0.5]);
        let grown = FLAT.map(|corner| corner.map(|part| part * 1e18));
        let far = Ray::toward([1e17, 1e17, 1e18], [2e17, 2e17, 0.0]);
        assert!((crossing(&far, &grown).unwrap().t - 1.0).abs() < 1e-6);
        let shrunk = FLAT.map(|corner| corner.map(|part| part * 1e-40));
        let near = Ray::toward([1e-41, 1e-41, 1e-40], [2e-41, 2e-41, 0.0]);
        assert!((crossing(&near, &shrunk).unwrap().t - 1.0).abs() < 1e-3);
    }

    #[test]
    fn finds_the_point_that_was_aimed_at() {
        let mut random = Random::new(1);
        let mut hits = 0;
        for _ in 0..20_000 {
            let triangle: TriangleCorners = std::array::from_fn(|_| random.vector(10.0));
            let (second, third) = (random.between(0.0, 0.5), random.between(0.0, 0.5));
            let aim = crate::math::mix(crate::math::mix(triangle[0], triangle[1], second), triangle[2], third);
            let ray = Ray::toward(random.vector(20.0), aim);
            let facet = crate::math::facet(triangle).map(f64::from);
            let direction = ray.direction.map(f64::from);
            let slope = dot(facet, direction);
            if slope * slope < 1e-4 * dot(facet, facet) * dot(direction, direction) {
                continue;
            }
            let Some(crossing) = crossing(&ray, &triangle) else { continue };
            hits += 1;
            assert!((crossing.t - 1.0).abs() < 1e-4, "{crossing:?}");
            assert_eq!(crossing.front, slope < 0.0);
            let [second, third] = crossing.barycentric;
            let at = ray.at(crossing.t);
            for (axis, at) in at.into_iter().enumerate() {
                let [a, b, c] = triangle.map(|corner| f64::from(corner[axis]));
                assert!((a * (1.0 - second - third) + b * second + c * third - at).abs() < 1e-11, "{crossing:?}");
            }
        }
        assert!(hits > 15_000, "{hits}");
    }

    /// Casts rays from inside a closed mesh at its vertices, at points of its edges, and in other
    /// directions.
    ///
    /// No ray may leave the mesh without a hit.
    #[test]
    fn no_ray_gets_out_of_a_closed_mesh() {
        let mut random = Random::new(2);
        for round in 0..50_u16 {
            let far = 10.0_f32.powi(i32::from(round % 5));
            let center = if round % 2 == 0 { [0.0; 3] } else { random.vector(far) };
            let rock = rock(&mut random, 2, center);
            for number in 0..if cfg!(debug_assertions) { 250 } else { 2000 } {
                let [a, b, _] = rock[random.below(rock.len())];
                let target = match number % 4 {
                    0 => a,
                    1 => crate::math::mix(a, b, 0.5),
                    2 => crate::math::mix(a, b, random.between(0.0, 1.0)),
                    _ => crate::math::add(center, random.vector(1.0)),
                };
                let Some(aim) = WatertightRay::of(&Ray::toward(center, target)) else { continue };
                let hits: Vec<Crossing> = rock.iter().filter_map(|side| aim.crossing(side)).collect();
                assert!(!hits.is_empty(), "{center:?} to {target:?}");
                let within = |hit: &&Crossing| {
                    hit.barycentric.iter().all(|part| *part > 1e-9) && hit.barycentric.iter().sum::<f64>() < 1.0 - 1e-9
                };
                assert!(hits.iter().filter(within).count() <= 1, "all of a rock is visible from its centre");
            }
        }
    }

    /// Casts rays at the vertices and edges of a grid of whole numbers, parallel and not parallel
    /// to the axes.
    ///
    /// Because the coordinates of the grid are whole numbers, the products in the ray-triangle test
    /// are exact, and their difference can be exactly 0.
    #[test]
    fn no_ray_slips_through_a_grid() {
        let mut random = Random::new(3);
        let sides: Vec<TriangleCorners> = (0..8_u8)
            .flat_map(|x| (0..8_u8).map(move |y| [x, y].map(f32::from)))
            .flat_map(|[x, y]| {
                let corner = |dx, dy| [x + dx, y + dy, 0.0];
                let [a, b, c, d] = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        for _ in 0..3000 {
            let mut halves = || f32::from(u8::try_from(random.below(13)).unwrap()) / 2.0 + 1.0;
            let target = [halves(), halves(), 0.0];
            let from = match random.below(3) {
                0 => [target[0], target[1], 5.0],
                1 => [target[0] + 3.0, target[1], -1.0],
                _ => crate::math::add(target, [random.between(-9.0, 9.0), random.between(-9.0, 9.0), 0.125]),
            };
            for turn in 0..3 {
                let turned = |mut vector: [f32; 3]| {
                    vector.rotate_right(turn);
                    vector
                };
                let aim = WatertightRay::of(&Ray::toward(turned(from), turned(target))).unwrap();
                assert!(sides.iter().any(|side| aim.crossing(&side.map(turned)).is_some()), "{from:?} to {target:?}");
            }
        }
    }
}
