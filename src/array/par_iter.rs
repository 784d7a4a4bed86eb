//! The parallel iterator over the items of an array.

use std::ops::Range;

use bytemuck::Zeroable;
use rayon::iter::plumbing::{Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::array::access::Array;

/// The number of items that a thread decodes before it checks whether the result is complete.
const BLOCK_ITEMS: usize = 1024;

/// A parallel iterator over the items of an array, and a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParallelArray<A>(pub(crate) A);

impl<A: Array> ParallelArray<A> {
    /// Splits the array at `index`, or at its end if `index` is greater than its length.
    fn halves(&self, index: usize) -> Option<(A, A)> {
        let index = index.min(self.0.len());
        Some((self.0.slice(0..index)?, self.0.slice(index..self.0.len())?))
    }
}

impl<A: Array<Item: Send> + Send> ParallelIterator for ParallelArray<A> {
    type Item = A::Item;

    fn drive_unindexed<C: UnindexedConsumer<A::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<A: Array<Item: Send> + Send> IndexedParallelIterator for ParallelArray<A> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<A::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<B: ProducerCallback<A::Item>>(self, callback: B) -> B::Output {
        callback.callback(self)
    }
}

impl<A: Array<Item: Send> + Send> Producer for ParallelArray<A> {
    type Item = A::Item;
    type IntoIter = ZeroFilled<A>;

    fn into_iter(self) -> ZeroFilled<A> {
        ZeroFilled { left: 0..self.0.len(), array: self.0 }
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (before, after) = self.halves(index).unwrap_or((self.0, self.0));
        (Self(before), Self(after))
    }

    /// Decodes the items block by block. The encoding of the array is selected once for each block.
    fn fold_with<F: Folder<A::Item>>(self, mut folder: F) -> F {
        let mut rest = self;
        while !rest.0.is_empty() && !folder.full() {
            let Some((block, after)) = rest.halves(BLOCK_ITEMS) else { return folder };
            let block = Self(block).into_iter();
            folder = block.fold(folder, |folder, item| if folder.full() { folder } else { folder.consume(item) });
            rest = Self(after);
        }
        folder
    }
}

/// An iterator over a part of an array, which replaces missing items by zeros.
///
/// A parallel iterator must return as many items as it has announced. If an item is missing,
/// [`ArrayIter`](crate::array::ArrayIter) returns fewer.
pub(crate) struct ZeroFilled<A> {
    array: A,
    left: Range<usize>,
}

impl<A: Array> ZeroFilled<A> {
    #[inline]
    fn decode(&self, index: usize) -> A::Item {
        self.array.get(index).unwrap_or_else(Zeroable::zeroed)
    }
}

impl<A: Array> Iterator for ZeroFilled<A> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        self.left.next().map(|index| self.decode(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<A::Item> {
        self.left.nth(skipped).map(|index| self.decode(index))
    }

    /// Decodes the items with `fold` of the array, up to the first item that is missing.
    #[inline]
    fn fold<B, F: FnMut(B, A::Item) -> B>(self, first: B, mut fold: F) -> B {
        let Range { start: mut next, end } = self.left;
        let mut folded = first;
        if let Some(rest) = self.array.slice(next..end) {
            folded = rest.fold(folded, |folded, item| {
                next = next.saturating_add(1);
                fold(folded, item)
            });
        }
        (next..end).map(|index| self.decode(index)).fold(folded, fold)
    }
}

impl<A: Array> DoubleEndedIterator for ZeroFilled<A> {
    #[inline]
    fn next_back(&mut self) -> Option<A::Item> {
        self.left.next_back().map(|index| self.decode(index))
    }

    #[inline]
    fn nth_back(&mut self, skipped: usize) -> Option<A::Item> {
        self.left.nth_back(skipped).map(|index| self.decode(index))
    }

    /// Decodes the items with `rfold` of the array, down to the last item that is missing.
    #[inline]
    fn rfold<B, F: FnMut(B, A::Item) -> B>(self, last: B, mut fold: F) -> B {
        let Range { start, mut end } = self.left;
        let mut folded = last;
        if let Some(rest) = self.array.slice(start..end) {
            folded = rest.rfold(folded, |folded, item| {
                end = end.saturating_sub(1);
                fold(folded, item)
            });
        }
        (start..end).map(|index| self.decode(index)).rfold(folded, fold)
    }
}

impl<A: Array> ExactSizeIterator for ZeroFilled<A> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::CornerArray;
    use crate::decode::polygon::{PolygonIndices, RawPolygon};

    #[test]
    fn missing_items_are_zero() {
        let records: Vec<RawPolygon> = (1..=5_u16)
            .map(|number| RawPolygon { vertices: [number; 3].map(Into::into), ..Default::default() })
            .collect();
        let array = CornerArray::new(&records, &[3, 5, 4, u16::MAX, 0, 9], PolygonIndices);
        let all = [4, 4, 4, 0, 0, 0, 5, 5, 5, 0, 0, 0, 1, 1, 1, 0, 0, 0];
        assert!(array.iter().eq([4; 3]), "an iterator ends before the first missing item");
        for length in [1, 2, 3, 5, 1000] {
            for start in 0..all.len() {
                let (part, all) = (array.slice(start..all.len()).unwrap(), &all[start..]);
                let parallel = || part.par_iter().with_max_len(length);
                assert_eq!(parallel().collect::<Vec<_>>(), all);
                assert_eq!(parallel().sum::<u32>(), all.iter().sum::<u32>());
                assert!(parallel().rev().collect::<Vec<_>>().iter().rev().eq(all));
                assert!(parallel().enumerate().all(|(place, item)| item == all[place]));
                assert!(
                    parallel()
                        .skip(1)
                        .zip(parallel())
                        .collect::<Vec<_>>()
                        .into_iter()
                        .map(|(one, _)| one)
                        .eq(all[1..].iter().copied())
                );
                let mut backward = ParallelArray(part).into_iter().rfold(Vec::new(), |mut list, item| {
                    list.push(item);
                    list
                });
                backward.reverse();
                assert_eq!(backward, all);
            }
        }
    }
}
