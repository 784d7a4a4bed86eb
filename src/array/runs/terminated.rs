//! Lists of terminated runs: each run is up to four records, followed by a mark byte.
//!
//! A terminated run has up to four records of three bytes. The first byte of a record is never 255.
//! The mark byte is the byte 255 after the last record of a run. A run of four records has no mark
//! byte.

use std::iter::FusedIterator;

use zerocopy::FromBytes as _;

use crate::array::runs::checkpoints::RunIndex;
use crate::array::runs::runs_ahead::RunsAhead;
use crate::decode::influence3::RawInfluence3;
use crate::error::debug::{item_count, short_debug};
use crate::math::as_u64;

/// The value of the mark byte, which follows the last record of a run of fewer than four records.
const MARK: u8 = 255;
/// The maximum number of records in a run. A run with four records has no mark byte.
const MAX_RECORDS: usize = 4;
/// Size of a record, in bytes.
const RECORD_SIZE: usize = size_of::<RawInfluence3>();

/// A list of terminated runs of records, borrowed from the bytes of the file.
#[derive(Clone, Copy)]
pub struct TerminatedRuns<'a> {
    bytes: &'a [u8],
    len: usize,
}

short_debug!(TerminatedRuns<'_>: |runs| (item_count::<[RawInfluence3]>(runs.len)));

impl<'a> TerminatedRuns<'a> {
    /// Makes a list of `len` runs of records.
    ///
    /// The first run of the list starts at the first byte of `bytes`.
    ///
    /// If `bytes` ends before the end of a run, the list has no records for this run and all later
    /// runs.
    #[must_use]
    pub const fn new(bytes: &'a [u8], len: usize) -> Self {
        Self { bytes, len }
    }

    /// Returns the number of runs that was passed to [`new`](Self::new).
    ///
    /// If the bytes end before the end of the last run, the list contains fewer complete runs than
    /// `len` returns.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the list contains no runs (its length is 0).
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Scans the complete runs of the list, and returns their number and their total size in bytes.
    #[must_use]
    pub fn measure(&self) -> (usize, u64) {
        let mut left = self.iter();
        let runs = left.by_ref().count();
        (runs, as_u64(self.bytes.len().saturating_sub(left.rest.len())))
    }

    pub(crate) const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns an iterator over the runs in order, up to the first incomplete run.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> TerminatedRunsIter<'a> {
        TerminatedRunsIter { rest: self.bytes, left: self.len, ahead: RunsAhead::new(self.len) }
    }

    /// Builds a [`RunIndex`] by one scan of all runs.
    ///
    /// The index takes 40 bytes of memory for each block of 64 runs. For at most 65,536 runs, it
    /// takes 4 bytes more for each.
    ///
    /// Returns `None` if the allocation of the index fails.
    #[must_use]
    pub fn index(&self) -> Option<RunIndex> {
        // The index of a list of terminated runs stores the size of each run in bytes: 1, 4, 7, 10
        // or 12, or 0 for a run that is not complete.
        crate::io::prefetch(self.bytes);
        RunIndex::new(self.len, |at| {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let size = split(rest).map_or(0, |(_, after)| rest.len().saturating_sub(after.len()));
            (u8::try_from(size).unwrap_or_default(), at.saturating_add(size))
        })
    }

    /// Returns the records of the run with index `run`, which is located with the help of `index`.
    ///
    /// Returns `None` if `run` is out of range or the run is not complete. `index` must be built
    /// for this list of runs. If `index` was built for another list of runs, the result may be
    /// `None` or wrong records.
    #[inline]
    #[must_use]
    pub fn get(&self, index: &RunIndex, run: usize) -> Option<&'a [RawInfluence3]> {
        let Some(range) = index.range(run) else { return self.get_in_block(index, run) };
        // The mark is not searched, so a branch on its place does not wait for the file.
        let run = self.bytes.get(range).filter(|run| !run.is_empty())?;
        <[RawInfluence3]>::ref_from_prefix_with_elems(run, run.len() / RECORD_SIZE).ok().map(|(run, _)| run)
    }

    /// Returns the records of a run whose block the index contains.
    fn get_in_block(&self, index: &RunIndex, run: usize) -> Option<&'a [RawInfluence3]> {
        if run >= self.len {
            return None;
        }
        self.rest(index, run).and_then(split).map(|(run, _)| run)
    }

    /// Returns the bytes from the start of a run, which is located with the help of `index`.
    /// Returns no bytes if `run` is out of range.
    #[inline]
    pub(crate) fn bytes_at(&self, index: &RunIndex, run: usize) -> &'a [u8] {
        self.rest(index, run).unwrap_or_default()
    }

    /// Returns the bytes from the start of a run, which the index contains.
    #[inline]
    fn rest(&self, index: &RunIndex, run: usize) -> Option<&'a [u8]> {
        let (base, _, bytes) = index.find(run)?;
        self.bytes.get(base.checked_add(bytes?)?..)
    }

    /// Returns an iterator over the runs from the run with index `run`, which is located with the
    /// help of `index`.
    pub(crate) fn iter_from(&self, index: Option<&RunIndex>, run: usize) -> TerminatedRunsIter<'a> {
        if let Some(rest) = index.and_then(|index| self.rest(index, run)) {
            let left = self.len.saturating_sub(run);
            return TerminatedRunsIter { rest, left, ahead: RunsAhead::new(left) };
        }
        let mut runs = self.iter();
        runs.by_ref().take(run).for_each(drop);
        runs
    }
}

impl<'a> IntoIterator for &TerminatedRuns<'a> {
    type Item = &'a [RawInfluence3];
    type IntoIter = TerminatedRunsIter<'a>;

    fn into_iter(self) -> TerminatedRunsIter<'a> {
        self.iter()
    }
}

/// Splits `bytes` into the records of the first run and the bytes after that run.
#[inline]
fn split(bytes: &[u8]) -> Option<(&[RawInfluence3], &[u8])> {
    let records = count(bytes)?;
    let (run, rest) = <[RawInfluence3]>::ref_from_prefix_with_elems(bytes, records).ok()?;
    Some((run, if records < MAX_RECORDS { rest.get(1..)? } else { rest }))
}

/// Returns the number of records of the first run, or `None` if the bytes end before its mark.
#[inline]
fn count(bytes: &[u8]) -> Option<usize> {
    if let Some(run) = bytes.first_chunk::<{ MAX_RECORDS * RECORD_SIZE }>() {
        // Branches on the marks of random runs would be predicted wrongly.
        let [a, _, _, b, _, _, c, _, _, d, ..] = run.map(|byte| u32::from(byte == MARK));
        return usize::try_from((a | b << 1 | c << 2 | d << 3 | 1 << MAX_RECORDS).trailing_zeros()).ok();
    }
    let starts = bytes.iter().step_by(RECORD_SIZE);
    starts.take(MAX_RECORDS).position(|first| *first == MARK)
}

/// An iterator over the complete runs of a [`TerminatedRuns`] list, in order.
///
/// Each item of the iterator is the slice of records of one run.
#[derive(Clone)]
pub struct TerminatedRunsIter<'a> {
    rest: &'a [u8],
    left: usize,
    ahead: RunsAhead,
}

short_debug!(TerminatedRunsIter<'_>: |rest| (item_count::<[RawInfluence3]>(rest.left)));

impl<'a> Iterator for TerminatedRunsIter<'a> {
    type Item = &'a [RawInfluence3];

    #[inline]
    fn next(&mut self) -> Option<&'a [RawInfluence3]> {
        self.ahead.pass(self.rest);
        let (run, rest) = split(self.rest).filter(|_| self.left > 0)?;
        (self.rest, self.left) = (rest, self.left.wrapping_sub(1));
        Some(run)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

impl FusedIterator for TerminatedRunsIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes runs with the given numbers of records. The bone index of each record is the index
    /// of its run modulo 255.
    fn spell(counts: &[usize]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (run, count) in counts.iter().enumerate() {
            for _ in 0..*count {
                bytes.extend([u8::try_from(run % 255).unwrap(), 255, 255]);
            }
            if *count < MAX_RECORDS {
                bytes.push(MARK);
            }
        }
        bytes
    }

    #[test]
    fn finds_every_run() {
        let mixed: Vec<usize> =
            (0..1000_usize).map(|run| run.wrapping_mul(2_654_435_761) >> 13).map(|n| n % 5).collect();
        for counts in [&[][..], &[0], &[4; 64], &[4; 200], &[3; 65], &[0; 130], &mixed] {
            let mut bytes = spell(counts);
            let length = as_u64(bytes.len());
            bytes.extend([7, 255, 255, 255]);
            let runs = TerminatedRuns::new(&bytes, counts.len());
            assert_eq!(runs.measure(), (counts.len(), length));
            let index = runs.index().unwrap();
            let naive: Vec<_> = runs.iter().collect();
            assert!(naive.iter().map(|run| run.len()).eq(counts.iter().copied()));
            for (number, run) in naive.iter().enumerate() {
                assert!(run.iter().all(|record| usize::from(record.bone) == number % 255));
                assert_eq!(runs.get(&index, number), Some(*run), "run {number}");
            }
            assert_eq!(runs.get(&index, counts.len()), None);
        }
    }

    #[test]
    fn gives_the_runs_that_are_whole() {
        let counts = [1, 4, 0, 2];
        let bytes = spell(&counts);
        for length in 0..=bytes.len() {
            let runs = TerminatedRuns::new(&bytes[..length], 4);
            let whole = [4, 16, 17, 24].iter().filter(|end| **end <= length).count();
            assert_eq!(runs.measure().0, whole, "{length}");
            let index = runs.index().unwrap();
            for (run, count) in counts.iter().enumerate() {
                assert_eq!(runs.get(&index, run).map(<[_]>::len), (run < whole).then_some(*count), "{length}, {run}");
            }
        }
    }
}
