//! The iterator over the items of an array, and the parts of an array.

use std::iter::FusedIterator;
use std::ops::Range;

use crate::array::access::Array;

/// An iterator that decodes the items of an array one at a time.
///
/// For an enum of several encodings, the methods `for_each`, `fold` and `rfold` of the iterator
/// select the encoding once for all items. The methods `next` and `next_back` are slower, because
/// they select the encoding on each call. The methods `nth` and `nth_back` take constant time and
/// do not decode the items that they skip.
#[derive(Clone, Debug)]
pub struct ArrayIter<A> {
    array: A,
    /// The items of `array` before the end of the prefetched items. It does not extend beyond the
    /// end of `left`. It is `None` before the first items are prefetched.
    window: Option<A>,
    left: Range<usize>,
}

/// The number of items that an iterator prefetches first, and the greatest number of items that it
/// prefetches at once. An array with fewer items is not prefetched.
const PREFETCHED_ITEMS: [usize; 2] = [64, 64 << 10];

impl<A: Array> ArrayIter<A> {
    #[inline]
    pub(crate) fn new(array: A) -> Self {
        let len = array.len();
        let is_short = A::PREFETCHED && len < PREFETCHED_ITEMS[0];
        Self { array, window: is_short.then_some(array), left: 0..len }
    }

    /// Prefetches the next items, of which `left` is the range. Returns the items up to the end of
    /// the prefetched items. Each call prefetches as many items as the iterator has already passed,
    /// within limits.
    #[cold]
    #[inline(never)]
    fn prefetch(array: A, left: Range<usize>) -> Option<A> {
        let [least, most] = PREFETCHED_ITEMS;
        let end = left.start.saturating_add(left.start.clamp(least, most)).min(left.end);
        array.slice(left.start..end).iter().for_each(Array::prefetch);
        array.slice(0..end)
    }

    /// Decodes an item that is no longer left, or ends the iterator if the item is missing.
    #[inline]
    fn decode(&mut self, index: usize) -> Option<A::Item> {
        let item = self.array.get(index);
        if item.is_none() {
            self.left.start = self.left.end;
        }
        item
    }

    /// Removes the items from the end of `left` from the window.
    #[inline]
    fn shorten_window(&mut self) {
        let end = self.left.end;
        self.window =
            self.window.and_then(|window| if window.len() > end { self.array.slice(0..end) } else { Some(window) });
    }

    /// Prefetches the items that are left, and returns them as an array.
    #[inline]
    fn rest(self) -> Option<A> {
        let rest = self.array.slice(self.left)?;
        if A::PREFETCHED && rest.len() >= PREFETCHED_ITEMS[0] {
            rest.prefetch();
        }
        Some(rest)
    }
}

impl<A: Array> Iterator for ArrayIter<A> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        if !A::PREFETCHED {
            let index = self.left.next()?;
            return self.decode(index);
        }
        let index = self.left.start;
        let mut item = self.window.as_ref().and_then(|window| window.get(index));
        if item.is_none() && index < self.left.end {
            self.window = Self::prefetch(self.array, self.left.clone());
            item = self.window.as_ref().and_then(|window| window.get(index));
        }
        // A missing item ends the iterator.
        self.left.start = if item.is_some() { index.wrapping_add(1) } else { self.left.end };
        item
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<A::Item> {
        let index = self.left.nth(skipped)?;
        self.decode(index)
    }

    #[inline]
    fn count(self) -> usize {
        self.left.len()
    }

    #[inline]
    fn last(mut self) -> Option<A::Item> {
        self.next_back()
    }

    #[inline]
    fn fold<B, F: FnMut(B, A::Item) -> B>(self, first: B, fold: F) -> B {
        match self.rest() {
            Some(rest) => rest.fold(first, fold),
            None => first,
        }
    }
}

impl<A: Array> DoubleEndedIterator for ArrayIter<A> {
    #[inline]
    fn next_back(&mut self) -> Option<A::Item> {
        let index = self.left.next_back();
        self.shorten_window();
        self.decode(index?)
    }

    #[inline]
    fn nth_back(&mut self, skipped: usize) -> Option<A::Item> {
        let index = self.left.nth_back(skipped);
        self.shorten_window();
        self.decode(index?)
    }

    #[inline]
    fn rfold<B, F: FnMut(B, A::Item) -> B>(self, last: B, fold: F) -> B {
        match self.rest() {
            Some(rest) => rest.rfold(last, fold),
            None => last,
        }
    }
}

impl<A: Array> ExactSizeIterator for ArrayIter<A> {}
impl<A: Array> FusedIterator for ArrayIter<A> {}

/// Splits an array into `count` consecutive parts, whose lengths are multiples of `unit` items. The
/// lengths differ by at most `unit`. The length of the array must be a multiple of `unit`.
pub(crate) fn split<A: Array>(
    array: A,
    count: usize,
    unit: usize,
) -> impl ExactSizeIterator<Item = A> + DoubleEndedIterator + FusedIterator + Clone + use<A> {
    let units = array.len().checked_div(unit).unwrap_or_default();
    let (size, longer) = (units.checked_div(count), units.checked_rem(count));
    let (size, longer) = (size.unwrap_or_default(), longer.unwrap_or_default());
    let start = move |part: usize| part.saturating_mul(size).saturating_add(part.min(longer)).saturating_mul(unit);
    (0..count).map(move |part| {
        // The end of the last part is the length of the array, so all ranges are in the array.
        array.slice(start(part)..start(part.saturating_add(1))).unwrap_or(array)
    })
}

/// Implements `IntoIterator` for an array type and for a reference to it.
macro_rules! impl_into_iter {
    ([$($generic:tt)*] $array:ty) => {
        impl<$($generic)*> IntoIterator for $array {
            type Item = <Self as $crate::array::access::Array>::Item;
            type IntoIter = $crate::array::iter::ArrayIter<Self>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                $crate::array::iter::ArrayIter::new(self)
            }
        }

        #[allow(clippy::into_iter_without_iter, reason = "`Array` has it")]
        impl<$($generic)*> IntoIterator for &$array {
            type Item = <$array as $crate::array::access::Array>::Item;
            type IntoIter = $crate::array::iter::ArrayIter<$array>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                $crate::array::iter::ArrayIter::new(*self)
            }
        }
    };
}
pub(crate) use impl_into_iter;
