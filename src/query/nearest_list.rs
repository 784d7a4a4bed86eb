//! The query for the triangles that are nearest to a query point.

// Rule: this file sorts and maps by copies only.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::kernel::dispatch::Kernels;
use crate::bvh::lanes::CornerIndices;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::TreeQuery;
use crate::bvh::triangles::Triangles;
use crate::query::closest_on_triangle::closest;
use crate::query::closest_point::{Candidate, PointQuery};
use crate::query::ray::Nearest;

/// A list of the triangles that are nearest to a query point, with at most twice the wanted number
/// of items.
pub(crate) struct NearestList<'b> {
    query: PointQuery,
    /// The wanted number of triangles, at least 1.
    count: usize,
    list: &'b mut Vec<Nearest>,
    is_spoilt: bool,
}

impl<'b> NearestList<'b> {
    /// Clears the list and prepares a search for the `count` triangles that are nearest to `point`.
    ///
    /// Returns `None` if `count` is 0, or if the point or the limit is not valid.
    pub(crate) fn new(point: [f32; 3], limit: f32, count: usize, list: &'b mut Vec<Nearest>) -> Option<Self> {
        list.clear();
        let query = PointQuery::new(point, limit).filter(|_| count > 0)?;
        Some(Self { query, count, list, is_spoilt: false })
    }

    pub(crate) const fn query(&self) -> &PointQuery {
        &self.query
    }

    /// Returns whether a damaged tree has put items in the list, so that the whole search has to be
    /// repeated.
    pub(crate) const fn is_spoilt(&self) -> bool {
        self.is_spoilt
    }

    /// Prepares the search of one surface. The closure `make` makes an item of the list.
    pub(crate) const fn surface<F: Fn(&Candidate) -> Nearest>(&mut self, make: F) -> NearestInSurface<'_, 'b, F> {
        NearestInSurface { all: self, make, has_added: false }
    }

    /// Removes the triangles that are not among the nearest, and sorts the others.
    pub(crate) fn finish(self) {
        self.list.sort_unstable_by(order);
        self.list.truncate(self.count);
    }

    fn add(&mut self, near: Nearest) {
        self.list.push(near);
        if self.list.len() != self.count && self.list.len() < self.count.saturating_mul(2) {
            return;
        }
        // The last item after this step is the farthest of the nearest triangles so far. Other
        // triangles are only needed if their distance is not greater when it is rounded to `f32`.
        let (_, farthest, _) = self.list.select_nth_unstable_by(self.count.saturating_sub(1), order);
        let limit = f64::from(farthest.distance.next_up());
        self.list.truncate(self.count);
        self.query.shorten((limit * limit).min(self.query.exact_limit()));
    }
}

/// Compares two triangles by their distances, and triangles at the same distance by their order.
fn order(one: &Nearest, other: &Nearest) -> Ordering {
    let by_distance = one.distance.total_cmp(&other.distance);
    by_distance.then_with(|| (one.surface, one.triangle).cmp(&(other.surface, other.triangle)))
}

/// The search of one surface for the triangles that are nearest to a query point.
pub(crate) struct NearestInSurface<'c, 'b, F> {
    all: &'c mut NearestList<'b>,
    make: F,
    has_added: bool,
}

impl<F: Fn(&Candidate) -> Nearest> TreeQuery for NearestInSurface<'_, '_, F> {
    /// Marks the list as spoilt if it contains items from the damaged tree: these items may have
    /// displaced others.
    fn restart(&mut self) {
        self.all.is_spoilt |= self.has_added;
    }

    #[inline]
    fn limit(&self) -> f32 {
        self.all.query.limit
    }

    #[inline(always)]
    fn test_node(&self, kernels: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]) {
        kernels.point_boxes(node, &self.all.query.point, self.all.query.limit)
    }

    #[inline(always)]
    fn test_leaf(&self, kernels: &impl Kernels, triangles: &Triangles<'_>, corners: &CornerIndices) -> u32 {
        kernels.point_triangles(&kernels.block(triangles, corners), &self.all.query.point, self.all.query.limit)
    }

    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()> {
        if self.all.is_spoilt {
            return ControlFlow::Break(());
        }
        let closest = closest(self.all.query.point.map(f64::from), corners);
        if closest.distance_squared <= self.all.query.exact_limit() {
            self.has_added = true;
            self.all.add((self.make)(&Candidate { triangle, closest }));
        }
        ControlFlow::Continue(())
    }
}
