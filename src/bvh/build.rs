//! Builds a tree from the root down. The triangles of a large node are split into up to eight
//! groups, and each group becomes a child of the node. Smaller nodes are built as a binary tree,
//! which is then collapsed.

// Rule: this file sorts and maps by copies only.

use crate::bvh::collapse::{BinaryTree, Collapsed};
use crate::bvh::items::{TreeItems, bounds_of};
use crate::bvh::lanes::LANES;
use crate::bvh::layout::{Child, MAX_DEPTH, NO_CHILD};
use crate::bvh::leaf_order::{LeafOrder, MAX_NAMED_TRIANGLES, choose_order};
use crate::bvh::pages::{MemoryPages, PagePacker, PageSink, Subtree, SubtreeRoot};
use crate::bvh::reserve::{only, try_with_capacity};
use crate::bvh::sah::{Grid, GridBox, around, split};
use crate::bvh::tree::Tree;
use crate::bvh::tree_view::TreeHeader;
use crate::bvh::triangles::Triangles;
use crate::error::Result;
use crate::math::as_index;

/// The maximum number of items (triangles or clusters of triangles) in a subtree that a single
/// thread builds. Its nodes are put into separate pages, which contain no nodes of other subtrees.
pub(crate) const MAX_TASK_ITEMS: usize = 1 << 15;
/// The depth in the tree from which on a group of items is split into two halves with equal numbers
/// of items, instead of with the surface area heuristic. Splitting into equal halves limits every
/// path from the root to a leaf to [`MAX_DEPTH`](crate::bvh::layout::MAX_DEPTH) nodes.
const MAX_SAH_DEPTH: usize = 14;
/// The maximum number of items in a subtree that is built as a binary tree and then collapsed. A
/// binary tree takes up to 100 bytes for each item.
const MAX_COLLAPSED_ITEMS: usize = 1 << 12;
/// The maximum number of triangles of a surface whose tree has no nodes: the root of the tree is a
/// leaf.
pub(crate) const MAX_ROOT_LEAF_TRIANGLES: u32 = 8;

/// Builds the nodes over the items of a tree.
struct TreeBuilder<'a> {
    source: TreeItems<'a>,
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
    let source = TreeItems { triangles, order: choose_order(triangles) };
    let bounds = bounds_of(triangles);
    let mut items = source.boxes(&Grid::over(&bounds))?;
    let builder = TreeBuilder { source };
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
        cluster: if triangles.len() > MAX_NAMED_TRIANGLES { builder.source.order.cluster() } else { 1 },
        root: root_number,
        root_is_leaf: false,
        nodes: packer.nodes,
        bounds: root.bounds,
    };
    let numbers = match builder.source.order {
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

impl TreeBuilder<'_> {
    /// Builds the subtree over at most [`MAX_COLLAPSED_ITEMS`] items.
    fn collapsed(
        &self,
        items: &mut [GridBox],
        first: u32,
        grid: &Grid,
        depth: usize,
        packer: &mut PagePacker,
        sink: &mut dyn PageSink,
    ) -> Result<Subtree> {
        let mut tree = BinaryTree::default();
        let area = around(items).area(grid);
        self.halve(items, 0, grid, area, MAX_DEPTH.saturating_sub(depth), &mut tree)?;
        match tree.root() {
            Some(root) => self.place(&tree, &root, items, first, packer, sink),
            None => self.source.leaf(items, first),
        }
    }

    /// Adds the nodes over `items` to a binary tree with at most `levels` levels. `first` is the
    /// index of `items[0]` in the items of the binary tree. Returns the number of the added root.
    fn halve(
        &self,
        items: &mut [GridBox],
        first: u32,
        grid: &Grid,
        area: f32,
        levels: usize,
        tree: &mut BinaryTree,
    ) -> Result<u32> {
        let count = items.len();
        if count <= self.source.leaf_items() {
            return tree.add_leaf(first, u32::try_from(count).unwrap_or_default());
        }
        let finer = self.source.finer(items);
        let grid = finer.as_ref().unwrap_or(grid);
        let balanced = levels <= as_index(usize::BITS.wrapping_sub(count.leading_zeros())).wrapping_add(1);
        let halved = split(items, grid, balanced);
        let (one, other) = items.split_at_mut(halved.middle);
        let second = first.wrapping_add(u32::try_from(one.len()).unwrap_or_default());
        let [one_area, other_area] = halved.boxes.map(|item| item.area(grid));
        let levels = levels.saturating_sub(1);
        let one = self.halve(one, first, grid, one_area, levels, tree)?;
        let other = self.halve(other, second, grid, other_area, levels, tree)?;
        tree.add_node([one, other], area)
    }

    /// Makes the subtree of a node of a collapsed tree over `items`.
    fn place(
        &self,
        tree: &BinaryTree,
        node: &Collapsed,
        items: &[GridBox],
        first: u32,
        packer: &mut PagePacker,
        sink: &mut dyn PageSink,
    ) -> Result<Subtree> {
        match node {
            Collapsed::Leaf { first: start, count } => {
                let range = as_index(*start)..as_index(start.saturating_add(*count));
                self.source.leaf(items.get(range).unwrap_or_default(), first.wrapping_add(*start))
            }
            Collapsed::Node(children) => {
                let mut parts = try_with_capacity(LANES)?;
                for child in tree.roots(*children) {
                    parts.push(self.place(tree, &child, items, first, packer, sink)?);
                }
                packer.join(parts, sink)
            }
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
        if items.len() <= MAX_COLLAPSED_ITEMS {
            return self.collapsed(items, first, grid, depth, packer, sink);
        }
        let finer = self.source.finer(items);
        let grid = finer.as_ref().unwrap_or(grid);
        let is_large = items.len() > MAX_TASK_ITEMS;
        let pieces = pieces(items, first, grid, depth)?;
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
            packer.append(&other, &mut held, &mut part, sink)?;
            parts.push(part);
        }
        Ok(())
    }
}

/// Splits items into up to eight groups, which become the children of a node.
///
/// Each step splits the group whose bounding box has the largest surface area, or, from the
/// depth [`MAX_SAH_DEPTH`] on, the group with the most items. Each group is returned with the
/// index of its first item in the array of all items.
fn pieces<'p>(
    items: &'p mut [GridBox],
    first: u32,
    grid: &Grid,
    depth: usize,
) -> Result<Vec<(&'p mut [GridBox], u32)>> {
    let balanced = depth >= MAX_SAH_DEPTH;
    let mut pieces = try_with_capacity(LANES)?;
    pieces.push((items, first, f32::INFINITY));
    while pieces.len() < LANES {
        let area = |(items, _, area): &(&mut [GridBox], u32, f32)| if items.len() <= 1 { -1.0 } else { *area };
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

/// Returns the number of items as an `f32`, rounded to the nearest.
#[allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "it only serves to choose the longest of a few lists"
)]
fn count_of(items: &[GridBox]) -> f32 {
    items.len() as f32
}
