//! The query for the triangles of a tree that overlap a volume: a box or a frustum.

use std::ops::ControlFlow;

use crate::array::Bounds;
use crate::bvh::coordinates::TriangleCorners;
use crate::bvh::kernel::dispatch::Kernels;
use crate::bvh::layout::{RawNode, WIDTH};
use crate::bvh::traverse::TreeQuery;
use crate::query::frustum::Frustum;
use crate::query::triangle_overlap::{overlaps_box, overlaps_frustum};

/// A volume for an overlap query: a box or a frustum.
pub(crate) trait QueryVolume {
    /// Returns `false` if a bounding box certainly does not overlap the volume, and `true`
    /// otherwise.
    fn meets(&self, bounds: &Bounds) -> bool;
    /// Returns whether a triangle overlaps the volume.
    fn overlaps(&self, triangle: &TriangleCorners) -> bool;
}

impl QueryVolume for Bounds {
    fn meets(&self, bounds: &Bounds) -> bool {
        let axes = self.min.iter().zip(self.max).zip(bounds.min.iter().zip(bounds.max));
        let mut axes = axes.map(|((min, max), (other_min, other_max))| *min <= other_max && *other_min <= max);
        axes.all(|axis| axis)
    }

    fn overlaps(&self, triangle: &TriangleCorners) -> bool {
        overlaps_box(triangle, self)
    }
}

impl QueryVolume for Frustum {
    fn meets(&self, bounds: &Bounds) -> bool {
        !self.excludes(bounds)
    }

    fn overlaps(&self, triangle: &TriangleCorners) -> bool {
        overlaps_frustum(triangle, self)
    }
}

/// An overlap query of a volume in one tree. It appends an item for each overlapping triangle to a
/// list, in no particular order.
pub(crate) struct OverlapSearch<'b, V, T, F> {
    volume: &'b V,
    list: &'b mut Vec<T>,
    /// The length of the list before the query.
    start: usize,
    make: F,
}

impl<'b, V: QueryVolume, T, F: Fn(u32) -> T> OverlapSearch<'b, V, T, F> {
    /// Prepares a query. The closure `make` makes an item of the list from the index of a triangle.
    pub(crate) const fn new(volume: &'b V, list: &'b mut Vec<T>, make: F) -> Self {
        let start = list.len();
        Self { volume, list, start, make }
    }
}

impl<V: QueryVolume, T, F: Fn(u32) -> T> TreeQuery for OverlapSearch<'_, V, T, F> {
    fn restart(&mut self) {
        self.list.truncate(self.start);
    }

    fn limit(&self) -> f32 {
        f32::INFINITY
    }

    fn test_node(&self, _: &impl Kernels, node: &RawNode) -> (u32, [f32; WIDTH]) {
        let meets = |child: usize| node.child_box(child).is_some_and(|bounds| self.volume.meets(&outward(bounds)));
        let bits = (0..WIDTH).rev().fold(0, |bits, child| bits << 1 | u32::from(meets(child)));
        (bits, [0.0; WIDTH])
    }

    fn test_triangle(&mut self, triangle: u32, corners: &TriangleCorners) -> ControlFlow<()> {
        if self.volume.overlaps(corners) {
            self.list.push((self.make)(triangle));
        }
        ControlFlow::Continue(())
    }
}

/// Converts a box from `f64` to `f32`. The result is rounded outwards, so it always contains the
/// original box.
fn outward([min, max]: [[f64; 3]; 2]) -> Bounds {
    let narrow = crate::math::narrow;
    Bounds { min: min.map(|part| narrow(part).next_down()), max: max.map(|part| narrow(part).next_up()) }
}
