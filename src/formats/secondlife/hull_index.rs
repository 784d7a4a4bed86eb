//! [`HullIndex`]: the places of the arrays of convex hulls in an inflated block, and the first
//! point of every 64th hull, so that a hull is found without a walk over those before it.

use std::ops::Range;

use super::physics::hull_size;
use crate::decode::MinMax16;
use crate::error::Result;
use crate::math::as_u64;
use crate::parse::room;

/// The number of hulls between two stored starts.
const STEP: usize = 64;

/// The places of the arrays of a block of convex hulls. Each place is `None` if the block does not
/// have the array, or the error of reading the array.
#[derive(Debug)]
pub(super) struct HullIndex {
    /// The byte range of the stored sizes in the inflated block.
    pub(super) sizes: Result<Option<Range<usize>>>,
    /// The points of all hulls.
    pub(super) points: Result<Option<PointRange>>,
    /// The points of the bounding hull.
    pub(super) bounding: Result<Option<PointRange>>,
    starts: Vec<u64>,
}

/// The byte range of points in the inflated block, and the box to which the points are relative.
#[derive(Clone, Debug)]
pub(super) struct PointRange {
    pub(super) bytes: Range<usize>,
    pub(super) domain: MinMax16<3>,
}

impl HullIndex {
    /// Adds the sizes of the hulls in `stored`. Takes 1 byte for each 8 hulls.
    pub(super) fn new(
        stored: &[u8],
        sizes: Result<Option<Range<usize>>>,
        points: Result<Option<PointRange>>,
        bounding: Result<Option<PointRange>>,
    ) -> Result<Self> {
        let mut starts = room(super::layout::FORMAT, "HullList", stored.len().div_ceil(STEP))?;
        let mut start = 0_u64;
        for sizes in stored.chunks(STEP) {
            starts.push(start);
            start = start.saturating_add(as_u64(point_count(sizes)));
        }
        Ok(Self { sizes, points, bounding, starts })
    }

    /// Returns the index of the first point of a hull. `sizes` are the stored sizes of all hulls.
    pub(super) fn start(&self, sizes: &[u8], hull: usize) -> usize {
        let step = hull.checked_div(STEP).unwrap_or_default();
        let start = self.starts.get(step).and_then(|start| usize::try_from(*start).ok()).unwrap_or(usize::MAX);
        let before = sizes.get(step.saturating_mul(STEP)..hull).unwrap_or_default();
        start.saturating_add(point_count(before))
    }
}

/// Returns the number of points of some hulls.
fn point_count(sizes: &[u8]) -> usize {
    sizes.iter().fold(0, |sum: usize, size| sum.saturating_add(hull_size(*size)))
}
