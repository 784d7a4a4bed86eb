//! The query for the point on the triangles of a tree that is nearest to a query point.

use std::ops::ControlFlow;

use crate::bvh::coordinates::{TriangleCorners, is_valid_point};
use crate::bvh::kernel::dispatch::Kernels;
use crate::bvh::lanes::CornerIndices;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::TreeQuery;
use crate::bvh::triangles::Triangles;
use crate::query::box_tree::{WideBox, squared_distance};
use crate::query::closest_on_triangle::{ClosestPoint, closest};

/// The margin for the rounding errors of the squared distance to a bounding box, relative to it.
const DISTANCE_MARGIN: f64 = 1.0e-12;

/// A search for the point of a surface that is nearest to a query point, up to a maximum distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointQuery {
    pub(crate) point: [f32; 3],
    /// The greatest squared distance of an accepted triangle from the query point, rounded up to
    /// `f32`.
    pub(crate) limit: f32,
    /// The greatest squared distance of an accepted triangle from the query point, without
    /// rounding.
    exact_limit: f64,
}

/// The point of one surface that is nearest to the query point, among the triangles tested so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) triangle: u32,
    pub(crate) closest: ClosestPoint,
}

impl PointQuery {
    /// Prepares a search for the triangle that is nearest to `point`, within the distance `limit`.
    ///
    /// Returns `None` if `point` is not finite or beyond ±2^60, or if `limit` is negative or NaN.
    pub(crate) fn new(point: [f32; 3], limit: f32) -> Option<Self> {
        let is_sound = is_valid_point(&point) && limit >= 0.0;
        let exact_limit = f64::from(limit) * f64::from(limit);
        is_sound.then_some(Self { point, limit: above(exact_limit), exact_limit })
    }

    /// Limits the search to points whose squared distance from the query point is at most
    /// `squared`.
    pub(crate) fn shorten(&mut self, squared: f64) {
        self.exact_limit = squared;
        self.limit = above(squared);
    }

    /// Returns the squared distance from the query point to the nearest point of a bounding box,
    /// rounded down.
    pub(crate) fn distance_to(&self, bounds: &WideBox) -> f64 {
        squared_distance(&self.point.map(f64::from), bounds, DISTANCE_MARGIN)
    }

    /// Returns the greatest squared distance of an accepted triangle from the query point.
    pub(crate) const fn exact_limit(&self) -> f64 {
        self.exact_limit
    }
}

/// Rounds a squared distance up to an `f32`, with a margin for rounding errors.
///
/// The margin is a millionth of the squared distance. Squared distances that are computed in `f32`,
/// with rounding errors smaller than this margin, are compared with the returned value.
fn above(squared: f64) -> f32 {
    crate::math::narrow(squared * (1.0 + 1.0e-6) + f64::from(f32::MIN_POSITIVE))
}

/// The search for the point that is nearest to a query point, on the triangles of one tree.
pub(crate) struct NearestSearch<'b> {
    query: &'b mut PointQuery,
    /// A copy of the query from before the search, used to restart the search if the tree is
    /// damaged.
    start: PointQuery,
    pub(crate) best: Option<Candidate>,
}

impl<'b> NearestSearch<'b> {
    pub(crate) const fn new(query: &'b mut PointQuery) -> Self {
        let start = *query;
        Self { query, start, best: None }
    }
}

impl TreeQuery for NearestSearch<'_> {
    fn restart(&mut self) {
        *self.query = self.start;
        self.best = None;
    }

    #[inline]
    fn limit(&self) -> f32 {
        self.query.limit
    }

    #[inline(always)]
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]) {
        kernels.point_boxes(node, &self.query.point, self.query.limit)
    }

    #[inline(always)]
    fn test_leaf(&self, kernels: &impl Kernels, triangles: &Triangles<'_>, corners: &CornerIndices) -> u32 {
        kernels.point_triangles(&kernels.block(triangles, corners), &self.query.point, self.query.limit)
    }

    /// Keeps a triangle as the best candidate if it is nearer to the query point than the previous
    /// candidate, or at the same distance and earlier in the file.
    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()> {
        let closest = closest(self.query.point.map(f64::from), corners);
        let squared = closest.distance_squared;
        let is_better = match &self.best {
            Some(best) => {
                let known = best.closest.distance_squared;
                squared < known || squared <= known && triangle < best.triangle
            }
            None => squared <= self.query.exact_limit,
        };
        if is_better {
            self.best = Some(Candidate { triangle, closest });
            self.query.shorten(squared);
        }
        ControlFlow::Continue(())
    }
}
