//! Building a tree from the top: every node takes the best splits until it has eight children.

use std::ops::Range;

use crate::array::Bounds;
use crate::bvh::layout::{Child, HeldPage, NO_CHILD, NodePage, leaf};
use crate::bvh::leaf_order::{Cut, LARGE, NAMED, Order, code, order_of};
use crate::bvh::pages::{Packer, Part, Shape as Kin, Sink, too_large};
use crate::bvh::sah::{Grid, Item, around, split};
use crate::bvh::tree::{Shape, Tree};
use crate::bvh::triangles::{LANES, Triangles, including};
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64};
use crate::simd::kernel;

/// Items of a part that is built by one thread, into pages of its own.
const TASK: usize = 1 << 15;
/// Levels after which splits are in halves: together with those that halving takes, no way down is longer than
/// [`DEEPEST`].
const UNBALANCED: usize = 14;
/// The most nodes on the way to a leaf.
pub(crate) const DEEPEST: usize = 26;
/// The most triangles of a leaf with an order of its own, before it is split.
const FEW: usize = 8;
/// Triangles under a node all of whose children are leaves, with an order of its own: more would have room.
const FULL: usize = 56;
/// Steps of the grid below which the longest side of a part is too small to split it well.
const COARSE: u16 = 48;
/// What a tree is built of.
struct Site<'a> {
    triangles: &'a Triangles<'a>,
    order: Order,
}

/// Builds a tree in memory.
pub(crate) fn held(triangles: &Triangles<'_>) -> Result<Tree> {
    let mut pages = Held::default();
    let (shape, numbers) = build(triangles, &mut pages)?;
    Ok(Tree::held(pages.0, numbers, shape))
}

/// Builds a tree, and hands its pages out; returns its shape, and the order of its triangles where that is not the file's.
pub(crate) fn build(triangles: &Triangles<'_>, sink: &mut dyn Sink) -> Result<(Shape, Option<Vec<u32>>)> {
    triangles.prefetch();
    let site = Site { triangles, order: order_of(triangles) };
    let bounds = bounds_of(triangles);
    let mut items = site.items(&Grid::over(&bounds))?;
    let mut packer = Packer::default();
    let mut root = if items.is_empty() {
        packer.join(Vec::new(), sink)?
    } else {
        site.part(&mut items, 0, &Grid::over(&bounds), 0, &mut packer, sink)?
    };
    if let Kin::Placed(Child::Leaf { .. }) = root.shape {
        root = packer.join(vec![root], sink)?;
    }
    packer.place(&mut root, sink)?;
    packer.finish(sink)?;
    let root_number = if let Kin::Placed(Child::Node(number)) = root.shape { number } else { NO_CHILD };
    let shape = Shape {
        triangles: triangles.len(),
        cluster: if triangles.len() > NAMED { site.order.cluster() } else { 1 },
        root: root_number,
        nodes: packer.nodes,
        bounds: root.bounds,
    };
    let numbers = match site.order {
        Order::Own => Some(numbers_of(&items)?),
        Order::Clusters { .. } => None,
    };
    Ok((shape, numbers))
}

fn numbers_of(items: &[Item]) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(items.len()).map_err(|_| out_of_memory(items.len(), 4))?;
    numbers.extend(items.iter().map(Item::number));
    Ok(numbers)
}

pub(crate) fn out_of_memory(count: usize, size: usize) -> Error {
    let kind = ErrorKind::OutOfMemory { asked: as_u64(count.saturating_mul(size)) };
    Error::without_offset("query", Field::new("tree"), kind)
}

/// Returns the box around what the grid is to be laid over: all points where they are finite, else all triangles that count.
fn bounds_of(triangles: &Triangles<'_>) -> Bounds {
    let bounds = triangles.bounds_of_points();
    let is_fine = |corner: [f32; 3]| !including(Bounds::EMPTY, corner).is_empty();
    if is_fine(bounds.min) && is_fine(bounds.max) { bounds } else { triangles.bounds(0..triangles.len()) }
}

impl Site<'_> {
    /// Returns how many items there are.
    fn count(&self) -> usize {
        as_index(self.triangles.len().div_ceil(self.order.cluster()))
    }

    /// Returns the triangles of an item.
    fn range(&self, item: &Item) -> Range<u32> {
        let cluster = self.order.cluster();
        let (first, count) = match cluster {
            1 => (item.number(), 1),
            _ if self.triangles.len() > NAMED => (item.number().saturating_mul(cluster), cluster),
            _ => leaf(item.number()),
        };
        first..first.saturating_add(count).min(self.triangles.len())
    }

    /// Puts a box around each cluster, or each triangle.
    fn items(&self, grid: &Grid) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        let count = self.count();
        items.try_reserve_exact(count).map_err(|_| out_of_memory(count, size_of::<Item>()))?;
        items.resize(count, Item([0; 8]));
        let fill = |(piece, items): (usize, &mut [Item])| {
            let first = u32::try_from(piece.saturating_mul(TASK)).unwrap_or(u32::MAX);
            fill(self.triangles, self.order.cluster(), grid, first, items);
        };
        #[cfg(feature = "rayon")]
        {
            use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
            use rayon::slice::ParallelSliceMut as _;
            items.par_chunks_mut(TASK).enumerate().for_each(fill);
        }
        #[cfg(not(feature = "rayon"))]
        items.chunks_mut(TASK).enumerate().for_each(fill);
        self.cut(&mut items, grid)?;
        Ok(items)
    }

    /// Cuts clusters in two that are far larger than others, and much smaller when they are cut: where a row ends, or a part
    /// of the model.
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    fn cut(&self, items: &mut Vec<Item>, grid: &Grid) -> Result<()> {
        let Order::Clusters { size, typical } = self.order else { return Ok(()) };
        if self.triangles.len() > NAMED {
            return Ok(());
        }
        let (large, mut more) = ((typical * LARGE) as f32, Vec::new());
        for item in items.iter_mut().filter(|item| item.area(grid) > large) {
            let range = self.range(item);
            let Some(at) = Cut::of(self.triangles, range.clone()).at else { continue };
            let part = |range: Range<u32>| {
                grid.item(&self.triangles.bounds(range.clone()), code(&range, size, self.triangles.len()))
            };
            *item = part(range.start..at);
            more.push(part(at..range.end));
        }
        items.try_reserve_exact(more.len()).map_err(|_| out_of_memory(more.len(), size_of::<Item>()))?;
        items.extend(more);
        Ok(())
    }

    /// Tells whether so many items are a leaf.
    fn is_leaf(&self, count: usize) -> bool {
        match self.order {
            Order::Clusters { .. } => count <= 1,
            Order::Own => count <= FEW,
        }
    }

    /// Returns the most items of a piece of so many that is not split any more in this node.
    const fn whole(&self, count: usize) -> usize {
        match self.order {
            Order::Clusters { .. } => 1,
            Order::Own if count > FULL => FULL,
            Order::Own => FEW,
        }
    }

    /// Builds the subtree over items; `first` is the number of the first of them among all.
    fn part(
        &self,
        items: &mut [Item],
        first: u32,
        grid: &Grid,
        depth: usize,
        packer: &mut Packer,
        sink: &mut dyn Sink,
    ) -> Result<Part> {
        if self.is_leaf(items.len()) {
            return self.leaf(items, first);
        }
        let finer = self.finer(items);
        let grid = finer.as_ref().unwrap_or(grid);
        let is_large = items.len() > TASK;
        let pieces = self.pieces(items, first, grid, depth);
        let mut parts = Vec::with_capacity(pieces.len());
        if is_large {
            self.tasks(pieces, grid, depth, &mut parts, packer, sink)?;
        } else {
            for (items, first) in pieces {
                parts.push(self.part(items, first, grid, depth.wrapping_add(1), packer, sink)?);
            }
        }
        packer.join(parts, sink)
    }

    /// Builds the subtrees under a large node: those that one thread can build all at once.
    fn tasks<'p>(
        &self,
        pieces: Vec<(&'p mut [Item], u32)>,
        grid: &Grid,
        depth: usize,
        parts: &mut Vec<Part>,
        packer: &mut Packer,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let depth = depth.wrapping_add(1);
        let (large, small): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|(items, _)| items.len() > TASK);
        for (items, first) in large {
            parts.push(self.part(items, first, grid, depth, packer, sink)?);
        }
        let build = |(items, first): (&'p mut [Item], u32)| -> Result<(Packer, Held, Part)> {
            let (mut packer, mut held) = (Packer::default(), Held::default());
            let part = self.part(items, first, grid, depth, &mut packer, &mut held)?;
            packer.finish(&mut held)?;
            Ok((packer, held, part))
        };
        #[cfg(feature = "rayon")]
        let done: Vec<_> = {
            use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
            small.into_par_iter().map(build).collect()
        };
        #[cfg(not(feature = "rayon"))]
        let done = small.into_iter().map(build);
        for result in done {
            let (other, mut held, mut part) = result?;
            packer.adopt(&other, held.0.iter_mut().map(|page| &mut page.0), &mut part, sink)?;
            parts.push(part);
        }
        Ok(())
    }

    /// Lays a finer grid over items that are small on theirs, where that helps.
    fn finer(&self, items: &mut [Item]) -> Option<Grid> {
        if items.len() <= 16 || around(items).longest() >= COARSE {
            return None;
        }
        let bounds = items.iter().fold(Bounds::EMPTY, |all, item| all.union(&self.triangles.bounds(self.range(item))));
        let grid = Grid::over(&bounds);
        for item in items.iter_mut() {
            *item = grid.item(&self.triangles.bounds(self.range(item)), item.number());
        }
        Some(grid)
    }

    /// Splits items into up to eight pieces, always the one whose box has the largest area; each with the number of its first.
    fn pieces<'p>(&self, items: &'p mut [Item], first: u32, grid: &Grid, depth: usize) -> Vec<(&'p mut [Item], u32)> {
        let balanced = depth >= UNBALANCED;
        let whole = self.whole(items.len());
        let mut pieces = vec![(items, first, f32::INFINITY)];
        while pieces.len() < LANES {
            let area = |(items, _, area): &(&mut [Item], u32, f32)| if items.len() <= whole { -1.0 } else { *area };
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
            let weight = |items: &[Item], area: f32| if balanced { count_of(items) } else { area };
            let [one_weight, other_weight] = [weight(one, one_area), weight(other, other_area)];
            pieces.push((one, first, one_weight));
            pieces.push((other, second, other_weight));
        }
        pieces.sort_unstable_by_key(|(_, first, _)| *first);
        pieces.into_iter().map(|(items, first, _)| (items, first)).collect()
    }

    /// Makes a leaf of items.
    fn leaf(&self, items: &[Item], first: u32) -> Result<Part> {
        let bounds = match (self.order, items) {
            (Order::Clusters { .. }, [item]) => self.triangles.bounds(self.range(item)),
            _ => self.triangles.block::<false>(&self.triangles.numbers_of(items.iter().map(Item::number))).bounds(),
        };
        let (first, count) = match (self.order, items) {
            (Order::Clusters { .. }, [item]) => {
                let range = self.range(item);
                let first = if self.triangles.len() > NAMED { item.number() } else { range.start };
                (first, range.end.saturating_sub(range.start))
            }
            _ => (first, u32::try_from(items.len()).unwrap_or_default()),
        };
        if first > u32::MAX >> crate::bvh::layout::COUNT_BITS {
            return Err(too_large());
        }
        Ok(Part { bounds, shape: Kin::Placed(Child::Leaf { first, count }) })
    }
}

/// Returns how many items there are, roughly.
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "to choose the longest of a few lists")]
fn count_of(items: &[Item]) -> f32 {
    items.len() as f32
}

kernel! {
    /// Puts boxes around clusters of triangles, from the one numbered `first` on.
    fn fill(triangles: &Triangles<'_>, cluster: u32, grid: &Grid, first: u32, items: &mut [Item]) {
        avx512 => fill_items::<true>(triangles, cluster, grid, first, items),
        avx2 => fill_items::<true>(triangles, cluster, grid, first, items),
        _ => fill_items::<false>(triangles, cluster, grid, first, items),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
fn fill_items<const FUSED: bool>(triangles: &Triangles<'_>, cluster: u32, grid: &Grid, first: u32, items: &mut [Item]) {
    for (number, item) in (first..).zip(items) {
        let start = number.saturating_mul(cluster);
        let range = start..start.saturating_add(cluster).min(triangles.len());
        let code = code(&range, cluster, triangles.len());
        *item = grid.item(&triangles.block::<FUSED>(&triangles.numbers(range)).bounds(), code);
    }
}

/// Pages in memory.
#[derive(Default)]
pub(crate) struct Held(pub(crate) Vec<HeldPage>);

impl Sink for Held {
    fn put(&mut self, number: usize, page: &NodePage) -> Result<()> {
        if self.0.len() <= number {
            let more = number.saturating_sub(self.0.len()).saturating_add(1);
            self.0.try_reserve(more).map_err(|_| out_of_memory(more, size_of::<NodePage>()))?;
            self.0.resize(number.saturating_add(1), HeldPage(NodePage::new()));
        }
        if let Some(place) = self.0.get_mut(number) {
            place.0 = *page;
        }
        Ok(())
    }
}
