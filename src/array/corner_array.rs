//! Arrays whose items stand three to a record, in records picked by number.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use zerocopy::IntoBytes;

use crate::array::chunks::{Conversion, Gather};
use crate::decode::OutputFormat;
use crate::decode::polygon::DecodeCorners;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::io;
use crate::math::as_u64;

/// One value for each corner of some of a file's triangles, taken from the triangles' records on access.
///
/// The records stay where they are; which of them belong to the array is a list of numbers, two bytes each. A number
/// that is out of range has no corners to give: `get` returns `None` for them, and going through all ends there.
pub struct CornerArray<'a, D: DecodeCorners> {
    records: &'a [D::Raw],
    picks: &'a [u16],
    decode: D,
    /// Corners of the picked records that belong to the array.
    start: usize,
    end: usize,
}

#[allow(clippy::expl_impl_clone_on_copy, reason = "derived, it would ask the raw record to be `Clone`")]
impl<D: DecodeCorners> Clone for CornerArray<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: DecodeCorners> Copy for CornerArray<'_, D> {}

impl<D: DecodeCorners<Corner: fmt::Debug>> fmt::Debug for CornerArray<'_, D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, D: DecodeCorners> CornerArray<'a, D> {
    /// Picks records by their numbers.
    #[must_use]
    pub const fn new(records: &'a [D::Raw], picks: &'a [u16], decode: D) -> Self {
        Self { records, picks, decode, start: 0, end: picks.len().saturating_mul(3) }
    }

    /// Returns the number of corners.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the record and the corner of it that item `index` is.
    fn find(&self, index: usize) -> Option<(usize, usize)> {
        let at = self.start.checked_add(index).filter(|at| *at < self.end)?;
        Some((usize::from(*self.picks.get(at / 3)?), at % 3))
    }

    /// Returns the record that item `index` stands in, and which corner of it the item is.
    #[inline]
    #[must_use]
    pub fn raw(&self, index: usize) -> Option<(&'a D::Raw, usize)> {
        let (record, corner) = self.find(index)?;
        Some((self.records.get(record)?, corner))
    }

    /// Decodes item `index`; `None` where there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<D::Corner> {
        let (record, corner) = self.raw(index)?;
        self.decode.decode(record).get(corner).copied()
    }

    /// Decodes all items, in order, one at a time.
    #[inline]
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = D::Corner> + DoubleEndedIterator + FusedIterator + Clone + use<'a, D> {
        Iter { array: *self }
    }

    /// Visits all items in order, after prefetching them: a triangle's record is looked at once.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(D::Corner)) {
        self.prefetch();
        self.iter().for_each(&mut visit);
    }
    /// Visits all items in order in pieces of 8 KiB, each with the number of its first item, after prefetching them.
    pub fn for_each_chunk(&self, mut visit: impl FnMut(usize, &[D::Corner])) {
        self.for_each_piece(|first, values| visit(first, values));
    }

    pub(crate) fn for_each_piece(&self, visit: impl FnMut(usize, &mut [D::Corner])) {
        let mut pieces = Gather::new(visit);
        self.for_each(|value| pieces.push(value));
        pieces.finish();
    }

    /// Returns the items of `range`, still undecoded; `None` where some of them do not exist.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let [start, end] = [range.start, range.end].map(|at| self.start.checked_add(at));
        let (start, end) = (start?, end?);
        (start <= end && end <= self.end).then_some(Self { start, end, ..*self })
    }

    /// Decodes all items into `out`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`] where `out` does not have exactly [`len`](Self::len) items.
    pub fn decode_into(&self, out: &mut [D::Corner]) -> Result<()> {
        if out.len() != self.len() {
            let kind = ErrorKind::Buffer { needed: as_u64(self.len()), given: as_u64(out.len()) };
            return Err(Error::without_offset("gathered array", Field::new("out"), kind));
        }
        self.prefetch();
        let mut values = out.iter_mut();
        // Going through all decodes a triangle once; taking one after another, once for each corner.
        self.iter().for_each(|decoded| {
            if let Some(value) = values.next() {
                *value = decoded;
            }
        });
        Ok(())
    }

    /// Returns the bytes of all records, picked or not.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.records.as_bytes()
    }

    /// Returns where item `index` lies, in bytes from the first record.
    #[must_use]
    pub fn place(&self, index: usize) -> usize {
        let (record, corner) = self.find(index).unwrap_or_default();
        record.saturating_mul(size_of::<D::Raw>()).saturating_add(D::AT).saturating_add(corner.saturating_mul(D::SIZE))
    }

    /// Tells the system that the records are about to be read in order.
    pub fn prefetch(&self) {
        io::prefetch(self.as_bytes());
    }
}

impl<D: DecodeCorners<Corner = [f32; N]>, const N: usize> CornerArray<'_, D> {
    /// Decodes all items into `out`, in another [format](crate::decode::convert) than floats.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Buffer`](crate::error::ErrorKind::Buffer) where `out` does not have exactly [`len`](Self::len) items.
    pub fn decode_as<F: OutputFormat<N>>(&self, format: F, out: &mut [[F::Component; N]]) -> Result<()> {
        let mut conversion = Conversion::new(format, out, self.len())?;
        self.for_each_piece(|first, values| conversion.put(first, values));
        Ok(())
    }
}

/// Decodes corners one at a time.
struct Iter<'a, D: DecodeCorners> {
    array: CornerArray<'a, D>,
}

impl<D: DecodeCorners> Clone for Iter<'_, D> {
    fn clone(&self) -> Self {
        Self { array: self.array }
    }
}

impl<D: DecodeCorners> Iterator for Iter<'_, D> {
    type Item = D::Corner;

    #[inline]
    fn next(&mut self) -> Option<D::Corner> {
        let item = self.array.get(0)?;
        self.array.start = self.array.start.saturating_add(1);
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.array.len(), Some(self.array.len()))
    }

    /// Whole triangles are decoded once each, not once for each corner.
    #[inline]
    fn fold<B, F: FnMut(B, D::Corner) -> B>(mut self, first: B, mut fold: F) -> B {
        let mut folded = first;
        while !self.array.start.is_multiple_of(3)
            && let Some(corner) = self.next()
        {
            folded = fold(folded, corner);
        }
        let CornerArray { records, picks, decode, start, end } = self.array;
        for pick in picks.get(start / 3..end / 3).unwrap_or_default() {
            // As one after another, all end at a record that is not there.
            let Some(record) = records.get(usize::from(*pick)) else { return folded };
            folded = decode.decode(record).into_iter().fold(folded, &mut fold);
        }
        self.array.start = start.max(end.saturating_sub(end % 3));
        for corner in self {
            folded = fold(folded, corner);
        }
        folded
    }
}

impl<D: DecodeCorners> DoubleEndedIterator for Iter<'_, D> {
    #[inline]
    fn next_back(&mut self) -> Option<D::Corner> {
        let item = self.array.get(self.array.len().checked_sub(1)?)?;
        self.array.end = self.array.end.saturating_sub(1);
        Some(item)
    }
}

impl<D: DecodeCorners> ExactSizeIterator for Iter<'_, D> {}
impl<D: DecodeCorners> FusedIterator for Iter<'_, D> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::polygon::{PolygonIndices, RawPolygon};

    fn records(count: u16) -> Vec<RawPolygon> {
        let polygon =
            |first: u16| RawPolygon { vertices: [first, first + 1, first + 2].map(Into::into), ..Default::default() };
        (0..count).map(|number| polygon(number * 3)).collect()
    }

    #[test]
    fn takes_the_corners_of_the_picked_records() {
        let records = records(5);
        let array = CornerArray::new(&records, &[3, 1, 4], PolygonIndices);
        let all = [9, 10, 11, 3, 4, 5, 12, 13, 14];
        for start in 0..=9 {
            for end in start..=9 {
                let part = array.slice(start..end).unwrap();
                assert_eq!(part.iter().collect::<Vec<_>>(), all[start..end], "one at a time");
                let mut folded = Vec::new();
                part.for_each(|index| folded.push(index));
                assert_eq!(folded, all[start..end], "folded");
                assert!(part.iter().rev().eq(all[start..end].iter().rev().copied()));
                let mut out = vec![0; end - start];
                part.decode_into(&mut out).unwrap();
                assert_eq!(out, all[start..end]);
                assert_eq!((part.len(), part.get(end - start)), (end - start, None));
            }
        }
        assert!(array.slice(3..10).is_none() && array.decode_into(&mut []).is_err());
        assert_eq!((array.place(0), array.place(4), array.place(8)), (48, 18, 68));
    }
}
