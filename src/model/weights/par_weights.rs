//! The parallel iterator over the lists of influences of bone weights.

use std::ops::Range;

use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use super::{Encoding, Weights, WeightsIter};
use crate::array::Packed;
use crate::array::runs::RunIndex;
use crate::decode::Influence4;
use crate::model::attributes::{InfluenceEncoding, Influences};

/// A parallel iterator over the lists of influences.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParallelWeights<'a>(pub(super) Weights<'a>);

impl<'a> ParallelIterator for ParallelWeights<'a> {
    type Item = Influences<'a>;

    fn drive_unindexed<C: UnindexedConsumer<Influences<'a>>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<'a> IndexedParallelIterator for ParallelWeights<'a> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<Influences<'a>>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<B: ProducerCallback<Influences<'a>>>(self, callback: B) -> B::Output {
        let built;
        let index = match (&self.0.lists, self.0.index) {
            (Encoding::Fixed(_), _) => None,
            (_, Some(index)) => index.get_or_init(|| self.0.build()).as_ref(),
            (_, None) => {
                built = self.0.build();
                built.as_ref()
            }
        };
        callback.callback(WeightsPart { weights: self.0, index, range: 0..self.0.len() })
    }
}

/// A part of the lists of influences.
struct WeightsPart<'a, 'i> {
    weights: Weights<'a>,
    index: Option<&'i RunIndex>,
    range: Range<usize>,
}

impl<'a, 'i> Producer for WeightsPart<'a, 'i> {
    type Item = Influences<'a>;
    type IntoIter = WeightsPartIter<'a, 'i>;

    fn into_iter(self) -> WeightsPartIter<'a, 'i> {
        WeightsPartIter { front: self.weights.iter_from(self.index, self.range.start), rest: self }
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let middle = self.range.start.saturating_add(index).min(self.range.end);
        let (before, after) = (self.range.start..middle, middle..self.range.end);
        (Self { range: before, ..self }, Self { range: after, ..self })
    }
}

/// An iterator over a part of the lists of influences, from both ends.
struct WeightsPartIter<'a, 'i> {
    front: WeightsIter<'a>,
    rest: WeightsPart<'a, 'i>,
}

/// Replaces a list that is missing in a damaged file.
fn or_empty(list: Option<Influences<'_>>) -> Influences<'_> {
    list.unwrap_or(Influences(InfluenceEncoding::Influence4(Packed::new(&[], Influence4))))
}

impl<'a> Iterator for WeightsPartIter<'a, '_> {
    type Item = Influences<'a>;

    fn next(&mut self) -> Option<Influences<'a>> {
        self.rest.range.next()?;
        Some(or_empty(self.front.next()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.range.size_hint()
    }
}

impl DoubleEndedIterator for WeightsPartIter<'_, '_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let vertex = self.rest.range.next_back()?;
        Some(or_empty(self.rest.weights.find(self.rest.index, vertex)))
    }
}

impl ExactSizeIterator for WeightsPartIter<'_, '_> {}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;
    use crate::array::Array as _;
    use crate::array::runs::{CountedRuns, TerminatedRuns};
    use crate::decode::influence3::RawInfluence3;

    type List = Vec<(i32, u32)>;

    fn list(influences: Influences<'_>) -> List {
        influences.iter().map(|one| (one.bone, one.weight.to_bits())).collect()
    }

    /// Compares the parallel iterator with `iter`. The lists after the end of `iter` are empty.
    fn agree(weights: Weights<'_>) {
        let mut all: Vec<List> = weights.iter().map(list).collect();
        all.resize(weights.len(), Vec::new());
        for length in [1, 3, 1000] {
            let lists = weights.par_iter().with_max_len(length);
            assert_eq!(lists.map(list).collect::<Vec<_>>(), all);
            let backward: Vec<_> = weights.par_iter().with_max_len(length).rev().map(list).collect();
            assert!(backward.iter().rev().eq(&all));
        }
        for start in 0..=all.len() {
            let index = weights.build();
            for index in [None, index.as_ref()] {
                let rest = WeightsPart { weights, index, range: start..all.len() }.into_iter();
                assert!(rest.map(list).eq(all[start..].iter().cloned()), "from {start}");
            }
        }
    }

    #[test]
    fn lists_in_parallel_are_those_in_order() {
        let (mut counted, mut terminated) = (Vec::new(), Vec::new());
        for vertex in 0..150_u8 {
            let count = usize::from(vertex.wrapping_mul(7) % 5);
            // One list is too long for the sizes in the index.
            let long = if vertex == 70 { 20 } else { count };
            counted.push(u8::try_from(long).unwrap());
            counted.extend((0..long * 4).map(|_| vertex));
            terminated.extend((0..count * size_of::<RawInfluence3>()).map(|_| vertex));
            terminated.extend((count < 4).then_some(255));
        }
        for cut in [0, 1, 100, 300, usize::MAX] {
            for storage in [None, Some(&OnceLock::new())] {
                let bytes = &counted[..counted.len().saturating_sub(cut)];
                agree(Weights::from_counted(CountedRuns::new(bytes, 150), storage));
            }
            for storage in [None, Some(&OnceLock::new())] {
                let bytes = &terminated[..terminated.len().saturating_sub(cut)];
                agree(Weights::from_terminated(TerminatedRuns::new(bytes, 150), storage));
            }
        }
    }
}
