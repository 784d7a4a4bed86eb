//! Indices that nobody stores, because each is its own number.

use std::ops::Range;

use crate::array::chunks::Gather;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// The numbers from a first to a last, in order: the indices of attributes that stand one to a corner. Takes no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consecutive {
    start: u32,
    end: u32,
}

impl Consecutive {
    /// Counts from 0 to below `count`.
    #[must_use]
    pub const fn new(count: u32) -> Self {
        Self { start: 0, end: count }
    }

    /// Returns how many numbers there are.
    #[must_use]
    #[allow(clippy::as_conversions, reason = "`try_from` is not const; where it does not fit, no array is as long")]
    pub const fn len(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns number `index`; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u32> {
        self.start.checked_add(u32::try_from(index).ok()?).filter(|number| *number < self.end)
    }

    /// Returns all numbers in order.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> Range<u32> {
        self.start..self.end
    }

    /// Visits all numbers in order.
    pub fn for_each(&self, visit: impl FnMut(u32)) {
        (self.start..self.end).for_each(visit);
    }

    /// Visits all numbers in order in pieces of 8 KiB, each with the place of its first number.
    pub fn for_each_chunk(&self, mut visit: impl FnMut(usize, &[u32])) {
        let mut pieces = Gather::new(|first, numbers: &mut [u32]| visit(first, numbers));
        self.for_each(|number| pieces.push(number));
        pieces.finish();
    }

    /// Returns the numbers of `range`; `None` where some of them do not exist.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let end = self.start.checked_add(u32::try_from(range.end).ok()?).filter(|end| *end <= self.end)?;
        let start = self.start.checked_add(u32::try_from(range.start).ok()?).filter(|start| *start <= end)?;
        Some(Self { start, end })
    }

    /// Writes all numbers to `out`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`] where `out` is not of this length.
    pub fn decode_into(&self, out: &mut [u32]) -> Result<()> {
        if out.len() != self.len() {
            let kind = ErrorKind::Buffer { needed: as_u64(self.len()), given: as_u64(out.len()) };
            return Err(Error::without_offset("counted indices", Field::new("out"), kind));
        }
        for (value, number) in out.iter_mut().zip(self.start..self.end) {
            *value = number;
        }
        Ok(())
    }

    /// Returns the bytes that the numbers take: none.
    #[must_use]
    pub const fn as_bytes(&self) -> &'static [u8] {
        &[]
    }

    /// Returns where number `index` lies: there is no other place than the start of no bytes.
    #[must_use]
    pub const fn place(&self, _index: usize) -> usize {
        0
    }

    /// Does nothing: there are no bytes to fetch.
    pub const fn prefetch(&self) {}
}

impl IntoIterator for &Consecutive {
    type Item = u32;
    type IntoIter = Range<u32>;

    fn into_iter(self) -> Range<u32> {
        self.iter()
    }
}

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
