//! Bone weights: a short list for each position.

use std::sync::OnceLock;

use crate::array::Packed;
use crate::array::runs::{self, CountedRuns, RunIndex, TerminatedRuns, TerminatedRunsIter};
use crate::decode::influence3::RawInfluence3;
use crate::decode::influence4::RawInfluence4;
use crate::decode::{Decode as _, Influence, Influence3, Influence4};
use crate::io;
use crate::model::attributes::Influences;
use crate::model::fixed_influences::{FixedWeights, FixedWeightsIter};

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
    Counted(CountedRuns<'a, RawInfluence4>),
    TerminatedRuns(TerminatedRuns<'a>),
    Fixed(FixedWeights<'a>),
}

impl<'a> Weights<'a> {
    pub(crate) const fn counted(
        runs: CountedRuns<'a, RawInfluence4>,
        index: Option<&'a OnceLock<Option<RunIndex>>>,
    ) -> Self {
        Self { lists: Lists::Counted(runs), index }
    }

    pub(crate) const fn ended(runs: TerminatedRuns<'a>, index: Option<&'a OnceLock<Option<RunIndex>>>) -> Self {
        Self { lists: Lists::TerminatedRuns(runs), index }
    }

    pub(crate) const fn lanes(lists: FixedWeights<'a>) -> Self {
        Self { lists: Lists::Fixed(lists), index: None }
    }

    /// Returns the number of lists: one per position. Of a damaged file, the last may be missing.
    #[must_use]
    pub const fn len(&self) -> usize {
        match &self.lists {
            Lists::Counted(runs) => runs.len(),
            Lists::TerminatedRuns(runs) => runs.len(),
            Lists::Fixed(lists) => lists.len(),
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
        if let Lists::Fixed(lists) = &self.lists {
            return lists.get(vertex).map(Influences::Fixed);
        }
        let Some(index) = self.index.and_then(|index| index.get_or_init(|| self.build()).as_ref()) else {
            // Without the memory for an index, a walk still finds it.
            return self.iter().nth(vertex);
        };
        match &self.lists {
            Lists::Counted(runs) => runs.get(index, vertex).map(counted),
            Lists::TerminatedRuns(runs) => runs.get(index, vertex).map(ended),
            Lists::Fixed(lists) => lists.get(vertex).map(Influences::Fixed),
        }
    }

    /// Returns all lists in order. `for_each` and `fold` match the encoding once; `next` on each call.
    #[must_use]
    pub fn iter(&self) -> WeightsIter<'a> {
        match &self.lists {
            Lists::Counted(runs) => WeightsIter(Iter::Counted(runs.iter())),
            Lists::TerminatedRuns(runs) => WeightsIter(Iter::TerminatedRuns(runs.iter())),
            Lists::Fixed(lists) => WeightsIter(Iter::Fixed(lists.iter())),
        }
    }

    /// Shows the influences on each position to `visit`, in order, after prefetching them; the encoding is matched once, outside
    /// the loop. Stops with what the visitor stops with.
    pub(crate) fn visit<V: Visit>(&self, visit: &mut V) -> Result<(), V::Stop> {
        match &self.lists {
            Lists::Counted(runs) => {
                io::prefetch(runs.as_bytes());
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence4.decode(raw))))
            }
            Lists::TerminatedRuns(runs) => {
                io::prefetch(runs.as_bytes());
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence3.decode(raw))))
            }
            Lists::Fixed(lists) => {
                lists.prefetch();
                lists.iter().try_for_each(|lanes| visit.vertex(lanes.as_slice().iter().copied()))
            }
        }
    }

    fn build(&self) -> Option<RunIndex> {
        match &self.lists {
            Lists::Counted(runs) => runs.index(),
            Lists::TerminatedRuns(runs) => runs.index(),
            Lists::Fixed(_) => None,
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
    Counted(runs::Iter<'a, RawInfluence4>),
    TerminatedRuns(TerminatedRunsIter<'a>),
    Fixed(FixedWeightsIter<'a>),
}

impl<'a> Iterator for WeightsIter<'a> {
    type Item = Influences<'a>;

    #[inline]
    fn next(&mut self) -> Option<Influences<'a>> {
        match &mut self.0 {
            Iter::Counted(runs) => runs.next().map(counted),
            Iter::TerminatedRuns(runs) => runs.next().map(ended),
            Iter::Fixed(lists) => lists.next().map(Influences::Fixed),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Iter::Counted(runs) => runs.size_hint(),
            Iter::TerminatedRuns(runs) => runs.size_hint(),
            Iter::Fixed(lists) => lists.size_hint(),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Influences<'a>) -> B>(self, first: B, fold: F) -> B {
        match self.0 {
            Iter::Counted(runs) => runs.map(counted).fold(first, fold),
            Iter::TerminatedRuns(runs) => runs.map(ended).fold(first, fold),
            Iter::Fixed(lists) => lists.map(Influences::Fixed).fold(first, fold),
        }
    }
}
