//! The parallel iterator over the items of an array.

use rayon::iter::plumbing::{Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::array::access::Array;
use crate::array::iter::ArrayIter;

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
    type IntoIter = ArrayIter<A>;

    fn into_iter(self) -> ArrayIter<A> {
        self.0.iter()
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
            folder = block.fold(folder, |folder, item| if folder.full() { folder } else { folder.consume(item) });
            rest = Self(after);
        }
        folder
    }
}
