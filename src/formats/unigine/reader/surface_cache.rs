//! The cached results of reading the weights and the shapes of a surface. Without this cache, the
//! weights would be read again for each access to an array after the weights, and all shapes before
//! a shape for each access to that shape.

use std::sync::OnceLock;

use super::arrays::Arrays;
use super::fields::{FieldReader, NoRegions};
use crate::array::runs::{RunIndex, RunTotals};
use crate::error::Result;
use crate::formats::unigine::layout::Generation;
use crate::math::as_index;
use crate::parse::room;

/// The number of shapes between two stored places.
const STEP: u32 = 16;

/// The cached results of reading the weights and the shapes of a surface.
#[derive(Debug, Default)]
pub(crate) struct SurfaceCache {
    /// The total size of all weight lists of the surface in bytes, the total number of influences,
    /// and the longest weight list.
    pub(crate) totals: OnceLock<RunTotals>,
    /// The index for random access to the weight lists.
    pub(crate) index: OnceLock<Option<RunIndex>>,
    /// The places of the shapes, if a shape was requested that is not among the first ones.
    pub(crate) targets: OnceLock<TargetIndex>,
}

// The documentation of `Mesh` states the number of bytes of memory per surface, so this check
// limits the size of the cache.
const _: () = assert!(size_of::<SurfaceCache>() <= 96);

/// The offsets of one shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetPlace {
    /// Offset of the header entry of the shape.
    pub(crate) entry: u64,
    /// Offset of the positions of the shape, or of their count.
    pub(crate) positions: u64,
}

/// The place of every 16th shape of a surface, without shape 0. It takes 1 byte per shape.
#[derive(Debug)]
pub(crate) struct TargetIndex(Box<[TargetPlace]>);

impl TargetIndex {
    /// Returns whether locating a shape from the first shape takes few steps.
    pub(crate) const fn is_near(target: u32) -> bool {
        target < STEP
    }

    /// Reads the header entries and the array counts of all shapes, up to the first damaged one.
    /// `entries` is at the first entry in the header, and `arrays` at the first array.
    pub(crate) fn new(
        mut entries: FieldReader<'_, NoRegions>,
        mut arrays: Arrays<'_, NoRegions>,
        targets: u32,
        generation: Generation,
    ) -> Result<Self> {
        let count = targets.saturating_sub(1).checked_div(STEP).unwrap_or_default();
        let mut places = room(generation.format(), "targets", as_index(count))?;
        for target in 0..targets {
            if target > 0 && target % STEP == 0 {
                let positions = arrays.reader.cursor.offset();
                places.push(TargetPlace { entry: entries.cursor.offset(), positions });
            }
            let passed = entries.target(generation).and_then(|_| arrays.next()).and_then(|_| arrays.next());
            if passed.is_err() {
                break;
            }
        }
        Ok(Self(places.into()))
    }

    /// Returns the last shape up to `target` whose place is stored, and its place.
    pub(crate) fn nearest(&self, target: u32) -> Option<(u32, TargetPlace)> {
        let known = as_index(target.checked_div(STEP)?).min(self.0.len());
        let place = self.0.get(known.checked_sub(1)?)?;
        Some((u32::try_from(known).ok()?.checked_mul(STEP)?, *place))
    }
}
