//! A query that casts a ray through a tree.
//!
//! A ray is tested against bounding boxes in `f32`, with a margin for rounding errors, and against
//! the triangles of leaves exactly, in `f64`. A collector
//! receives the hits: it keeps the nearest hit, whether there is one, or all.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::coordinates::{MAX_COORDINATE, TriangleCorners};
use crate::bvh::kernel::conservative_ray::ConservativeRay;
use crate::bvh::kernel::dispatch::Kernels;
use crate::bvh::kernel::watertight_ray::{Crossing, WatertightRay};
use crate::bvh::lanes::CornerIndices;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::TreeQuery;
use crate::bvh::tree_view::LeafTriangles;
use crate::bvh::triangles::Triangles;
use crate::math::{fast_max, fast_min, narrow};
use crate::query::box_tree::{WideBox, wide_box};
use crate::query::ray::{Faces, Hit, Ray};

/// The maximum error of the exact test of a ray against a triangle, relative to the largest
/// coordinate of the ray's origin and of the bounding box that contains the triangle.
///
/// The error of the exact test is a few units of the precision of `f64`, which is 2^-52.
const EXACT_TEST_MARGIN: f32 = 1.0 / 17_592_186_044_416.0;
/// The maximum magnitude of the inverse of a component of the ray's scaled direction in the tests
/// of bounding boxes. If a component is zero or nearly zero, `MAX_INVERSE` with its sign is used.
const MAX_INVERSE: f32 = MAX_COORDINATE;
/// The maximum ratio of the largest coordinate of the ray's origin to the largest coordinate of the
/// bounding box of a tree. The start of a ray that is farther away is moved to the bounding box for
/// the tests in `f32`, which are then as accurate as for a ray that starts there.
const MAX_DISTANCE: f32 = 8.0;
/// The margin for distances that are computed in `f64`, relative to the distance.
const DISTANCE_MARGIN: f64 = 1.0 / 1_099_511_627_776.0;

/// The line of a ray, with a direction and a range of the ray parameter `t` that need not fit in
/// `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayParts {
    pub(crate) origin: [f32; 3],
    pub(crate) direction: [f64; 3],
    pub(crate) range: [f64; 2],
}

/// A ray that is prepared for casting through trees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayQuery {
    exact: WatertightRay,
    /// The magnitude of the largest component of the ray's direction. The scaled direction is the
    /// ray's direction divided by `measure`.
    measure: f64,
    /// The greatest `t` of an accepted hit.
    greatest: f64,
    /// The mask that a surface must have a bit in common with to be tested.
    pub(crate) mask: u32,
    faces: Faces,
}

/// The ray in the form for the bounding boxes of one tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    ray: ConservativeRay,
    /// The distance from the ray's origin to the start of `ray`, divided by the length of the
    /// scaled direction, like all distances of the tests in `f32`.
    start: f64,
    /// The greatest distance of an accepted hit from the start of `ray`.
    limit: f32,
}

impl Aim {
    /// The form of a ray that is not prepared for a tree yet.
    pub(crate) const NOWHERE: Self = Self { ray: ConservativeRay::NOWHERE, start: 0.0, limit: 0.0 };

    /// Limits the tests to hits at a distance of at most `distance` from the ray's origin.
    #[inline]
    fn shorten(&mut self, distance: f64) {
        self.limit = fast_max(above(distance - self.start), 0.0);
    }
}

impl RayQuery {
    /// Prepares a ray for queries. Returns `None` if the ray cannot hit any triangle, for example
    /// because its direction is zero or not finite.
    #[inline]
    pub(crate) fn new(ray: &Ray) -> Option<Self> {
        let parts =
            RayParts { origin: ray.origin, direction: ray.direction.map(f64::from), range: ray.range.map(f64::from) };
        Self::from_parts(&parts, ray)
    }

    /// Prepares a ray whose direction and range are in `f64`. The mask and the faces are those of
    /// `ray`.
    #[inline]
    pub(crate) fn from_parts(parts: &RayParts, ray: &Ray) -> Option<Self> {
        let RayParts { origin, direction, range } = *parts;
        let exact = WatertightRay::new(origin, direction, range)?;
        let measure = WatertightRay::measure(direction);
        let [_, greatest] = range;
        let (mask, faces) = (ray.mask, ray.faces);
        Some(Self { exact, measure, greatest, mask, faces })
    }

    /// Prepares the ray for the tree of a surface with the given bounding box.
    #[inline(always)]
    pub(crate) fn aim_at(&self, bounds: &Bounds) -> Aim {
        let [least, _] = self.exact.range;
        let origin = self.exact.origin.map(narrow);
        let [far, reach] = [largest(&origin), reach_of(bounds)];
        let (start, origin) =
            if far > reach * MAX_DISTANCE || least < 0.0 { self.start_at(bounds) } else { (0.0, origin) };
        let from = fast_max(-above(start - least * self.measure), 0.0);
        let [reach, slack] = [fast_max(reach, largest(&origin)), fast_max(reach, far) * EXACT_TEST_MARGIN];
        let mut aim = Aim { ray: ConservativeRay::new(origin, self.inverse(), from, reach, slack), start, limit: 0.0 };
        aim.shorten(self.greatest * self.measure);
        aim
    }

    /// Returns the inverse of each component of the scaled direction.
    #[inline(always)]
    fn inverse(&self) -> [f32; 3] {
        let inverse = self.exact.inverse.map(|inverse| narrow(inverse * self.measure));
        inverse.map(|inverse| fast_max(fast_min(inverse, MAX_INVERSE), -MAX_INVERSE))
    }

    /// Returns the distance at which the ray enters a bounding box or at which its range starts,
    /// rounded down, and the point of the ray there.
    #[cold]
    fn start_at(&self, bounds: &Bounds) -> (f64, [f32; 3]) {
        let [entry, _] = self.along(&wide_box(bounds));
        let most = 4.0 * f64::from(MAX_COORDINATE);
        let start = entry.clamp(-most, most);
        let mut point = self.exact.origin;
        for (part, inverse) in point.iter_mut().zip(self.exact.inverse) {
            *part += start / (self.measure * inverse);
        }
        (start, point.map(narrow))
    }

    /// Returns the distance from the ray's origin at which the ray enters a bounding box, divided
    /// by the length of the scaled direction.
    ///
    /// Returns `None` if the ray does not meet the bounding box within the range of the ray.
    pub(crate) fn meets(&self, bounds: &WideBox) -> Option<f64> {
        let [min, max] = bounds;
        let [near, far] = self.along(bounds);
        (min.iter().zip(max).all(|(min, max)| min <= max) && near <= far).then_some(near)
    }

    /// Returns the distance beyond which no hit is needed, like that of [`meets`](Self::meets).
    pub(crate) fn limit(&self) -> f64 {
        let far = self.greatest * self.measure;
        far + far.abs() * DISTANCE_MARGIN
    }

    /// Returns the distances between which the ray is in a bounding box and in its range, the first
    /// rounded down and the second rounded up. The first is the greater one if there are none.
    fn along(&self, [min, max]: &WideBox) -> [f64; 2] {
        let reach = min.iter().chain(max).fold(0.0, |most: f64, part| most.max(part.abs()));
        let reach = self.exact.origin.iter().fold(reach.min(MAX_COORDINATE.into()), |most, part| most.max(part.abs()));
        let margin = reach * f64::from(EXACT_TEST_MARGIN);
        let [least, _] = self.exact.range;
        let near = least * self.measure;
        let (mut near, mut far) = (near - near.abs() * DISTANCE_MARGIN, self.limit());
        let axes = min.iter().zip(max).zip(self.exact.origin.iter().zip(self.exact.inverse));
        for ((min, max), (origin, inverse)) in axes {
            let most = f64::from(MAX_INVERSE);
            let inverse = (inverse * self.measure).clamp(-most, most);
            let [one, other] = [min, max].map(|plane| (plane - origin) * inverse);
            let slack = (one.abs() + other.abs()) * DISTANCE_MARGIN + margin * inverse.abs();
            near = near.max(one.min(other) - slack);
            far = far.min(one.max(other) + slack);
        }
        [near, far]
    }
}

/// Returns the magnitude of the largest component of a vector.
#[inline]
fn largest(vector: &[f32; 3]) -> f32 {
    vector.iter().fold(0.0, |most, part| fast_max(part.abs(), most))
}

/// Returns the magnitude of the largest coordinate in a bounding box. The sides of an empty box are
/// infinite, but no coordinate of a triangle exceeds [`MAX_COORDINATE`].
#[inline]
fn reach_of(bounds: &Bounds) -> f32 {
    fast_min(fast_max(largest(&bounds.min), largest(&bounds.max)), MAX_COORDINATE)
}

/// Rounds a distance along the ray up to an `f32`, with a margin for rounding errors.
///
/// The margin is a millionth of the distance. Distances that are computed in `f32`, with rounding
/// errors smaller than this margin, are compared with the returned value.
#[inline]
fn above(number: f64) -> f32 {
    narrow(number + number.abs() * 1.0e-6)
}

/// The query of one ray in one tree, with a collector for the hits of the ray.
pub(crate) struct SingleRay<'b, H> {
    ray: &'b mut RayQuery,
    aim: &'b mut Aim,
    hits: &'b mut H,
    /// The greatest `t` of an accepted hit before the search of the tree, which is restored if the
    /// tree is damaged and the search is restarted.
    start: f64,
}

impl<'b, H: HitCollector> SingleRay<'b, H> {
    #[inline]
    pub(crate) const fn new(ray: &'b mut RayQuery, aim: &'b mut Aim, hits: &'b mut H) -> Self {
        let start = ray.greatest;
        Self { ray, aim, hits, start }
    }

    #[inline]
    fn shorten(&mut self, t: f64) {
        self.ray.greatest = t;
        self.aim.shorten(t * self.ray.measure);
    }
}

impl<H: HitCollector> TreeQuery for SingleRay<'_, H> {
    fn restart(&mut self) {
        self.shorten(self.start);
        self.hits.clear();
    }

    #[inline(always)]
    fn prepare(&mut self, bounds: &Bounds) {
        *self.aim = self.ray.aim_at(bounds);
    }

    #[inline]
    fn limit(&self) -> f32 {
        self.aim.limit
    }

    #[inline(always)]
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]) {
        kernels.ray_boxes(node, &self.aim.ray, self.aim.limit)
    }

    #[inline(always)]
    fn visit_leaf(
        &mut self,
        kernels: &impl Kernels,
        triangles: &Triangles<'_>,
        leaf: &LeafTriangles<'_>,
        corners: &CornerIndices,
    ) -> ControlFlow<()> {
        let RayQuery { exact, measure, greatest, faces, .. } = &mut *self.ray;
        kernels.ray_triangles(triangles, corners, 0..leaf.len(), exact, &mut |lane, crossing, corners| {
            let Some(triangle) = leaf.triangle(lane) else { return ControlFlow::Continue(()) };
            if faces.accepts(crossing.front)
                && crossing.t <= *greatest
                && let Some(t) = self.hits.take(TriangleHit { triangle, crossing, corners: *corners })?
            {
                *greatest = t;
                self.aim.shorten(t * *measure);
            }
            ControlFlow::Continue(())
        })
    }

    #[inline(always)]
    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()> {
        if let Some(crossing) = self.ray.exact.crossing(corners)
            && self.ray.faces.accepts(crossing.front)
            && crossing.t <= self.ray.greatest
            && let Some(t) = self.hits.take(TriangleHit { triangle, crossing, corners: *corners })?
        {
            self.shorten(t);
        }
        ControlFlow::Continue(())
    }
}

/// A hit of a ray on a triangle of one surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TriangleHit {
    pub(crate) triangle: u32,
    pub(crate) crossing: Crossing,
    pub(crate) corners: TriangleCorners,
}

impl TriangleHit {
    /// Returns whether this hit takes precedence over another hit.
    ///
    /// A hit takes precedence over another hit if it has a smaller ray parameter `t`. If two hits
    /// have the same `t`, the hit on the triangle that is earlier in the file takes precedence.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        let (near, far) = (self.crossing.t, other.crossing.t);
        near < far || near <= far && self.triangle < other.triangle
    }
}

/// A receiver for the hits of a ray on one surface.
pub(crate) trait HitCollector {
    /// Receives one hit of the ray. Returns the greatest ray parameter `t` up to which the
    /// collector still needs hits, or `None` if this limit has not changed. Returns `Break` to stop
    /// the query.
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>>;
    /// Discards all hits that were collected so far.
    fn clear(&mut self);
}

/// Collects only the nearest hit of the ray. The nearest hit is `None` if the ray has no hit so
/// far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearestHit(pub(crate) Option<TriangleHit>);

impl HitCollector for NearestHit {
    #[inline]
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>> {
        if self.0.as_ref().is_some_and(|best| !hit.is_before(best)) {
            return ControlFlow::Continue(None);
        }
        self.0 = Some(hit);
        ControlFlow::Continue(Some(hit.crossing.t))
    }

    fn clear(&mut self) {
        self.0 = None;
    }
}

/// Collects only whether the ray has any hit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyHit(pub(crate) bool);

impl HitCollector for AnyHit {
    #[inline]
    fn take(&mut self, _: TriangleHit) -> ControlFlow<(), Option<f64>> {
        self.0 = true;
        ControlFlow::Break(())
    }

    fn clear(&mut self) {
        self.0 = false;
    }
}

/// Appends all hits of the ray on one surface to a list, in no particular order.
pub(crate) struct AllHits<'b, F> {
    list: &'b mut Vec<Hit>,
    /// The length of the list before the first hit on the surface.
    start: usize,
    make: F,
}

impl<'b, F: Fn(&TriangleHit) -> Hit> AllHits<'b, F> {
    /// Makes a collector. The closure `make` makes an item of the list.
    pub(crate) const fn new(list: &'b mut Vec<Hit>, make: F) -> Self {
        let start = list.len();
        Self { list, start, make }
    }
}

impl<F: Fn(&TriangleHit) -> Hit> HitCollector for AllHits<'_, F> {
    fn take(&mut self, hit: TriangleHit) -> ControlFlow<(), Option<f64>> {
        self.list.push((self.make)(&hit));
        ControlFlow::Continue(None)
    }

    fn clear(&mut self) {
        self.list.truncate(self.start);
    }
}
