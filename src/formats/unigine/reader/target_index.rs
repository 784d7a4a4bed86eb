//! The places of the shapes (targets) of a surface. A shape of a surface with many shapes is
//! located from a stored place near it, and not by a walk over all shapes before it.

use super::arrays::Arrays;
use super::fields::{FieldReader, NoRegions};
use crate::error::Result;
use crate::formats::unigine::layout::Generation;
use crate::math::as_index;
use crate::parse::room;

/// The number of shapes between two stored places.
const STEP: u32 = 16;

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
