//! The nearest point of the triangles of a tree.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::coordinates::{TriangleCorners, is_valid_point};
use crate::bvh::kernel::dispatch::Kernels;
use crate::bvh::lanes::CornerIndices;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::TreeQuery;
use crate::bvh::triangles::Triangles;
use crate::query::closest_on_triangle::{ClosestPoint, closest};

/// A point around which the nearest triangle is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointQuery {
    point: [f32; 3],
    /// The greatest squared distance that counts.
    limit: f32,
    /// The same, exactly.
    exact_limit: f64,
}

/// The nearest so far, of one surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) triangle: u32,
    pub(crate) closest: ClosestPoint,
}

impl PointQuery {
    /// Takes a point, and how far from it anything counts; `None` if it is not finite or beyond ±2^60, or nothing can count.
    pub(crate) fn new(point: [f32; 3], limit: f32) -> Option<Self> {
        let is_sound = is_valid_point(&point) && limit >= 0.0;
        let exact_limit = f64::from(limit) * f64::from(limit);
        is_sound.then_some(Self { point, limit: above(exact_limit), exact_limit })
    }

    /// From here on only what is as near counts.
    fn shorten(&mut self, squared: f64) {
        self.exact_limit = squared;
        self.limit = above(squared);
    }

    /// Returns the least squared distance to a box, rounded down.
    pub(crate) fn distance_to(&self, bounds: &Bounds) -> f64 {
        let sides = self.point.iter().zip(bounds.min.iter().zip(bounds.max));
        let squares = sides.map(|(at, (min, max))| {
            let [at, min, max] = [*at, *min, max].map(f64::from);
            let out = (min - at).max(at - max).max(0.0);
            out * out
        });
        squares.sum::<f64>() * (1.0 - 1.0e-12)
    }

    /// Returns the greatest squared distance that counts.
    pub(crate) const fn exact_limit(&self) -> f64 {
        self.exact_limit
    }
}

/// Returns a float that is no less, even where what is compared with it was rounded a few times.
fn above(squared: f64) -> f32 {
    crate::math::narrow(squared * (1.0 + 1.0e-6) + f64::from(f32::MIN_POSITIVE))
}

/// The nearest point of one tree.
pub(crate) struct NearestSearch<'b> {
    query: &'b mut PointQuery,
    /// The query before anything was found.
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
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]) {
        kernels.point_boxes(node, &self.query.point, self.query.limit)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
    fn test_leaf(&self, kernels: &impl Kernels, triangles: &Triangles<'_>, corners: &CornerIndices) -> u32 {
        kernels.point_triangles(&kernels.block(triangles, corners), &self.query.point, self.query.limit)
    }

    /// Keeps a triangle if it is nearer, or as near and earlier in the file.
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
