//! Chooses whether the leaves of a tree refer to triangles in file order, or in an order that the
//! tree stores.
//!
//! If triangles that are consecutive in the file are also close in space, a leaf is a cluster of
//! consecutive triangles of the file. A cluster has four or eight triangles, or fewer if it is cut
//! at the end of a row of triangles. If consecutive triangles are not close in space, the tree
//! stores a list of triangle indices in another order, and a leaf is a range of that list.

use std::ops::Range;

use crate::array::Bounds;
use crate::bvh::lanes::LANES;
use crate::bvh::layout::COUNT_BITS;
use crate::bvh::triangles::Triangles;

/// The maximum number of triangles of a surface whose leaves can start at any triangle. If a
/// surface has more than 2^29 triangles, a leaf can only start at a multiple of the cluster size.
pub(crate) const MAX_NAMED_TRIANGLES: u32 = 1 << (32 - COUNT_BITS);
/// A cluster may be cut in two if the surface area of its bounding box is more than this multiple
/// of the average surface area of a cluster's bounding box.
pub(crate) const MIN_AREA_RATIO_TO_CUT: f64 = 4.0;
/// The maximum fraction of the clusters that may be cut in two.
const MAX_CUT_FRACTION: f64 = 1.0 / 16.0;
/// The maximum number of clusters that are examined to choose the order of triangles.
const MAX_SAMPLES: u32 = 1 << 14;

/// The order of triangles that the leaves of a tree refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LeafOrder {
    /// Each leaf is a cluster of `size` consecutive triangles of the file, or fewer if the cluster
    /// was cut in two.
    ///
    /// `typical_area` is half the average surface area of the bounding boxes of clusters.
    FileRuns { size: u32, typical_area: f64 },
    /// Each leaf is a range of the list of triangle indices that the tree stores.
    Permuted,
}

impl LeafOrder {
    pub(crate) const fn cluster(self) -> u32 {
        match self {
            Self::FileRuns { size, .. } => size,
            Self::Permuted => 1,
        }
    }
}

/// Encodes the range of triangle indices of an item as one `u32`.
///
/// The range is encoded like the reference to a leaf in a node. If the surface has more than 2^29
/// triangles, the returned number is the index of the cluster. If each cluster has one triangle,
/// the returned number is the index of the triangle.
pub(crate) fn encode_run(range: &Range<u32>, cluster: u32, triangles: u32) -> u32 {
    match cluster {
        1 => range.start,
        _ if triangles > MAX_NAMED_TRIANGLES => range.start.checked_div(cluster).unwrap_or_default(),
        _ => {
            let more = range.end.saturating_sub(range.start).wrapping_sub(1);
            range.start.wrapping_shl(COUNT_BITS) | more & ((1 << COUNT_BITS) - 1)
        }
    }
}

/// Chooses the order of triangles that leaves refer to. The choice compares the surface areas of
/// the bounding boxes of single triangles and of four and eight consecutive triangles.
pub(crate) fn choose_order(triangles: &Triangles<'_>) -> LeafOrder {
    let clusters = triangles.len().div_ceil(8);
    let step = clusters.div_ceil(MAX_SAMPLES).max(1);
    let (mut single, mut of_four, mut of_eight, mut looked_at) = (0.0, 0.0, 0.0, 0.0);
    let (mut whole_of_four, mut whole_of_eight, mut cuts) = (0.0, 0.0, 0.0);
    let mut cluster = 0;
    while cluster < clusters {
        let first = cluster.saturating_mul(8);
        let range = first..triangles.len().min(first.saturating_add(8));
        let boxes = triangles.block::<false>(&triangles.corner_indices(range)).bounds_of_each();
        let (one, two) = boxes.split_at(LANES / 2);
        single += boxes.iter().map(half_area).sum::<f64>();
        let [one, two, both] = [one, two, &boxes].map(RunCut::of);
        of_four += one.area + two.area;
        of_eight += both.area;
        whole_of_four += one.whole + two.whole;
        whole_of_eight += both.whole;
        cuts += if both.at.is_some() { 1.0 } else { 0.0 };
        cluster = cluster.saturating_add(step);
        looked_at += 1.0;
    }
    // If more than 1/16 of the clusters would be cut in two, the ends of rows of triangles cannot
    // be the only cause, and the order of triangles is chosen with the areas of the uncut clusters.
    if cuts > looked_at * MAX_CUT_FRACTION {
        (of_four, of_eight) = (whole_of_four, whole_of_eight);
    }
    match () {
        () if of_four > single * 2.0 => LeafOrder::Permuted,
        () if of_eight > of_four * 1.3 => LeafOrder::FileRuns { size: 4, typical_area: of_four / looked_at / 2.0 },
        () => LeafOrder::FileRuns { size: 8, typical_area: of_eight / looked_at },
    }
}

/// The triangle at which a cluster is cut in two, if cutting makes the bounding boxes much smaller.
pub(crate) struct RunCut {
    /// The number of triangles in the first part of a cluster that is cut in two, or `None` if the
    /// cluster is not cut.
    pub(crate) at: Option<u32>,
    /// Half the sum of the surface areas of the bounding boxes of a cluster's two parts, or half
    /// the surface area of the cluster's bounding box if the cluster is not cut.
    area: f64,
    /// Half the surface area of the cluster's bounding box.
    whole: f64,
}

impl RunCut {
    /// Finds the cut for which the bounding boxes of the two parts have the least total surface
    /// area. The cluster is cut only if the total surface area of the two bounding boxes is less
    /// than half of the surface area of the cluster's bounding box.
    ///
    /// `boxes` are the bounding boxes of up to eight triangles, empty after the last triangle.
    #[inline]
    pub(crate) fn of(boxes: &[Bounds]) -> Self {
        let mut behind = [0.0; LANES];
        let mut all = Bounds::EMPTY;
        for (area, bounds) in behind.iter_mut().zip(boxes).rev() {
            all = all.union(bounds);
            *area = half_area(&all);
        }
        let whole = half_area(&all);
        let (mut best, mut front) = (Self { at: None, area: whole / 2.0, whole }, Bounds::EMPTY);
        for ((bounds, behind), at) in boxes.iter().zip(behind.iter().skip(1)).zip(1..) {
            front = front.union(bounds);
            let area = half_area(&front) + behind;
            if area < best.area {
                best = Self { at: Some(at), area, whole };
            }
        }
        if best.at.is_none() { Self { area: whole, ..best } } else { best }
    }
}

/// Returns half the surface area of a bounding box, or 0 for an empty box.
pub(crate) fn half_area(bounds: &Bounds) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    let side = |axis: usize| {
        let [min, max] = [bounds.min, bounds.max].map(|corner| corner.get(axis).copied().map_or(0.0, f64::from));
        max - min
    };
    let [x, y, z] = [side(0), side(1), side(2)];
    x * y + y * z + z * x
}
