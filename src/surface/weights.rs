//! Bone weights: a short list for each position.

use std::sync::OnceLock;

use super::Influences;
use super::lanes::{LaneIter, LaneLists};
use crate::decode::influence3::RawInfluence3;
use crate::decode::influence4::RawInfluence4;
use crate::decode::{Decode as _, Influence, Influence3, Influence4};
use crate::packed::Packed;
use crate::source;
use crate::stream::{self, Ended, EndedIter, RunIndex, Runs};

/// The bone influences on each position of a surface, borrowed from the file.
///
/// Lists vary in length, so the first random access builds an index: one walk over the weights, then 0.625 bytes per
/// vertex and two cache misses per look-up; where vertices have a fixed number of places, none is needed. Going through them in order needs no index and allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    lists: Lists<'a>,
    /// Where the index is kept; without a place for one, lists are found by walking.
    index: Option<&'a OnceLock<Option<RunIndex>>>,
}

/// Looks at the influences on one position after another.
pub(crate) trait Visit {
    /// Why it looks no further.
    type Stop;

    /// Looks at the influences on the next position.
    fn vertex(&mut self, influences: impl Iterator<Item = Influence>) -> Result<(), Self::Stop>;
}

/// How formats tell where a list ends.
#[derive(Clone, Copy, Debug)]
enum Lists<'a> {
    Counted(Runs<'a, RawInfluence4>),
    Ended(Ended<'a>),
    Lanes(LaneLists<'a>),
}

impl<'a> Weights<'a> {
    pub(crate) const fn counted(runs: Runs<'a, RawInfluence4>, index: Option<&'a OnceLock<Option<RunIndex>>>) -> Self {
        Self { lists: Lists::Counted(runs), index }
    }

    pub(crate) const fn ended(runs: Ended<'a>, index: Option<&'a OnceLock<Option<RunIndex>>>) -> Self {
        Self { lists: Lists::Ended(runs), index }
    }

    pub(crate) const fn lanes(lists: LaneLists<'a>) -> Self {
        Self { lists: Lists::Lanes(lists), index: None }
    }

    /// Returns the number of lists: one per position. Of a damaged file, the last may be missing.
    #[must_use]
    pub const fn len(&self) -> usize {
        match &self.lists {
            Lists::Counted(runs) => runs.len(),
            Lists::Ended(runs) => runs.len(),
            Lists::Lanes(lists) => lists.len(),
        }
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the influences on position `vertex`; `None` where there is no such position.
    #[inline]
    #[must_use]
    pub fn get(&self, vertex: usize) -> Option<Influences<'a>> {
        if let Lists::Lanes(lists) = &self.lists {
            return lists.get(vertex).map(Influences::Lanes);
        }
        let Some(index) = self.index.and_then(|index| index.get_or_init(|| self.build()).as_ref()) else {
            // Without the memory for an index, a walk still finds it.
            return self.iter().nth(vertex);
        };
        match &self.lists {
            Lists::Counted(runs) => runs.get(index, vertex).map(counted),
            Lists::Ended(runs) => runs.get(index, vertex).map(ended),
            Lists::Lanes(lists) => lists.get(vertex).map(Influences::Lanes),
        }
    }

    /// Returns all lists in order. `for_each` and `fold` match the encoding once; `next` on each call.
    #[must_use]
    pub fn iter(&self) -> WeightsIter<'a> {
        match &self.lists {
            Lists::Counted(runs) => WeightsIter(Iter::Counted(runs.iter())),
            Lists::Ended(runs) => WeightsIter(Iter::Ended(runs.iter())),
            Lists::Lanes(lists) => WeightsIter(Iter::Lanes(lists.iter())),
        }
    }

    /// Shows the influences on each position to `visit`, in order, after prefetching them; the encoding is matched once, outside
    /// the loop. Stops with what the visitor stops with.
    pub(crate) fn visit<V: Visit>(&self, visit: &mut V) -> Result<(), V::Stop> {
        match &self.lists {
            Lists::Counted(runs) => {
                source::prefetch(runs.as_bytes());
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence4.decode(raw))))
            }
            Lists::Ended(runs) => {
                source::prefetch(runs.as_bytes());
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence3.decode(raw))))
            }
            Lists::Lanes(lists) => {
                lists.prefetch();
                lists.iter().try_for_each(|lanes| visit.vertex(lanes.as_slice().iter().copied()))
            }
        }
    }

    fn build(&self) -> Option<RunIndex> {
        match &self.lists {
            Lists::Counted(runs) => runs.index(),
            Lists::Ended(runs) => runs.index(),
            Lists::Lanes(_) => None,
        }
    }
}

#[inline]
fn counted(raw: &[RawInfluence4]) -> Influences<'_> {
    Influences::Influence4(Packed::new(raw, Influence4))
}

#[inline]
fn ended(raw: &[RawInfluence3]) -> Influences<'_> {
    Influences::Influence3(Packed::new(raw, Influence3))
}

impl<'a> IntoIterator for &Weights<'a> {
    type Item = Influences<'a>;
    type IntoIter = WeightsIter<'a>;

    fn into_iter(self) -> WeightsIter<'a> {
        self.iter()
    }
}

/// Goes through the lists of influences, in order.
#[derive(Clone, Debug)]
pub struct WeightsIter<'a>(Iter<'a>);

#[derive(Clone, Debug)]
enum Iter<'a> {
    Counted(stream::Iter<'a, RawInfluence4>),
    Ended(EndedIter<'a>),
    Lanes(LaneIter<'a>),
}

impl<'a> Iterator for WeightsIter<'a> {
    type Item = Influences<'a>;

    #[inline]
    fn next(&mut self) -> Option<Influences<'a>> {
        match &mut self.0 {
            Iter::Counted(runs) => runs.next().map(counted),
            Iter::Ended(runs) => runs.next().map(ended),
            Iter::Lanes(lists) => lists.next().map(Influences::Lanes),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Iter::Counted(runs) => runs.size_hint(),
            Iter::Ended(runs) => runs.size_hint(),
            Iter::Lanes(lists) => lists.size_hint(),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Influences<'a>) -> B>(self, first: B, fold: F) -> B {
        match self.0 {
            Iter::Counted(runs) => runs.map(counted).fold(first, fold),
            Iter::Ended(runs) => runs.map(ended).fold(first, fold),
            Iter::Lanes(lists) => lists.map(Influences::Lanes).fold(first, fold),
        }
    }
}
