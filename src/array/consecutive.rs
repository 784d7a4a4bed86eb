//! The array of the indices 0, 1, 2 and so on, which the file does not store.

use std::ops::Range;

use crate::array::access::Array;
use crate::array::iter::impl_into_iter;
use crate::math::as_index;

/// The array of the indices 0, 1, 2 and so on, which takes no bytes in the file.
///
/// A `Consecutive` array is the index buffer of a surface that stores one attribute value for each
/// corner of each triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consecutive {
    start: u32,
    end: u32,
}

impl Consecutive {
    /// Makes the array of the indices from 0 to `count` - 1.
    #[must_use]
    pub const fn new(count: u32) -> Self {
        Self { start: 0, end: count }
    }

    /// Returns an iterator over the indices.
    #[inline]
    pub(crate) const fn decoded(self) -> Range<u32> {
        self.start..self.end
    }
}

impl Array for Consecutive {
    type Item = u32;

    const PREFETCHED: bool = false;

    #[inline]
    fn len(&self) -> usize {
        as_index(self.end.saturating_sub(self.start))
    }

    #[inline]
    fn get(&self, index: usize) -> Option<u32> {
        self.start.checked_add(u32::try_from(index).ok()?).filter(|number| *number < self.end)
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        let end = self.start.checked_add(u32::try_from(range.end).ok()?).filter(|end| *end <= self.end)?;
        let start = self.start.checked_add(u32::try_from(range.start).ok()?).filter(|start| *start <= end)?;
        Some(Self { start, end })
    }

    #[inline]
    fn fold<B, F: FnMut(B, u32) -> B>(&self, first: B, fold: F) -> B {
        self.decoded().fold(first, fold)
    }

    #[inline]
    fn rfold<B, F: FnMut(B, u32) -> B>(&self, last: B, fold: F) -> B {
        self.decoded().rfold(last, fold)
    }
}

impl_into_iter!([] Consecutive);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let all = Consecutive::new(5);
        let part = all.slice(1..4).unwrap();
        assert!(part.iter().eq(1..4) && part.slice(1..3).unwrap().iter().eq(2..4));
        assert_eq!((part.len(), part.get(2), part.get(3), part.is_empty()), (3, Some(3), None, false));
        assert!(part.slice(2..4).is_none() && all.slice(5..6).is_none());
        let mut out = [0; 3];
        part.decode_into(&mut out).unwrap();
        assert_eq!(out, [1, 2, 3]);
        assert!(part.decode_into(&mut []).is_err());
    }
}
