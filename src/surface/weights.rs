//! Bone weights: a short list for each position.

use std::sync::OnceLock;

use super::Influences;
use crate::decode::influence::RawInfluence;
use crate::decode::joint::RawJoint;
use crate::decode::{Joint16, Weight16};
use crate::packed::Packed;
use crate::stream::{Ended, RunIndex, Runs};

/// The bone influences on each position of a surface, borrowed from the file.
///
/// Lists vary in length, so the first random access builds an index: one walk over the weights, then 0.625 bytes per
/// vertex and two cache misses per look-up. Going through them in order needs no index and allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    lists: Lists<'a>,
    /// Where the index is kept; without a place for one, lists are found by walking.
    index: Option<&'a OnceLock<Option<RunIndex>>>,
}

/// How formats tell where a list ends.
#[derive(Clone, Copy, Debug)]
enum Lists<'a> {
    Counted(Runs<'a, RawInfluence>),
    Ended(Ended<'a>),
}

impl<'a> Weights<'a> {
    pub(crate) const fn counted(runs: Runs<'a, RawInfluence>, index: &'a OnceLock<Option<RunIndex>>) -> Self {
        Self { lists: Lists::Counted(runs), index: Some(index) }
    }

    pub(crate) const fn ended(runs: Ended<'a>, index: Option<&'a OnceLock<Option<RunIndex>>>) -> Self {
        Self { lists: Lists::Ended(runs), index }
    }

    /// Returns the number of lists: one per position. Of a damaged file, the last may be missing.
    #[must_use]
    pub const fn len(&self) -> usize {
        match &self.lists {
            Lists::Counted(runs) => runs.len(),
            Lists::Ended(runs) => runs.len(),
        }
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the influences on position `vertex`; `None` where there is no such position.
    #[must_use]
    pub fn get(&self, vertex: usize) -> Option<Influences<'a>> {
        let index = self.index.and_then(|index| index.get_or_init(|| self.build()).as_ref());
        match (&self.lists, index) {
            (Lists::Counted(runs), Some(index)) => runs.get(index, vertex).map(counted),
            (Lists::Ended(runs), Some(index)) => runs.get(index, vertex).map(ended),
            // Without the memory for an index, a walk still finds it.
            _ => self.iter().nth(vertex),
        }
    }

    /// Returns all lists in order.
    pub fn iter(&self) -> impl Iterator<Item = Influences<'a>> + Clone + use<'a> {
        let (runs, others) = match self.lists {
            Lists::Counted(runs) => (Some(runs.iter()), None),
            Lists::Ended(runs) => (None, Some(runs.iter())),
        };
        runs.into_iter().flatten().map(counted).chain(others.into_iter().flatten().map(ended))
    }

    fn build(&self) -> Option<RunIndex> {
        match &self.lists {
            Lists::Counted(runs) => runs.index(),
            Lists::Ended(runs) => runs.index(),
        }
    }
}

fn counted(raw: &[RawInfluence]) -> Influences<'_> {
    Influences::Weight16(Packed::new(raw, Weight16))
}

fn ended(raw: &[RawJoint]) -> Influences<'_> {
    Influences::Joint16(Packed::new(raw, Joint16))
}
