//! The influences on a vertex, for outputs in which a vertex has a limited number of them.

// Rule: this file sorts and maps by copies only.

use crate::array::Array;
use crate::error::Result;
use crate::math::narrow;
use crate::model::{Influence, Influences};

/// The influences on a vertex: each bone once, from the greatest weight to the least.
#[derive(Debug, Default)]
pub(crate) struct InfluenceList(Vec<(usize, f32)>);

impl InfluenceList {
    /// Reads the influences on a vertex, and returns their number. At most `most` are kept, with
    /// weights whose sum is 1. `joint` returns the number of a bone in the output, or `None` to
    /// leave out its influence.
    pub(crate) fn fill(
        &mut self,
        influences: Option<&Influences<'_>>,
        most: usize,
        joint: impl Fn(i32) -> Result<Option<usize>>,
    ) -> Result<usize> {
        self.0.clear();
        let all = influences.into_iter().flat_map(Array::iter);
        for Influence { bone, weight } in all.filter(|one| one.weight > 0.0 && one.weight.is_finite()) {
            let Some(joint) = joint(bone)? else { continue };
            match self.0.iter_mut().find(|(other, _)| *other == joint) {
                Some((_, sum)) => *sum += weight,
                None => self.0.push((joint, weight)),
            }
        }
        let count = self.0.len();
        self.0.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        self.0.truncate(most);
        let sum: f64 = self.0.iter().map(|(_, weight)| f64::from(*weight)).sum();
        for (_, weight) in &mut self.0 {
            *weight = narrow(f64::from(*weight) / sum);
        }
        // A weight may be too small for a share of an `f32`, and a joint without weight is 0.
        self.0.retain(|(_, weight)| *weight > 0.0);
        Ok(count)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the only joint of a vertex without weights.
    pub(crate) fn set_only(&mut self, joint: usize) {
        self.0.clear();
        self.0.push((joint, 1.0));
    }

    /// Returns the joint and the weight at a place, which are 0 after the last influence.
    pub(crate) fn get(&self, place: usize) -> (usize, f32) {
        self.0.get(place).copied().unwrap_or_default()
    }
}
