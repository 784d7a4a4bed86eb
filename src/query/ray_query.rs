//! A query that casts a ray through a tree.
//!
//! A ray is first tested against bounding boxes and triangles in `f32`, with a margin for rounding
//! errors. The triangles that the ray may hit are then tested exactly in `f64`. A collector
//! receives the hits: it keeps the nearest hit, whether there is one, or all.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::coordinates::{MAX_COORDINATE, TriangleCorners};
use crate::bvh::kernel::conservative_ray::{ConservativeRay, PLANE_MARGIN};
use crate::bvh::kernel::dispatch::Kernels;
use crate::bvh::lanes::CornerIndices;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::TreeQuery;
use crate::bvh::triangles::Triangles;
use crate::math::{fast_max, fast_min};
use crate::query::ray::{Faces, Hit, Ray};
use crate::query::watertight_ray::{Crossing, WatertightRay};

/// The maximum error of the exact test of a ray against a triangle, relative to the largest
/// coordinate of the ray's origin and of the bounding box that contains the triangle.
///
/// The relative error of the exact test is assumed to be at most 2^-30, far above the precision of
/// `f64`, which is 2^-52.
const EXACT_TEST_MARGIN: f32 = 1.0 / 1_073_741_824.0;

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
    conservative: ConservativeRay,
    /// The magnitude of the largest component of the ray's direction. The scaled direction is the
    /// ray's direction divided by `measure`.
    measure: f64,
    /// The greatest distance of an accepted hit from the ray's origin, divided by the length of the
    /// scaled direction.
    limit: f32,
    /// The maximum error of the exact test of the ray against a triangle, as a length in scene
    /// units.
    margin: f32,
    /// The mask that a surface must have a bit in common with to be tested.
    pub(crate) mask: u32,
    faces: Faces,
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
        let [x, y, z] = direction.map(f64::abs);
        let measure = if x >= y && x >= z { x } else { y.max(z) };
        let scaled = direction.map(|part| crate::math::narrow(part / measure));
        let [from, to] = range;
        let from = -above(-from * measure);
        let conservative = ConservativeRay::new(origin, scaled, from);
        let (mask, faces) = (ray.mask, ray.faces);
        Some(Self { exact, conservative, measure, limit: above(to * measure), margin: 0.0, mask, faces })
    }

    /// Increases the rounding margins of the query to suit the triangles within a bounding box,
    /// because the maximum error of the exact test is proportional to the largest coordinate of the
    /// ray's origin and of the bounding box.
    pub(crate) fn widen(&mut self, bounds: &Bounds) {
        self.margin = self.margin_within(bounds);
        self.conservative.widen(self.margin);
        self.conservative.from -= self.margin;
        self.limit += self.margin;
    }

    fn margin_within(&self, bounds: &Bounds) -> f32 {
        let numbers = self.conservative.origin.iter().chain(&bounds.min).chain(&bounds.max);
        // The sides of an empty box are infinite. No coordinate of a triangle exceeds the maximum.
        let most = numbers.fold(0.0, |most: f32, part| fast_max(fast_min(part.abs(), MAX_COORDINATE), most));
        most * EXACT_TEST_MARGIN
    }

    /// Returns the distance from the ray's origin at which the ray enters a bounding box, divided
    /// by the length of the scaled direction.
    ///
    /// Returns `None` if the ray does not meet the bounding box within the range of the ray.
    pub(crate) fn meets(&self, bounds: &Bounds) -> Option<f64> {
        if bounds.is_empty() {
            return None;
        }
        let margin = f64::from(self.margin_within(bounds));
        let (mut near, mut far) = (f64::from(self.conservative.from) - margin, f64::from(self.limit) + margin);
        let ray = self.conservative.origin.iter().zip(self.conservative.inverse);
        let axes = bounds.min.iter().zip(bounds.max).zip(ray);
        for ((min, max), (origin, inverse)) in axes {
            let plane = |at: f32| (f64::from(at) - f64::from(*origin)) * f64::from(inverse);
            let (one, other) = (plane(*min), plane(max));
            let slack = (one.abs() + other.abs()) * f64::from(PLANE_MARGIN) + margin * f64::from(inverse).abs();
            near = near.max(one.min(other) - slack);
            far = far.min(one.max(other) + slack);
        }
        (near <= far).then_some(near)
    }

    /// Limits the query to hits whose ray parameter is at most `t`.
    #[inline]
    fn shorten(&mut self, t: f64) {
        self.limit = above(t * self.measure) + self.margin;
    }
}

/// Rounds a distance along the ray up to an `f32`, with a margin for rounding errors.
///
/// The margin is a millionth of the distance. Distances that are computed in `f32`, with rounding
/// errors smaller than this margin, are compared with the returned value.
#[inline]
fn above(number: f64) -> f32 {
    crate::math::narrow(number + number.abs() * 1.0e-6)
}

/// The query of one ray in one tree, with a collector for the hits of the ray.
pub(crate) struct SingleRay<'b, H> {
    ray: &'b mut RayQuery,
    hits: &'b mut H,
    /// The `limit` of the ray before the search of the tree, which is restored if the tree is
    /// damaged and the search is restarted.
    start: f32,
}

impl<'b, H: HitCollector> SingleRay<'b, H> {
    #[inline]
    pub(crate) const fn new(ray: &'b mut RayQuery, hits: &'b mut H) -> Self {
        let start = ray.limit;
        Self { ray, hits, start }
    }
}

impl<H: HitCollector> TreeQuery for SingleRay<'_, H> {
    fn restart(&mut self) {
        self.ray.limit = self.start;
        self.hits.clear();
    }

    #[inline]
    fn limit(&self) -> f32 {
        self.ray.limit
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]) {
        kernels.ray_boxes(node, &self.ray.conservative, self.ray.limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn test_leaf(&self, kernels: &impl Kernels, triangles: &Triangles<'_>, corners: &CornerIndices) -> u32 {
        kernels.ray_triangles(&kernels.block(triangles, corners), &self.ray.conservative, self.ray.limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()> {
        if let Some(crossing) = self.ray.exact.crossing(corners)
            && self.ray.faces.accepts(crossing.front)
            && let Some(t) = self.hits.take(TriangleHit { triangle, crossing, corners: *corners })?
        {
            self.ray.shorten(t);
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
        if self.0.is_some_and(|best| !hit.is_before(&best)) {
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
