//! The places of the parts of an inflated block, which are found once: a [`HullIndex`] for the
//! arrays of convex hulls, and a [`SkinIndex`] for the joints of a skin.

use std::ops::Range;

use super::physics::hull_size;
use crate::decode::MinMax16;
use crate::error::Result;
use crate::math::as_u64;
use crate::model::Axis;
use crate::model::animation::Affine;
use crate::parse::room;

/// The number of hulls between two stored starts.
const STEP: usize = 64;
/// The axes that point up and to the front of an avatar in the virtual world.
pub(super) const AVATAR_AXES: (Axis, Axis) = (Axis::Z, Axis::X);

/// The parents of the joints of a skin, and its axes and placement.
#[derive(Debug)]
pub(super) struct SkinIndex {
    /// The index of the parent of each joint, or -1 for a root.
    pub(super) parents: Vec<i32>,
    /// The bind shape matrix, or the identity if viewers ignore the skin.
    pub(super) placement: Affine,
    /// The axes of the bind space that point up and to the front of the avatar.
    pub(super) axes: (Axis, Axis),
}

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
