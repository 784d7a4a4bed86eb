//! Builds a tree from the root down. The triangles of each node are split into up to eight groups,
//! and each group becomes a child of the node.

// Rule: this file sorts and maps by copies only.

use std::ops::Range;

use crate::array::Bounds;
use crate::bvh::coordinates::include_point;
use crate::bvh::lanes::LANES;
use crate::bvh::layout::{COUNT_BITS, Child, NO_CHILD, leaf};
use crate::bvh::leaf_order::{LeafOrder, MAX_NAMED_TRIANGLES, MIN_AREA_RATIO_TO_CUT, RunCut, choose_order, encode_run};
use crate::bvh::pages::{MemoryPages, PagePacker, PageSink, Subtree, SubtreeRoot, too_large};
use crate::bvh::reserve::{only, reserve, reserve_one, try_with_capacity};
use crate::bvh::sah::{Grid, GridBox, around, split};
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::TreeHeader;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::as_index;
use crate::simd::kernel;

/// The maximum number of items (triangles or clusters of triangles) in a subtree that a single
/// thread builds. Its nodes are put into separate pages, which contain no nodes of other subtrees.
const MAX_TASK_ITEMS: usize = 1 << 15;
/// The depth in the tree from which on a group of items is split into two halves with equal numbers
/// of items, instead of with the surface area heuristic. Splitting into equal halves limits every
/// path from the root to a leaf to [`MAX_DEPTH`](crate::bvh::layout::MAX_DEPTH) nodes.
const MAX_SAH_DEPTH: usize = 14;
/// The maximum number of triangles in a leaf of a tree that stores its own order of triangles.
const MAX_LEAF_TRIANGLES: usize = 8;
/// The maximum number of triangles of a surface whose tree has no nodes: the root of the tree is a
/// leaf.
pub(crate) const MAX_ROOT_LEAF_TRIANGLES: u32 = 8;
const _: () = assert!(MAX_LEAF_TRIANGLES == 8 && LANES == 8);
/// The maximum number of triangles under a node whose children are all leaves, in a tree that
/// stores its own order of triangles. `MAX_PARENT_TRIANGLES` is less than 64, the number of
/// triangles in eight leaves of eight triangles.
const MAX_PARENT_TRIANGLES: usize = 56;
/// The minimum length of the longest side of a bounding box that is split on the present grid, in
/// grid steps. If the bounding box of a node's items is shorter than `MIN_GRID_STEPS`, the grid is
/// too coarse to find good splits, and the items are converted to a finer grid that covers only
/// this bounding box.
const MIN_GRID_STEPS: u16 = 48;
/// The input of a tree build: the triangles, and the order of triangles that the leaves refer to.
struct TreeBuilder<'a> {
    triangles: &'a Triangles<'a>,
    order: LeafOrder,
}

impl Tree {
    /// Builds a tree over the given triangles, in `O(n log n)` time. With the feature `rayon`,
    /// building uses all processor cores.
    ///
    /// Building takes 2 to 4 bytes of memory per triangle in addition to the tree itself, or 16
    /// bytes per triangle if consecutive triangles of the file are not close in space. The tree of
    /// at most 8 triangles has no nodes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory) if there is not
    /// enough memory.
    pub fn new(triangles: &Triangles<'_>) -> Result<Self> {
        if triangles.len() <= MAX_ROOT_LEAF_TRIANGLES {
            return Ok(Self::root_leaf(triangles.len(), triangles.bounds(0..triangles.len())));
        }
        let mut pages = MemoryPages::default();
        let (header, order) = build(triangles, &mut pages)?;
        Ok(Self::in_memory(pages.0, order, header))
    }
}

/// Builds a tree and passes each page of nodes to `sink`.
///
/// Returns the header of the tree, and the list of triangle indices that the leaves refer to. The
/// list is `None` if the leaves refer to triangles in file order.
pub(crate) fn build(triangles: &Triangles<'_>, sink: &mut dyn PageSink) -> Result<(TreeHeader, Option<Vec<u32>>)> {
    triangles.prefetch();
    let builder = TreeBuilder { triangles, order: choose_order(triangles) };
    let bounds = bounds_of(triangles);
    let mut items = builder.items(&Grid::over(&bounds))?;
    let mut packer = PagePacker::default();
    let mut root = if items.is_empty() {
        packer.join(Vec::new(), sink)?
    } else {
        builder.part(&mut items, 0, &Grid::over(&bounds), 0, &mut packer, sink)?
    };
    if let SubtreeRoot::Placed(Child::Leaf { .. }) = root.root {
        root = packer.join(only(root)?, sink)?;
    }
    packer.place(&mut root, sink)?;
    packer.finish(sink)?;
    let root_number = if let SubtreeRoot::Placed(Child::Node(number)) = root.root { number } else { NO_CHILD };
    let header = TreeHeader {
        triangles: triangles.len(),
        cluster: if triangles.len() > MAX_NAMED_TRIANGLES { builder.order.cluster() } else { 1 },
        root: root_number,
        root_is_leaf: false,
        nodes: packer.nodes,
        bounds: root.bounds,
    };
    let numbers = match builder.order {
        LeafOrder::Permuted => Some(numbers_of(&items)?),
        LeafOrder::FileRuns { .. } => None,
    };
    Ok((header, numbers))
}

fn numbers_of(items: &[GridBox]) -> Result<Vec<u32>> {
    let mut numbers = try_with_capacity(items.len())?;
    numbers.extend(items.iter().map(GridBox::number));
    Ok(numbers)
}

/// Returns the bounding box that the grid for the items must cover: the bounding box of all
/// positions. If a position has a coordinate that is not finite or beyond ±2^60, or if the surface
/// has far more positions than triangles, `bounds_of` returns the bounding box of all triangles
/// that queries do not ignore. Computing this box takes longer for each triangle.
fn bounds_of(triangles: &Triangles<'_>) -> Bounds {
    if !triangles.uses_most_points() {
        return triangles.bounds(0..triangles.len());
    }
    let bounds = triangles.bounds_of_points();
    let is_fine = |corner: [f32; 3]| !include_point(Bounds::EMPTY, corner).is_empty();
    if is_fine(bounds.min) && is_fine(bounds.max) { bounds } else { triangles.bounds(0..triangles.len()) }
}

impl TreeBuilder<'_> {
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
    fn items(&self, grid: &Grid) -> Result<Vec<GridBox>> {
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
            let Some(at) = RunCut::of(self.triangles, range.clone()).at else { continue };
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

    /// Returns whether a group of `count` items becomes a leaf and is not split.
    fn is_leaf(&self, count: usize) -> bool {
        match self.order {
            LeafOrder::FileRuns { .. } => count <= 1,
            LeafOrder::Permuted => count <= MAX_LEAF_TRIANGLES,
        }
    }

    /// Returns the maximum number of items in a child of a node with `count` items. A group with
    /// more items than this maximum is split further, if the node has room for more children.
    const fn whole(&self, count: usize) -> usize {
        match self.order {
            LeafOrder::FileRuns { .. } => 1,
            LeafOrder::Permuted if count > MAX_PARENT_TRIANGLES => MAX_PARENT_TRIANGLES,
            LeafOrder::Permuted => MAX_LEAF_TRIANGLES,
        }
    }

    /// Builds the subtree over `items`. `first` is the index of `items[0]` in the array of all
    /// items.
    fn part(
        &self,
        items: &mut [GridBox],
        first: u32,
        grid: &Grid,
        depth: usize,
        packer: &mut PagePacker,
        sink: &mut dyn PageSink,
    ) -> Result<Subtree> {
        if self.is_leaf(items.len()) {
            return self.leaf(items, first);
        }
        let finer = self.finer(items);
        let grid = finer.as_ref().unwrap_or(grid);
        let is_large = items.len() > MAX_TASK_ITEMS;
        let pieces = self.pieces(items, first, grid, depth)?;
        let mut parts = try_with_capacity(pieces.len())?;
        if is_large {
            self.tasks(pieces, grid, depth, &mut parts, packer, sink)?;
        } else {
            for (items, first) in pieces {
                parts.push(self.part(items, first, grid, depth.wrapping_add(1), packer, sink)?);
            }
        }
        packer.join(parts, sink)
    }

    /// Builds a subtree for each of `pieces`, which are the groups of items below a node with more
    /// than [`MAX_TASK_ITEMS`] items. With the feature `rayon`, the subtrees of groups with at most
    /// [`MAX_TASK_ITEMS`] items are built in parallel.
    fn tasks<'p>(
        &self,
        pieces: Vec<(&'p mut [GridBox], u32)>,
        grid: &Grid,
        depth: usize,
        parts: &mut Vec<Subtree>,
        packer: &mut PagePacker,
        sink: &mut dyn PageSink,
    ) -> Result<()> {
        let depth = depth.wrapping_add(1);
        let mut small = pieces;
        for (items, first) in small.extract_if(.., |(items, _)| items.len() > MAX_TASK_ITEMS) {
            parts.push(self.part(items, first, grid, depth, packer, sink)?);
        }
        let build = |(items, first): (&'p mut [GridBox], u32)| -> Result<(PagePacker, MemoryPages, Subtree)> {
            let (mut packer, mut held) = (PagePacker::default(), MemoryPages::default());
            let part = self.part(items, first, grid, depth, &mut packer, &mut held)?;
            packer.finish(&mut held)?;
            Ok((packer, held, part))
        };
        #[cfg(feature = "rayon")]
        let done: Vec<_> = if crate::parallel::has_threads() {
            use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
            small.into_par_iter().map(build).collect()
        } else {
            small.into_iter().map(build).collect()
        };
        #[cfg(not(feature = "rayon"))]
        let done = small.into_iter().map(build);
        for result in done {
            let (other, mut held, mut part) = result?;
            packer.append(&other, held.0.iter_mut().map(|page| &mut page.0), &mut part, sink)?;
            parts.push(part);
        }
        Ok(())
    }

    /// Converts the bounding boxes of more than 16 items to a finer grid if the longest side of
    /// their union is shorter than [`MIN_GRID_STEPS`]. Returns the finer grid, or `None` if the
    /// items were not changed.
    fn finer(&self, items: &mut [GridBox]) -> Option<Grid> {
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

    /// Splits items into up to eight groups, which become the children of a node.
    ///
    /// Each step splits the group whose bounding box has the largest surface area, or, from the
    /// depth [`MAX_SAH_DEPTH`] on, the group with the most items. Each group is returned with the
    /// index of its first item in the array of all items.
    fn pieces<'p>(
        &self,
        items: &'p mut [GridBox],
        first: u32,
        grid: &Grid,
        depth: usize,
    ) -> Result<Vec<(&'p mut [GridBox], u32)>> {
        let balanced = depth >= MAX_SAH_DEPTH;
        let whole = self.whole(items.len());
        let mut pieces = try_with_capacity(LANES)?;
        pieces.push((items, first, f32::INFINITY));
        while pieces.len() < LANES {
            let area = |(items, _, area): &(&mut [GridBox], u32, f32)| if items.len() <= whole { -1.0 } else { *area };
            let areas = pieces.iter().map(area).enumerate();
            let (largest, area) = areas.fold((0, -1.0), |best, piece| if piece.1 > best.1 { piece } else { best });
            if area < 0.0 || largest >= pieces.len() {
                break;
            }
            let (items, first, _) = pieces.swap_remove(largest);
            let halved = split(items, grid, balanced);
            let (one, other) = items.split_at_mut(halved.middle);
            let second = first.wrapping_add(u32::try_from(one.len()).unwrap_or_default());
            let [one_area, other_area] = halved.boxes.map(|item| item.area(grid));
            let weight = |items: &[GridBox], area: f32| if balanced { count_of(items) } else { area };
            let [one_weight, other_weight] = [weight(one, one_area), weight(other, other_area)];
            pieces.push((one, first, one_weight));
            pieces.push((other, second, other_weight));
        }
        pieces.sort_unstable_by_key(|(_, first, _)| *first);
        let mut groups = try_with_capacity(pieces.len())?;
        groups.extend(pieces.into_iter().map(|(items, first, _)| (items, first)));
        Ok(groups)
    }

    /// Returns a leaf that contains the triangles of `items`, with its bounding box.
    fn leaf(&self, items: &[GridBox], first: u32) -> Result<Subtree> {
        let bounds = match (self.order, items) {
            (LeafOrder::FileRuns { .. }, [item]) => self.triangles.bounds(self.range(item)),
            _ => self
                .triangles
                .block::<false>(&self.triangles.corner_indices_of(items.iter().map(GridBox::number)))
                .bounds(),
        };
        let (first, count) = match (self.order, items) {
            (LeafOrder::FileRuns { .. }, [item]) => {
                let range = self.range(item);
                let first = if self.triangles.len() > MAX_NAMED_TRIANGLES { item.number() } else { range.start };
                (first, range.end.saturating_sub(range.start))
            }
            _ => (first, u32::try_from(items.len()).unwrap_or_default()),
        };
        if first > u32::MAX >> COUNT_BITS {
            return Err(too_large());
        }
        Ok(Subtree { bounds, root: SubtreeRoot::Placed(Child::Leaf { first, count }) })
    }
}

/// Returns the number of items as an `f32`, rounded to the nearest.
#[allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "it only serves to choose the longest of a few lists"
)]
fn count_of(items: &[GridBox]) -> f32 {
    items.len() as f32
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
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn fill_items<const FUSED: bool>(
    triangles: &Triangles<'_>,
    cluster: u32,
    grid: &Grid,
    first: u32,
    items: &mut [GridBox],
) {
    for (number, item) in (first..).zip(items) {
        let start = number.saturating_mul(cluster);
        let range = start..start.saturating_add(cluster).min(triangles.len());
        let code = encode_run(&range, cluster, triangles.len());
        *item = grid.item(&triangles.block::<FUSED>(&triangles.corner_indices(range)).bounds(), code);
    }
}
