//! The items that a tree is built from: triangles, or clusters of consecutive triangles, as boxes
//! on a grid.

use std::ops::Range;

use crate::array::Bounds;
use crate::bvh::build::MAX_TASK_ITEMS;
use crate::bvh::coordinates::include_point;
use crate::bvh::lanes::{CornerIndices, LANES};
use crate::bvh::layout::{COUNT_BITS, Child, leaf};
use crate::bvh::leaf_order::{LeafOrder, MAX_NAMED_TRIANGLES, MIN_AREA_RATIO_TO_CUT, RunCut, encode_run};
use crate::bvh::pages::{Subtree, SubtreeRoot, too_large};
use crate::bvh::reserve::{reserve, reserve_one, try_with_capacity};
use crate::bvh::sah::{Grid, GridBox, around};
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::as_index;
use crate::simd::kernel;

/// The maximum number of triangles in a leaf of a tree that stores its own order of triangles.
const MAX_LEAF_TRIANGLES: usize = 8;
const _: () = assert!(MAX_LEAF_TRIANGLES == 8 && LANES == 8);
/// The minimum length of the longest side of a bounding box that is split on the present grid, in
/// grid steps. If the bounding box of a node's items is shorter than `MIN_GRID_STEPS`, the grid is
/// too coarse to find good splits, and the items are converted to a finer grid that covers only
/// this bounding box.
const MIN_GRID_STEPS: u16 = 48;

/// The triangles that a tree is built over, and the order of triangles that its leaves refer to.
pub(crate) struct TreeItems<'a> {
    pub(crate) triangles: &'a Triangles<'a>,
    pub(crate) order: LeafOrder,
}

/// Returns the bounding box that the grid for the items must cover: the bounding box of all
/// positions. If a position has a coordinate that is not finite or beyond ±2^60, or if the surface
/// has far more positions than triangles, `bounds_of` returns the bounding box of all triangles
/// that queries do not ignore. Computing this box takes longer for each triangle.
pub(crate) fn bounds_of(triangles: &Triangles<'_>) -> Bounds {
    if !triangles.uses_most_points() {
        return triangles.bounds(0..triangles.len());
    }
    let bounds = triangles.bounds_of_points();
    let is_fine = |corner: [f32; 3]| !include_point(Bounds::EMPTY, corner).is_empty();
    if is_fine(bounds.min) && is_fine(bounds.max) { bounds } else { triangles.bounds(0..triangles.len()) }
}

impl TreeItems<'_> {
    /// Returns the number of items (triangles or clusters of triangles) that the tree is built
    /// from, before a cluster is cut in two.
    fn count(&self) -> usize {
        as_index(self.triangles.len().div_ceil(self.order.cluster()))
    }

    /// Returns the range of the triangle indices that an item contains.
    fn range(&self, item: &GridBox) -> Range<u32> {
        let cluster = self.order.cluster();
        let (first, count) = match cluster {
            1 => (item.number(), 1),
            _ if self.triangles.len() > MAX_NAMED_TRIANGLES => (item.number().saturating_mul(cluster), cluster),
            _ => leaf(item.number()),
        };
        first..first.saturating_add(count).min(self.triangles.len())
    }

    /// Computes the items that the tree is built from: the bounding box of each cluster (or of each
    /// triangle) in grid steps.
    pub(crate) fn boxes(&self, grid: &Grid) -> Result<Vec<GridBox>> {
        let count = self.count();
        let mut items = try_with_capacity(count)?;
        items.resize(count, GridBox([0; 8]));
        let fill = |(piece, items): (usize, &mut [GridBox])| {
            let first = u32::try_from(piece.saturating_mul(MAX_TASK_ITEMS)).unwrap_or(u32::MAX);
            fill(self.triangles, self.order.cluster(), grid, first, items);
        };
        #[cfg(feature = "rayon")]
        if crate::parallel::has_threads() {
            use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
            use rayon::slice::ParallelSliceMut as _;
            items.par_chunks_mut(MAX_TASK_ITEMS).enumerate().for_each(fill);
        } else {
            items.chunks_mut(MAX_TASK_ITEMS).enumerate().for_each(fill);
        }
        #[cfg(not(feature = "rayon"))]
        items.chunks_mut(MAX_TASK_ITEMS).enumerate().for_each(fill);
        self.cut(&mut items, grid)?;
        Ok(items)
    }

    /// Cuts a cluster in two if its bounding box is far larger than usual and the bounding boxes of
    /// the two parts are much smaller.
    ///
    /// A cluster with an unusually large bounding box contains two consecutive triangles that are
    /// far apart, for example at the end of a row of triangles or between two objects of the model.
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    fn cut(&self, items: &mut Vec<GridBox>, grid: &Grid) -> Result<()> {
        let LeafOrder::FileRuns { size, typical_area } = self.order else { return Ok(()) };
        if self.triangles.len() > MAX_NAMED_TRIANGLES {
            return Ok(());
        }
        let (large, mut more) = ((typical_area * MIN_AREA_RATIO_TO_CUT) as f32, Vec::new());
        for item in items.iter_mut().filter(|item| item.area(grid) > large) {
            let range = self.range(item);
            let block = self.triangles.block::<false>(&self.triangles.corner_indices(range.clone()));
            let Some(first) = RunCut::of(&block.bounds_of_each()).at else { continue };
            let at = range.start.saturating_add(first);
            let part = |range: Range<u32>| {
                grid.item(&self.triangles.bounds(range.clone()), encode_run(&range, size, self.triangles.len()))
            };
            *item = part(range.start..at);
            reserve_one(&mut more)?;
            more.push(part(at..range.end));
        }
        reserve(items, more.len())?;
        items.extend(more);
        Ok(())
    }

    /// Returns the maximum number of items in a leaf.
    pub(crate) const fn leaf_items(&self) -> usize {
        match self.order {
            LeafOrder::FileRuns { .. } => 1,
            LeafOrder::Permuted => MAX_LEAF_TRIANGLES,
        }
    }

    /// Converts the bounding boxes of more than 16 items to a finer grid if the longest side of
    /// their union is shorter than [`MIN_GRID_STEPS`]. Returns the finer grid, or `None` if the
    /// items were not changed.
    pub(crate) fn finer(&self, items: &mut [GridBox]) -> Option<Grid> {
        if items.len() <= 16 || around(items).longest() >= MIN_GRID_STEPS {
            return None;
        }
        let bounds = items.iter().fold(Bounds::EMPTY, |all, item| all.union(&self.triangles.bounds(self.range(item))));
        let grid = Grid::over(&bounds);
        for item in items.iter_mut() {
            *item = grid.item(&self.triangles.bounds(self.range(item)), item.number());
        }
        Some(grid)
    }

    /// Returns a leaf that contains the triangles of `items`, with its bounding box.
    pub(crate) fn leaf(&self, items: &[GridBox], first: u32) -> Result<Subtree> {
        let (bounds, first, count) = if let (LeafOrder::FileRuns { .. }, [item]) = (self.order, items) {
            let range = self.range(item);
            let first = if self.triangles.len() > MAX_NAMED_TRIANGLES { item.number() } else { range.start };
            (self.triangles.bounds(range.clone()), first, range.end.saturating_sub(range.start))
        } else {
            let mut corners = CornerIndices::default();
            self.triangles.corner_indices_of(items.iter().map(GridBox::number), &mut corners);
            let bounds = self.triangles.block::<false>(&corners).bounds();
            (bounds, first, u32::try_from(items.len()).unwrap_or_default())
        };
        if first > u32::MAX >> COUNT_BITS {
            return Err(too_large());
        }
        Ok(Subtree { bounds, root: SubtreeRoot::Placed(Child::Leaf { first, count }) })
    }
}

kernel! {
    /// Computes the bounding boxes of consecutive clusters of triangles, starting with the cluster
    /// with index `first`, and stores them in `items`.
    fn fill(triangles: &Triangles<'_>, cluster: u32, grid: &Grid, first: u32, items: &mut [GridBox]) {
        avx512 => fill_items::<true>(triangles, cluster, grid, first, items),
        avx2 => fill_items::<true>(triangles, cluster, grid, first, items),
        _ => fill_items::<false>(triangles, cluster, grid, first, items),
    }
}

#[inline(always)]
fn fill_items<const FUSED: bool>(
    triangles: &Triangles<'_>,
    cluster: u32,
    grid: &Grid,
    first: u32,
    items: &mut [GridBox],
) {
    if cluster == 1 {
        for (start, items) in (first..).step_by(LANES).zip(items.chunks_mut(LANES)) {
            let numbers = triangles.corner_indices(start..triangles.len().min(start.saturating_add(8)));
            let block = triangles.block::<FUSED>(&numbers);
            for ((number, bounds), item) in (start..).zip(&block.bounds_of_each()).zip(items) {
                *item = grid.item(bounds, number);
            }
        }
        return;
    }
    for (number, item) in (first..).zip(items) {
        let start = number.saturating_mul(cluster);
        let range = start..start.saturating_add(cluster).min(triangles.len());
        let code = encode_run(&range, cluster, triangles.len());
        *item = grid.item(&triangles.block::<FUSED>(&triangles.corner_indices(range)).bounds(), code);
    }
}
