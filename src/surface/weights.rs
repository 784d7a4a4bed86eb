//! Bone weights: a short list for each position.

use std::sync::OnceLock;

use crate::decode::Weight16;
use crate::decode::influence::RawInfluence;
use crate::packed::Packed;
use crate::stream::{RunIndex, Runs};

/// The bone influences on each position of a surface, borrowed from the file.
///
/// Lists vary in length, so the first random access builds an index: one walk over the weights, then 0.625 bytes per
/// vertex and two cache misses per look-up. Going through them in order needs no index and allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    runs: Runs<'a, RawInfluence>,
    index: &'a OnceLock<Option<RunIndex>>,
}

impl<'a> Weights<'a> {
    pub(crate) const fn new(runs: Runs<'a, RawInfluence>, index: &'a OnceLock<Option<RunIndex>>) -> Self {
        Self { runs, index }
    }

    /// Returns the number of lists: one per position.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.runs.len()
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the influences on position `vertex`; `None` where there is no such position.
    #[must_use]
    pub fn get(&self, vertex: usize) -> Option<Packed<'a, Weight16>> {
        let raw = match self.index.get_or_init(|| self.runs.index()) {
            Some(index) => self.runs.get(index, vertex),
            // Without the memory for an index, a walk still finds it.
            None => self.runs.iter().nth(vertex),
        };
        raw.map(|raw| Packed::new(raw, Weight16))
    }

    /// Returns all lists in order.
    pub fn iter(&self) -> impl Iterator<Item = Packed<'a, Weight16>> + Clone + use<'a> {
        self.runs.iter().map(|raw| Packed::new(raw, Weight16))
    }
}
