//! Splits the items (triangles or clusters of triangles) of a tree node into two groups. Each item
//! is a bounding box on a 16-bit grid, and the items are sorted into bins by the centres of their
//! bounding boxes.
//!
//! Along each axis, the items can be split between any two neighbouring bins. The surface area
//! heuristic (SAH) estimates the query cost of each split, and the split with the least cost is
//! chosen.

// Rule: this file sorts and maps by copies only.

use crate::array::Bounds;
use crate::simd::kernel;

/// An item of 16 bytes: a bounding box on a 16-bit grid, and a number that identifies the triangles
/// in this bounding box.
///
/// The greatest coordinates of the bounding box are stored as 65535 minus the coordinate. The union
/// of two bounding boxes is then the minimum of each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct GridBox(pub(crate) [u16; 8]);

/// The empty bounding box. The union of the empty bounding box with another bounding box is the
/// other bounding box.
const EMPTY_BOX: GridBox = GridBox([u16::MAX; 8]);
/// The maximum number of bins along an axis.
const MAX_BINS: usize = 16;

/// The grid on which the bounding boxes of the items are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    origin: [f32; 3],
    /// The number of grid steps per scene unit, along each axis.
    rate: [f32; 3],
    /// The length of a grid step along each axis, in scene units.
    step: [f32; 3],
}

impl Grid {
    /// Creates a grid of 65,535 steps along each axis that covers a bounding box.
    pub(crate) fn over(bounds: &Bounds) -> Self {
        let mut grid = Self { origin: bounds.min, rate: [0.0; 3], step: [0.0; 3] };
        let sides = bounds.min.iter().zip(bounds.max).zip(grid.rate.iter_mut().zip(&mut grid.step));
        for ((min, max), (rate, step)) in sides {
            // The grid is slightly larger than the bounding box, because rounding could otherwise
            // place the greatest coordinate beyond the last grid step.
            *step = (max - min) / 65_000.0;
            *rate = if *step > f32::MIN_POSITIVE { 1.0 / *step } else { 0.0 };
        }
        grid
    }

    /// Converts a bounding box to grid coordinates, rounded outwards.
    ///
    /// An empty bounding box is converted to an empty [`GridBox`]: the union of an empty `GridBox`
    /// with another `GridBox` is the other `GridBox`.
    #[allow(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts of floats saturate"
    )]
    pub(crate) fn item(&self, bounds: &Bounds, number: u32) -> GridBox {
        let place = |at: f32, axis: usize| {
            let part = |list: &[f32; 3]| list.get(axis).copied().unwrap_or_default();
            (at - part(&self.origin)) * part(&self.rate)
        };
        let [x, y, z] = bounds.min;
        let low = [place(x, 0), place(y, 1), place(z, 2)].map(|step| step as u16);
        let [x, y, z] = bounds.max;
        let high = [place(x, 0), place(y, 1), place(z, 2)].map(|step| (step as u16).saturating_add(1));
        let ([x, y, z], [last_x, last_y, last_z]) = (low, high.map(|step| !step));
        let [number_low, number_high] = [number & 0xffff, number >> 16].map(|half| half as u16);
        GridBox([x, y, z, number_low, last_x, last_y, last_z, number_high])
    }
}

impl GridBox {
    /// Returns the number that identifies the triangles of the item, as encoded by `encode_run`.
    pub(crate) fn number(&self) -> u32 {
        let [_, _, _, low, _, _, _, high] = self.0.map(u32::from);
        low | high.wrapping_shl(16)
    }

    /// Returns the smallest bounding box that contains this bounding box and `other`, a bounding
    /// box on the same grid.
    #[inline(always)]
    pub(crate) fn union(self, other: Self) -> Self {
        let mut union = self;
        for (mine, theirs) in union.0.iter_mut().zip(other.0) {
            *mine = (*mine).min(theirs);
        }
        union
    }

    /// Returns the doubled centre of the bounding box along each axis (`min + max`), in grid steps.
    #[inline(always)]
    fn middle(&self) -> [u32; 4] {
        let [x, y, z, _, last_x, last_y, last_z, _] = self.0.map(u32::from);
        [x.wrapping_add(0xffff ^ last_x), y.wrapping_add(0xffff ^ last_y), z.wrapping_add(0xffff ^ last_z), 0]
    }

    /// Returns half the surface area of the bounding box, in square scene units.
    #[inline(always)]
    pub(crate) fn area(&self, grid: &Grid) -> f32 {
        let [x, y, z, _, last_x, last_y, last_z, _] = self.0;
        let side = |first: u16, last: u16, step: f32| f32::from((!last).saturating_sub(first)) * step;
        let [step_x, step_y, step_z] = grid.step;
        let [x, y, z] = [side(x, last_x, step_x), side(y, last_y, step_y), side(z, last_z, step_z)];
        x * y + y * z + z * x
    }

    /// Returns the length of the longest side of the bounding box, in grid steps.
    pub(crate) fn longest(&self) -> u16 {
        let [x, y, z, _, last_x, last_y, last_z, _] = self.0;
        [(x, last_x), (y, last_y), (z, last_z)]
            .map(|(x, last)| (!last).saturating_sub(x))
            .into_iter()
            .max()
            .unwrap_or(0)
    }
}

/// Returns the smallest bounding box that contains the bounding boxes of all items.
pub(crate) fn around(items: &[GridBox]) -> GridBox {
    items.iter().fold(EMPTY_BOX, |all, item| all.union(*item))
}

/// The result of a split: the number of items in the first group, and the bounding box of each
/// group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitResult {
    pub(crate) middle: usize,
    pub(crate) boxes: [GridBox; 2],
}

kernel! {
    /// Reorders a slice of two or more items, and splits it into two groups that are not empty.
    ///
    /// If `balanced` is true, the numbers of items in the two groups differ by at most one, which
    /// limits the depth of the tree.
    pub(crate) fn split(items: &mut [GridBox], grid: &Grid, balanced: bool) -> SplitResult {
        split_items(items, grid, balanced)
    }
}

#[inline(always)]
fn split_items(items: &mut [GridBox], grid: &Grid, balanced: bool) -> SplitResult {
    let halves = |items: &mut [GridBox], axis: Option<usize>| {
        let middle = items.len() / 2;
        if let Some(axis) = axis {
            items.select_nth_unstable_by_key(middle, |item| (item.middle().get(axis).copied(), item.number()));
        }
        let (one, other) = items.split_at(middle);
        SplitResult { middle, boxes: [around(one), around(other)] }
    };
    let (least, most) = middles(items);
    let extent = |axis: usize| Some(most.get(axis)?.saturating_sub(*least.get(axis)?)).filter(|extent| *extent > 0);
    let longest = (0..3).max_by_key(|axis| extent(*axis).unwrap_or_default()).filter(|axis| extent(*axis).is_some());
    if balanced || longest.is_none() {
        return halves(items, longest);
    }
    let best = Bins::new(items, least, most).best(grid);
    let Some(best) = best else { return halves(items, longest) };
    let middle = partition(items, |item| best.scale.bin(item, best.axis) <= best.bin);
    SplitResult { middle, boxes: best.boxes }
}

/// Returns the least and the greatest doubled centre (`min + max`) of the items' bounding boxes
/// along each axis.
#[inline(always)]
fn middles(items: &[GridBox]) -> ([u32; 4], [u32; 4]) {
    let (mut least, mut most) = ([u32::MAX; 4], [0; 4]);
    for item in items {
        for ((least, most), middle) in least.iter_mut().zip(&mut most).zip(item.middle()) {
            *least = middle.min(*least);
            *most = middle.max(*most);
        }
    }
    (least, most)
}

/// Converts the doubled centre (`min + max`) of a bounding box to the index of its bin, along each
/// axis.
#[derive(Clone, Copy)]
struct BinScale {
    least: [u32; 4],
    /// The number of bins per unit of the doubled centre (`min + max`), multiplied by 2^16.
    rate: [u32; 4],
}

impl BinScale {
    #[inline(always)]
    fn bins(&self, item: &GridBox) -> [u32; 4] {
        let mut bins = item.middle();
        for ((bin, least), rate) in bins.iter_mut().zip(self.least).zip(self.rate) {
            *bin = bin.wrapping_sub(least).wrapping_mul(rate) >> 16;
        }
        bins
    }

    #[inline(always)]
    fn bin(&self, item: &GridBox, axis: usize) -> u32 {
        self.bins(item).get(axis).copied().unwrap_or_default()
    }
}

/// The bins along each axis: for each bin, the bounding box of its items and the number of its
/// items.
struct Bins {
    boxes: [[GridBox; MAX_BINS]; 3],
    counts: [[u32; MAX_BINS]; 3],
    used: usize,
    scale: BinScale,
}

/// The split with the least query cost, as estimated by the surface area heuristic.
struct BestSplit {
    axis: usize,
    /// The index of the last bin that belongs to the first group of the split.
    bin: u32,
    boxes: [GridBox; 2],
    scale: BinScale,
}

impl Bins {
    #[inline(always)]
    fn new(items: &[GridBox], least: [u32; 4], most: [u32; 4]) -> Self {
        let used: u32 = if items.len() < 32 { 8 } else { 16 };
        let mut rate = [0; 4];
        for ((rate, least), most) in rate.iter_mut().zip(least).zip(most) {
            *rate = used.wrapping_shl(16).checked_div(most.saturating_sub(least).saturating_add(1)).unwrap_or_default();
        }
        let scale = BinScale { least, rate };
        let used = crate::math::as_index(used);
        let mut bins = Self { boxes: [[EMPTY_BOX; MAX_BINS]; 3], counts: [[0; MAX_BINS]; 3], used, scale };
        for item in items {
            let [x, y, z, _] = scale.bins(item);
            for ((boxes, counts), bin) in bins.boxes.iter_mut().zip(&mut bins.counts).zip([x, y, z]) {
                let bin = crate::math::as_index(bin) % MAX_BINS;
                if let (Some(place), Some(count)) = (boxes.get_mut(bin), counts.get_mut(bin)) {
                    *place = place.union(*item);
                    *count = count.wrapping_add(1);
                }
            }
        }
        bins
    }

    #[inline(always)]
    fn best(&self, grid: &Grid) -> Option<BestSplit> {
        let mut best: Option<BestSplit> = None;
        let mut least = f32::INFINITY;
        for (axis, (boxes, counts)) in self.boxes.iter().zip(&self.counts).enumerate() {
            let mut behind = [(EMPTY_BOX, f32::INFINITY); MAX_BINS];
            let (mut all, mut count) = (EMPTY_BOX, 0_u32);
            for (bin, place) in behind.iter_mut().enumerate().take(self.used).rev() {
                // The bounding box of the items in all bins after the bin with index `bin`, and the
                // estimated query cost of the items in this bounding box.
                *place = (all, cost(&all, count, grid));
                all = all.union(boxes.get(bin).copied().unwrap_or(EMPTY_BOX));
                count = count.wrapping_add(counts.get(bin).copied().unwrap_or_default());
            }
            let (mut before, mut count) = (EMPTY_BOX, 0_u32);
            let steps = (0_u32..).zip(boxes.iter().zip(counts).zip(&behind)).take(self.used);
            for (bin, ((item, more), (after, after_cost))) in steps {
                before = before.union(*item);
                count = count.wrapping_add(*more);
                let total = cost(&before, count, grid) + after_cost;
                if total < least {
                    least = total;
                    best = Some(BestSplit { axis, bin, boxes: [before, *after], scale: self.scale });
                }
            }
        }
        best
    }
}

/// Returns the estimated query cost of a group of `count` items in the bounding box `item`, or
/// infinity if `count` is 0.
#[inline(always)]
fn cost(item: &GridBox, count: u32, grid: &Grid) -> f32 {
    #[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "an estimate")]
    let count_or_more = count as f32;
    if count == 0 { f32::INFINITY } else { item.area(grid) * count_or_more }
}

/// Moves the items for which `is_first` returns true to the start of the slice. Returns the number
/// of items that were moved to the start.
#[inline(always)]
fn partition(items: &mut [GridBox], is_first: impl Fn(&GridBox) -> bool) -> usize {
    let mut middle = 0_usize;
    let mut end = items.len();
    while middle < end {
        let [front, back] = [middle, end.wrapping_sub(1)];
        if items.get(front).is_some_and(&is_first) {
            middle = middle.wrapping_add(1);
        } else {
            items.swap(front, back);
            end = back;
        }
    }
    middle
}
