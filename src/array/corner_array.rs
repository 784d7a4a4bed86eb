//! An array of triangle corners: three items for each selected triangle record of a file.

use std::ops::Range;

use zerocopy::IntoBytes;

use crate::array::access::{Array, impl_view};
use crate::array::iter::ArrayIter;
use crate::decode::polygon::DecodeCorners;

/// An array with one value for each corner of the selected triangles of a file.
///
/// Each value is decoded from the record of its triangle when the value is read.
///
/// A `CornerArray` does not copy the triangle records. A `CornerArray` borrows the record indices
/// of the selected triangles, which are 16-bit integers. If the index of a selected record is out
/// of range, [`get`](Array::get) returns `None` for the three corners of this record, and an
/// iterator ends before the first of these three corners.
pub struct CornerArray<'a, D: DecodeCorners> {
    records: &'a [D::Raw],
    picks: &'a [u16],
    decode: D,
    /// Index of the first corner that belongs to the array. Corner indices count from the first
    /// selected triangle record, with three corners for each selected record.
    start: usize,
    end: usize,
}

impl_view!(CornerArray, DecodeCorners);

impl<'a, D: DecodeCorners> CornerArray<'a, D> {
    /// Makes an array of the corners of the triangle records whose indices are in `picks`.
    #[must_use]
    pub const fn new(records: &'a [D::Raw], picks: &'a [u16], decode: D) -> Self {
        Self { records, picks, decode, start: 0, end: picks.len().saturating_mul(3) }
    }

    /// Returns the same selection of corners of other triangle records.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the bench of the program uses it"))]
    pub(crate) const fn with_records<'b>(&self, records: &'b [D::Raw]) -> CornerArray<'b, D>
    where
        Self: 'b,
    {
        CornerArray { records, picks: self.picks, decode: self.decode, start: self.start, end: self.end }
    }

    /// Returns the index of the triangle record that contains item `index`, and the corner (0 to 2)
    /// of the item in this record.
    fn find(&self, index: usize) -> Option<(usize, usize)> {
        let at = self.start.checked_add(index).filter(|at| *at < self.end)?;
        Some((usize::from(*self.picks.get(at / 3)?), at % 3))
    }

    /// Returns an iterator over the decoded items.
    #[inline]
    pub(crate) fn decoded(&self) -> ArrayIter<Self> {
        self.iter()
    }

    /// Returns the raw triangle record that contains item `index`, and the corner (0 to 2) of the
    /// item in this record.
    #[inline]
    #[must_use]
    pub fn raw(&self, index: usize) -> Option<(&'a D::Raw, usize)> {
        let (record, corner) = self.find(index)?;
        Some((self.records.get(record)?, corner))
    }
}

impl<D: DecodeCorners> Array for CornerArray<'_, D> {
    type Item = D::Corner;

    #[inline]
    fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    #[inline]
    fn get(&self, index: usize) -> Option<D::Corner> {
        let (record, corner) = self.raw(index)?;
        self.decode.decode(record).get(corner).copied()
    }

    fn slice(&self, range: Range<usize>) -> Option<Self> {
        let [start, end] = [range.start, range.end].map(|at| self.start.checked_add(at));
        let (start, end) = (start?, end?);
        (start <= end && end <= self.end).then_some(Self { start, end, ..*self })
    }

    /// Returns the bytes of all triangle records in the file, including the records that are not
    /// selected.
    fn as_bytes<'b>(&self) -> &'b [u8]
    where
        Self: 'b,
    {
        self.records.as_bytes()
    }

    fn byte_offset(&self, index: usize) -> usize {
        let (record, corner) = self.find(index).unwrap_or_default();
        record.saturating_mul(size_of::<D::Raw>()).saturating_add(D::AT).saturating_add(corner.saturating_mul(D::SIZE))
    }

    /// Decodes all items in order and combines them into one value.
    ///
    /// A triangle record whose three corners all belong to the array is decoded once, not once per
    /// corner.
    ///
    /// `fold` ends at the first selected record whose index is out of range.
    #[inline]
    fn fold<B, F: FnMut(B, D::Corner) -> B>(&self, first: B, mut fold: F) -> B {
        let whole_start = self.start.next_multiple_of(3).min(self.end);
        let whole_end = self.end.saturating_sub(self.end % 3).max(whole_start);
        if whole_start > self.start && self.raw(0).is_none() {
            return first;
        }
        let corners = |range: Range<usize>| range.map_while(|at| self.get(at.saturating_sub(self.start)));
        let mut folded = corners(self.start..whole_start).fold(first, &mut fold);
        for pick in self.picks.get(whole_start / 3..whole_end / 3).unwrap_or_default() {
            let Some(record) = self.records.get(usize::from(*pick)) else { return folded };
            folded = self.decode.decode(record).into_iter().fold(folded, &mut fold);
        }
        corners(whole_end..self.end).fold(folded, fold)
    }
}

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
        assert_eq!((array.byte_offset(0), array.byte_offset(4), array.byte_offset(8)), (48, 18, 68));
    }
}
