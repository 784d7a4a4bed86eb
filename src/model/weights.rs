//! Bone weights: a short list for each position.

use std::sync::OnceLock;

use crate::array::Packed;
use crate::array::runs::{CountedRuns, CountedRunsIter, RunIndex, TerminatedRuns, TerminatedRunsIter};
use crate::decode::influence3::RawInfluence3;
use crate::decode::influence4::RawInfluence4;
use crate::decode::{Decode as _, Influence, Influence3, Influence4};
use crate::io;
use crate::model::attributes::Influences;
use crate::model::fixed_influences::{FixedWeights, FixedWeightsIter};

/// The bone influences on each position of a surface, borrowed from the file.
///
/// Encoding vary in length, so the first random access builds an index: one walk over the weights, then 0.625 bytes per
/// vertex and two cache misses per look-up; where vertices have a fixed number of places, none is needed. Going through them in order needs no index and allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    lists: Encoding<'a>,
    /// Where the index is kept; without a place for one, lists are found by walking.
    index: Option<&'a OnceLock<Option<RunIndex>>>,
}

/// Looks at the influences on one position after another.
pub(crate) trait WeightVisitor {
    /// Why it looks no further.
    type Stop;

    /// Looks at the influences on the next position.
    fn vertex(&mut self, influences: impl Iterator<Item = Influence>) -> Result<(), Self::Stop>;
}

/// How formats tell where a list ends.
#[derive(Clone, Copy, Debug)]
enum Encoding<'a> {
    Counted(CountedRuns<'a, RawInfluence4>),
    Terminated(TerminatedRuns<'a>),
    Fixed(FixedWeights<'a>),
}

impl<'a> Weights<'a> {
    pub(crate) const fn from_counted(
        runs: CountedRuns<'a, RawInfluence4>,
        index: Option<&'a OnceLock<Option<RunIndex>>>,
    ) -> Self {
        Self { lists: Encoding::Counted(runs), index }
    }

    pub(crate) const fn from_terminated(
        runs: TerminatedRuns<'a>,
        index: Option<&'a OnceLock<Option<RunIndex>>>,
    ) -> Self {
        Self { lists: Encoding::Terminated(runs), index }
    }

    pub(crate) const fn from_fixed(lists: FixedWeights<'a>) -> Self {
        Self { lists: Encoding::Fixed(lists), index: None }
    }

    /// Returns the number of lists: one per position. Of a damaged file, the last may be missing.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.lists {
            Encoding::Counted(runs) => runs.len(),
            Encoding::Terminated(runs) => runs.len(),
            Encoding::Fixed(lists) => lists.len(),
        }
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the influences on position `vertex`; `None` where there is no such position.
    #[inline]
    #[must_use]
    pub fn get(&self, vertex: usize) -> Option<Influences<'a>> {
        if let Encoding::Fixed(lists) = &self.lists {
            return lists.get(vertex).map(Influences::Fixed);
        }
        let Some(index) = self.index.and_then(|index| index.get_or_init(|| self.build()).as_ref()) else {
            // Without the memory for an index, a walk still finds it.
            return self.iter().nth(vertex);
        };
        match &self.lists {
            Encoding::Counted(runs) => runs.get(index, vertex).map(counted_influences),
            Encoding::Terminated(runs) => runs.get(index, vertex).map(terminated_influences),
            Encoding::Fixed(lists) => lists.get(vertex).map(Influences::Fixed),
        }
    }

    /// Returns all lists in order. `for_each` and `fold` match the encoding once; `next` on each call.
    #[must_use]
    pub fn iter(&self) -> WeightsIter<'a> {
        match &self.lists {
            Encoding::Counted(runs) => WeightsIter(EncodingIter::Counted(runs.iter())),
            Encoding::Terminated(runs) => WeightsIter(EncodingIter::Terminated(runs.iter())),
            Encoding::Fixed(lists) => WeightsIter(EncodingIter::Fixed(lists.iter())),
        }
    }

    /// Shows the influences on each position to `visit`, in order, after prefetching them; the encoding is matched once, outside
    /// the loop. Stops with what the visitor stops with.
    pub(crate) fn visit<V: WeightVisitor>(&self, visit: &mut V) -> Result<(), V::Stop> {
        match &self.lists {
            Encoding::Counted(runs) => {
                io::prefetch(runs.as_bytes());
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence4.decode(raw))))
            }
            Encoding::Terminated(runs) => {
                io::prefetch(runs.as_bytes());
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence3.decode(raw))))
            }
            Encoding::Fixed(lists) => {
                lists.prefetch();
                lists.iter().try_for_each(|lanes| visit.vertex(lanes.as_slice().iter().copied()))
            }
        }
    }

    fn build(&self) -> Option<RunIndex> {
        match &self.lists {
            Encoding::Counted(runs) => runs.index(),
            Encoding::Terminated(runs) => runs.index(),
            Encoding::Fixed(_) => None,
        }
    }
}

#[inline]
fn counted_influences(raw: &[RawInfluence4]) -> Influences<'_> {
    Influences::Influence4(Packed::new(raw, Influence4))
}

#[inline]
fn terminated_influences(raw: &[RawInfluence3]) -> Influences<'_> {
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
pub struct WeightsIter<'a>(EncodingIter<'a>);

#[derive(Clone, Debug)]
enum EncodingIter<'a> {
    Counted(CountedRunsIter<'a, RawInfluence4>),
    Terminated(TerminatedRunsIter<'a>),
    Fixed(FixedWeightsIter<'a>),
}

impl<'a> Iterator for WeightsIter<'a> {
    type Item = Influences<'a>;

    #[inline]
    fn next(&mut self) -> Option<Influences<'a>> {
        match &mut self.0 {
            EncodingIter::Counted(runs) => runs.next().map(counted_influences),
            EncodingIter::Terminated(runs) => runs.next().map(terminated_influences),
            EncodingIter::Fixed(lists) => lists.next().map(Influences::Fixed),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            EncodingIter::Counted(runs) => runs.size_hint(),
            EncodingIter::Terminated(runs) => runs.size_hint(),
            EncodingIter::Fixed(lists) => lists.size_hint(),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Influences<'a>) -> B>(self, first: B, fold: F) -> B {
        match self.0 {
            EncodingIter::Counted(runs) => runs.map(counted_influences).fold(first, fold),
            EncodingIter::Terminated(runs) => runs.map(terminated_influences).fold(first, fold),
            EncodingIter::Fixed(lists) => lists.map(Influences::Fixed).fold(first, fold),
        }
    }
}
