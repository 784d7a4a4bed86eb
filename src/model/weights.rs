//! Bone weights: a short list of influences for each position.

use std::sync::OnceLock;

use crate::array::Packed;
use crate::array::runs::{CountedRuns, CountedRunsIter, RunIndex, TerminatedRuns, TerminatedRunsIter};
use crate::decode::influence3::RawInfluence3;
use crate::decode::influence4::RawInfluence4;
use crate::decode::{Decode as _, Influence, Influence3, Influence4};
use crate::error::debug::{item_count, short_debug};
use crate::io::{self, PrefetchList};
use crate::math::as_index;
use crate::model::attributes::{InfluenceEncoding, Influences};
use crate::model::fixed_influences::{FixedWeights, FixedWeightsIter};
use crate::simd;

mod histogram;
mod lanes;
#[cfg(feature = "rayon")]
mod par_weights;

pub(crate) use lanes::{InfluenceLanes, LANES};

/// The number of bytes that [`Weights::list_item`] adds from the start of a list of influences.
/// Almost all lists are shorter.
const LISTED_BYTES: usize = 64;

/// The influences of bones on each position of a surface, borrowed from the file.
///
/// The list of influences of a vertex can have any length, so the first random access builds an
/// index of the lists. Building the index of the lists reads all weights of the surface once. The
/// index takes 0.625 bytes of memory per vertex, and 4.625 bytes if the surface has at most 65,536;
/// each lookup causes two cache misses. Weights
/// with a fixed number of slots per vertex need no index of the lists. Iterating over all lists in
/// order needs none for any encoding, and allocates no memory.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    lists: Encoding<'a>,
    rules: SkinningRules,
    /// Storage for the index of the lists of influences. If `index` is `None`, the influences of a
    /// vertex are found by reading the lists of all vertices before it.
    index: Option<&'a OnceLock<Option<RunIndex>>>,
}

short_debug!(Weights<'_>: |weights| (item_count::<[Influence]>(weights.len())));

/// The rules of a format for vertices whose influences do not name the bones that move them.
///
/// Each format states its rules with the [`Weights`] of its surfaces, and
/// [`SkinnedSurface`](crate::model::animation::SkinnedSurface) follows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkinningRules {
    /// A vertex without weights keeps its position. A weight of a bone that is out of range is an
    /// error.
    #[default]
    Strict,
    /// A vertex without weights follows the first bone. The last bone replaces a bone that is out
    /// of range. Without bones, all positions are kept.
    Clamped,
}

/// A visitor that gets the influences on one position after another.
pub(crate) trait WeightVisitor {
    /// The type of the error with which the visitor stops.
    type Stop;

    /// Gets the influences on the next position.
    fn vertex(&mut self, influences: impl Iterator<Item = Influence>) -> Result<(), Self::Stop>;
}

/// The encoding of the lists of influences, which determines how the end of a list is found.
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
        Self { lists: Encoding::Counted(runs), index, rules: SkinningRules::Strict }
    }

    pub(crate) const fn from_terminated(
        runs: TerminatedRuns<'a>,
        index: Option<&'a OnceLock<Option<RunIndex>>>,
    ) -> Self {
        Self { lists: Encoding::Terminated(runs), index, rules: SkinningRules::Strict }
    }

    pub(crate) const fn from_fixed(lists: FixedWeights<'a>) -> Self {
        Self { lists: Encoding::Fixed(lists), index: None, rules: SkinningRules::Strict }
    }

    /// Sets the rules of the format for vertices without weights, and for bones out of range.
    pub(crate) const fn with_rules(self, rules: SkinningRules) -> Self {
        Self { rules, ..self }
    }

    /// Returns the rules of the format for vertices without weights, and for bones out of range.
    #[must_use]
    pub const fn skinning_rules(&self) -> SkinningRules {
        self.rules
    }

    /// Returns the number of lists of influences, which is the number of positions.
    ///
    /// In a damaged file, the lists of the last positions may be missing.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.lists {
            Encoding::Counted(runs) => runs.len(),
            Encoding::Terminated(runs) => runs.len(),
            Encoding::Fixed(lists) => lists.len(),
        }
    }

    /// Returns whether the surface has no lists of influences.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes from which the influences are read. Two surfaces with the same bytes share
    /// their influences.
    ///
    /// | weights in the file | bytes |
    /// |---|---|
    /// | a list for each vertex, with a count before it or a mark at its end | all lists in the file, with their counts and marks |
    /// | four slots in each record of a vertex | all records in the file, with the other attributes of the vertices |
    /// | four slots for each vertex in a text | the numbers of the vertices, with their other attributes, after they were parsed: little-endian, one attribute after another |
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        match &self.lists {
            Encoding::Counted(runs) => runs.as_bytes(),
            Encoding::Terminated(runs) => runs.as_bytes(),
            Encoding::Fixed(lists) => lists.as_bytes(),
        }
    }

    /// Returns the stored slots if every vertex has four of them.
    #[cfg(feature = "cli")]
    pub(crate) const fn slots(&self) -> Option<&FixedWeights<'a>> {
        if let Encoding::Fixed(lists) = &self.lists { Some(lists) } else { None }
    }

    /// Returns the same influences over `bytes`, which are a copy of [`as_bytes`](Self::as_bytes).
    ///
    /// Returns `None` if `bytes` does not have the same length. The returned weights have no index
    /// of the lists.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the bench of the program uses it"))]
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> Option<Weights<'b>>
    where
        Self: 'b,
    {
        let lists = match &self.lists {
            _ if bytes.len() != self.as_bytes().len() => return None,
            Encoding::Counted(runs) => Encoding::Counted(CountedRuns::new(bytes, runs.len())),
            Encoding::Terminated(runs) => Encoding::Terminated(TerminatedRuns::new(bytes, runs.len())),
            Encoding::Fixed(lists) => Encoding::Fixed(lists.over(bytes)?),
        };
        Some(Weights { lists, rules: self.rules, index: None })
    }

    /// Adds the bytes that [`get`](Self::get) reads for position `vertex` to a list of bytes that
    /// are prefetched together.
    ///
    /// These are all lists of influences if `get` is going to build the index of the lists. Adds
    /// nothing if `vertex` is out of range.
    pub fn list_item(&self, vertex: u32, list: &mut PrefetchList<'a>) {
        let vertex = as_index(vertex);
        if vertex >= self.len() {
            return;
        }
        let first = |bytes: &'a [u8]| bytes.split_at_checked(LISTED_BYTES).map_or(bytes, |(first, _)| first);
        match (&self.lists, self.index.and_then(|index| index.get()?.as_ref())) {
            (Encoding::Counted(runs), Some(index)) => list.push(first(runs.bytes_at(index, vertex))),
            (Encoding::Terminated(runs), Some(index)) => list.push(first(runs.bytes_at(index, vertex))),
            (Encoding::Counted(_) | Encoding::Terminated(_), None) => list.push(self.as_bytes()),
            (Encoding::Fixed(lists), _) => lists.list_item(vertex, list),
        }
    }

    /// Prefetches the first influence on position `vertex` into the caches of the processor, as
    /// [`Array::prefetch_to_cache`](crate::Array::prefetch_to_cache) does for an item.
    ///
    /// If the index of the lists is needed and not in memory, the method builds it, as
    /// [`get`](Self::get) does.
    #[inline]
    pub fn prefetch_to_cache(&self, vertex: u32) {
        let vertex = as_index(vertex);
        match (&self.lists, self.built_index()) {
            (Encoding::Counted(runs), Some(index)) => simd::prefetch_lines(runs.bytes_at(index, vertex), 1),
            (Encoding::Terminated(runs), Some(index)) => simd::prefetch_lines(runs.bytes_at(index, vertex), 1),
            (Encoding::Counted(_) | Encoding::Terminated(_), None) => {}
            (Encoding::Fixed(lists), _) => lists.prefetch_to_cache(vertex),
        }
    }

    /// Returns the influences on position `vertex`, or `None` if the index is out of range.
    ///
    /// [`Corner::position`](crate::Corner) is such an index.
    #[inline]
    #[must_use]
    pub fn get(&self, vertex: u32) -> Option<Influences<'a>> {
        let vertex = as_index(vertex);
        if let Encoding::Fixed(lists) = &self.lists {
            return lists.get(vertex).map(|array| Influences(InfluenceEncoding::Fixed(array)));
        }
        self.find(self.built_index(), vertex)
    }

    /// Returns the index of the lists, which the first call builds. Returns `None` if there is no
    /// place for the index.
    #[inline]
    fn built_index(&self) -> Option<&'a RunIndex> {
        self.index.and_then(|index| index.get_or_init(|| self.build()).as_ref())
    }

    /// Returns the influences on a position, which are found with the help of the index of the
    /// lists.
    #[inline]
    fn find(&self, index: Option<&RunIndex>, vertex: usize) -> Option<Influences<'a>> {
        let Some(index) = index else { return self.read_to(vertex) };
        match &self.lists {
            Encoding::Counted(runs) => runs.get(index, vertex).map(counted_influences),
            Encoding::Terminated(runs) => runs.get(index, vertex).map(terminated_influences),
            Encoding::Fixed(lists) => lists.get(vertex).map(|array| Influences(InfluenceEncoding::Fixed(array))),
        }
    }

    /// Returns the influences on a position, which are found by reading the lists of all positions
    /// before it.
    #[cold]
    fn read_to(&self, vertex: usize) -> Option<Influences<'a>> {
        self.iter().nth(vertex)
    }

    /// Advises the operating system that all lists of influences will soon be read in order
    /// ([`io::prefetch`]).
    pub fn prefetch(&self) {
        match &self.lists {
            Encoding::Fixed(lists) => lists.prefetch(),
            Encoding::Counted(_) | Encoding::Terminated(_) => io::prefetch(self.as_bytes()),
        }
    }

    /// Returns the influences on each position, in order.
    ///
    /// The lists have different lengths, so the iterator runs in one direction. In a damaged file,
    /// the iterator ends at the first list that is missing.
    ///
    /// The iterator methods `for_each` and `fold` match the encoding of the weights once. The
    /// iterator method `next` matches the encoding on each call.
    #[must_use]
    pub fn iter(&self) -> WeightsIter<'a> {
        match &self.lists {
            Encoding::Counted(runs) => WeightsIter(EncodingIter::Counted(runs.iter())),
            Encoding::Terminated(runs) => WeightsIter(EncodingIter::Terminated(runs.iter())),
            Encoding::Fixed(lists) => WeightsIter(EncodingIter::Fixed(lists.iter())),
        }
    }

    /// Returns a parallel iterator of `rayon` over the lists of influences, with the items of
    /// [`iter`](Self::iter) in the same order. A list that is missing in a damaged file is empty.
    ///
    /// The parallel iterator builds the index of the lists, like [`get`](Self::get).
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn par_iter(&self) -> impl rayon::iter::IndexedParallelIterator<Item = Influences<'a>> + use<'a> {
        par_weights::ParallelWeights(*self)
    }

    /// Returns the influences on the positions from `vertex`, which are found as by
    /// [`get`](Self::get).
    pub(crate) fn iter_at(&self, vertex: usize) -> WeightsIter<'a> {
        self.iter_from(self.built_index(), vertex)
    }

    /// Returns an iterator over the influences on the positions from `vertex`.
    fn iter_from(&self, index: Option<&RunIndex>, vertex: usize) -> WeightsIter<'a> {
        WeightsIter(match &self.lists {
            Encoding::Counted(runs) => EncodingIter::Counted(runs.iter_from(index, vertex)),
            Encoding::Terminated(runs) => EncodingIter::Terminated(runs.iter_from(index, vertex)),
            Encoding::Fixed(lists) => EncodingIter::Fixed(lists.iter_from(vertex)),
        })
    }

    /// Passes the influences on each position to `visit`, in order, after advising the operating
    /// system to prefetch the weights.
    ///
    /// The encoding of the weights is matched once, before the loop. `visit` stops at the first
    /// error that the visitor returns, and returns the same error.
    pub(crate) fn visit<V: WeightVisitor>(&self, visit: &mut V) -> Result<(), V::Stop> {
        self.prefetch();
        match &self.lists {
            Encoding::Counted(runs) => {
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence4.decode(raw))))
            }
            Encoding::Terminated(runs) => {
                runs.iter().try_for_each(|run| visit.vertex(run.iter().map(|raw| Influence3.decode(raw))))
            }
            Encoding::Fixed(lists) => lists.iter().try_for_each(|lanes| visit.vertex(lanes.as_slice().iter().copied())),
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
    Influences(InfluenceEncoding::Influence4(Packed::new(raw, Influence4)))
}

#[inline]
fn terminated_influences(raw: &[RawInfluence3]) -> Influences<'_> {
    Influences(InfluenceEncoding::Influence3(Packed::new(raw, Influence3)))
}

impl<'a> IntoIterator for Weights<'a> {
    type Item = Influences<'a>;
    type IntoIter = WeightsIter<'a>;

    fn into_iter(self) -> WeightsIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Weights<'a> {
    type Item = Influences<'a>;
    type IntoIter = WeightsIter<'a>;

    fn into_iter(self) -> WeightsIter<'a> {
        self.iter()
    }
}

/// An iterator over the lists of influences, in order, with one list per position.
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
            EncodingIter::Fixed(lists) => lists.next().map(|array| Influences(InfluenceEncoding::Fixed(array))),
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
    fn nth(&mut self, skipped: usize) -> Option<Influences<'a>> {
        match &mut self.0 {
            EncodingIter::Counted(runs) => runs.nth(skipped).map(counted_influences),
            EncodingIter::Terminated(runs) => runs.nth(skipped).map(terminated_influences),
            EncodingIter::Fixed(lists) => lists.nth(skipped).map(|array| Influences(InfluenceEncoding::Fixed(array))),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Influences<'a>) -> B>(self, first: B, fold: F) -> B {
        match self.0 {
            EncodingIter::Counted(runs) => runs.map(counted_influences).fold(first, fold),
            EncodingIter::Terminated(runs) => runs.map(terminated_influences).fold(first, fold),
            EncodingIter::Fixed(lists) => {
                lists.map(|array| Influences(InfluenceEncoding::Fixed(array))).fold(first, fold)
            }
        }
    }
}

impl std::iter::FusedIterator for WeightsIter<'_> {}
