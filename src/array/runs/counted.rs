//! Lists of counted runs: each run is one count byte, followed by that number of records.

use std::iter::FusedIterator;

use zerocopy::FromBytes as _;

use crate::array::runs::checkpoints::{RunIndex, RunTotals};
use crate::array::runs::runs_ahead::RunsAhead;
use crate::array::runs::walk::{self, kernel};
use crate::error::debug::{item_count, short_debug};
use crate::parse::Record;

/// A list of counted runs of records, borrowed from the bytes of the file.
pub struct CountedRuns<'a, T> {
    bytes: &'a [u8],
    len: usize,
    record: std::marker::PhantomData<fn() -> T>,
}

short_debug!(['a, T] CountedRuns<'a, T>: |runs| (item_count::<[T]>(runs.len)));

impl<T> Clone for CountedRuns<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for CountedRuns<'_, T> {}

impl<'a, T: Record> CountedRuns<'a, T> {
    /// Makes a list of `len` runs of records.
    ///
    /// The first run of the list starts at the first byte of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], len: usize) -> Self {
        Self { bytes, len, record: std::marker::PhantomData }
    }

    /// Returns the number of runs of records in the list.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the list contains no runs (its length is 0).
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Scans all runs of the list, and returns their total size and number of records.
    ///
    /// The scan prefetches the bytes of the runs before it reads them.
    ///
    /// For records of four bytes, the scan can be as fast as reading the bytes from memory,
    /// depending on the processor. For records of any size other than four bytes, the scan reads
    /// only the count byte of each run.
    ///
    /// # Errors
    ///
    /// If the bytes end before the end of a run, returns the byte offset of that run from the start
    /// of the first run.
    pub fn measure(&self) -> Result<RunTotals, u64> {
        walk::measure(self.bytes, self.len, size_of::<T>())
    }

    pub(crate) const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns an iterator over all runs of records, in order.
    ///
    /// If the bytes end before the end of a run, the iterator ends before that run.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> CountedRunsIter<'a, T> {
        CountedRunsIter::new(self.bytes, self.len)
    }

    /// Returns an iterator over the runs from the run with index `run`, which is located with the
    /// help of `index` as in [`get`](Self::get).
    pub(crate) fn iter_from(&self, index: Option<&RunIndex>, run: usize) -> CountedRunsIter<'a, T>
    where
        T: 'a,
    {
        // The run is located only if `get` finds it where the index says.
        let verified = index.filter(|index| {
            !index.is_from_sidecar() || self.find(index, run).is_some_and(|found| index.expects(run, found.len()))
        });
        let rest = verified.and_then(|index| self.bytes.get(self.locate(index, run)?..));
        if let Some(rest) = rest {
            return CountedRunsIter::new(rest, self.len.saturating_sub(run));
        }
        let mut runs = self.iter();
        runs.by_ref().take(run).for_each(drop);
        runs
    }

    /// Builds a [`RunIndex`] by one scan of all runs.
    ///
    /// The index takes 40 bytes of memory for each block of 64 runs. For at most 65,536 runs, it
    /// takes 4 bytes more for each.
    ///
    /// Returns `None` if the allocation of the index fails.
    #[must_use]
    pub fn index(&self) -> Option<RunIndex> {
        crate::io::prefetch(self.bytes);
        RunIndex::new(self.len, |at| {
            let count = self.bytes.get(at).copied().unwrap_or_default();
            (count, step::<T>(at, count))
        })
    }

    /// Returns the records of the run with index `run`, which is located with the help of `index`.
    ///
    /// Returns `None` if `run` is out of range. `index` must be built for this list of runs. If
    /// `index` was built for another list of runs, the result may be `None` or wrong records.
    #[inline]
    #[must_use]
    pub fn get(&self, index: &RunIndex, run: usize) -> Option<&'a [T]> {
        match index.range(run) {
            // The number of records is not read, so a branch on it does not wait for the file.
            Some(range) => <[T]>::ref_from_bytes(self.bytes.get(range)?.get(1..)?).ok(),
            None => self.get_in_block(index, run),
        }
    }

    /// Returns the records of a run whose block the index contains, or `None` if `run` is out of
    /// range.
    fn get_in_block(&self, index: &RunIndex, run: usize) -> Option<&'a [T]> {
        if run >= self.len {
            return None;
        }
        let found = self.find(index, run);
        if index.is_from_sidecar() && !found.is_some_and(|found| index.expects(run, found.len())) {
            // The sidecar that stores the run index is damaged or was made for different bytes. The
            // run is therefore located by a scan from the first run of the list.
            return self.iter().nth(run);
        }
        found
    }

    /// Returns the bytes from the count byte of a run, which is located with the help of `index`.
    /// Returns no bytes if `run` is out of range.
    #[inline]
    pub(crate) fn bytes_at(&self, index: &RunIndex, run: usize) -> &'a [u8] {
        self.locate(index, run).and_then(|start| self.bytes.get(start..)).unwrap_or_default()
    }

    /// Returns the records of the run at the byte offset that the index contains, without comparing
    /// the number of records with the index.
    #[inline]
    fn find(&self, index: &RunIndex, run: usize) -> Option<&'a [T]> {
        records(self.bytes.get(self.locate(index, run)?..)?).map(|(run, _)| run)
    }

    /// Returns the byte offset of a run, which the index contains.
    #[inline]
    fn locate(&self, index: &RunIndex, run: usize) -> Option<usize> {
        let (base, before, counts) = index.find(run)?;
        match counts {
            Some(records) => base.checked_add(before)?.checked_add(records.checked_mul(size_of::<T>())?),
            None => self.walk(base, before),
        }
    }

    /// Skips `runs` runs, starting with the run at byte offset `at`. Returns the byte offset of the
    /// run after the last skipped run.
    fn walk(&self, mut at: usize, runs: usize) -> Option<usize> {
        for _ in 0..runs {
            at = step::<T>(at, *self.bytes.get(at)?);
        }
        Some(at)
    }
}

impl<'a, T: Record + 'a> IntoIterator for &CountedRuns<'a, T> {
    type Item = &'a [T];
    type IntoIter = CountedRunsIter<'a, T>;

    fn into_iter(self) -> CountedRunsIter<'a, T> {
        self.iter()
    }
}

/// Returns the byte offset of the run after the run that starts at byte offset `at` and has `count`
/// records.
#[inline]
fn step<T>(at: usize, count: u8) -> usize {
    kernel::step(at, count, size_of::<T>())
}

/// Splits `bytes` into the records of the first run and the bytes after that run.
#[inline]
fn records<T: Record>(bytes: &[u8]) -> Option<(&[T], &[u8])> {
    let (&count, rest) = bytes.split_first()?;
    <[T]>::ref_from_prefix_with_elems(rest, usize::from(count)).ok()
}

/// An iterator over the runs of a [`CountedRuns`] list, in order.
///
/// Each item of the iterator is the slice of records of one run.
#[derive(Clone)]
pub struct CountedRunsIter<'a, T> {
    rest: &'a [u8],
    left: usize,
    ahead: RunsAhead,
    record: std::marker::PhantomData<fn() -> T>,
}

short_debug!(['a, T] CountedRunsIter<'a, T>: |rest| (item_count::<[T]>(rest.left)));

impl<'a, T> CountedRunsIter<'a, T> {
    #[inline]
    const fn new(rest: &'a [u8], left: usize) -> Self {
        Self { rest, left, ahead: RunsAhead::new(left), record: std::marker::PhantomData }
    }
}

impl<'a, T: Record + 'a> CountedRunsIter<'a, T> {
    /// Returns the number of records of the next run, and `N` records that start with them.
    ///
    /// Returns `None`, and stays at this run, if it has more than `N` records, if fewer bytes than
    /// `N` records follow, or if no runs are left.
    #[inline]
    pub(crate) fn next_padded<const N: usize>(&mut self) -> Option<(usize, &'a [T; N])> {
        let (&count, rest) = self.rest.split_first()?;
        let count = usize::from(count);
        let records = <[T; N]>::ref_from_bytes(rest.get(..size_of::<[T; N]>())?).ok()?;
        if count > N || self.left == 0 {
            return None;
        }
        self.ahead.pass(self.rest);
        self.left = self.left.wrapping_sub(1);
        self.rest = rest.get(count.wrapping_mul(size_of::<T>())..)?;
        Some((count, records))
    }
}

impl<'a, T: Record + 'a> Iterator for CountedRunsIter<'a, T> {
    type Item = &'a [T];

    #[inline]
    fn next(&mut self) -> Option<&'a [T]> {
        self.left = self.left.checked_sub(1)?;
        self.ahead.pass(self.rest);
        let (run, rest) = records(self.rest)?;
        self.rest = rest;
        Some(run)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

impl<'a, T: Record + 'a> FusedIterator for CountedRunsIter<'a, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::as_u64;

    type Four = [u8; 4];

    /// Encodes runs with the given numbers of records. Each record contains the index of its run.
    fn spell(counts: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (run, count) in counts.iter().enumerate() {
            bytes.push(*count);
            for _ in 0..*count {
                bytes.extend(u32::try_from(run).unwrap().to_le_bytes());
            }
        }
        bytes
    }

    fn agree(counts: &[u8]) {
        let mut bytes = spell(counts);
        let length = as_u64(bytes.len());
        bytes.extend([255, 1, 2]);
        let runs = CountedRuns::<Four>::new(&bytes, counts.len());
        let totals = runs.measure().unwrap();
        assert_eq!(totals.bytes, length);
        assert_eq!(totals.records, counts.iter().map(|count| u64::from(*count)).sum::<u64>());
        assert_eq!(totals.longest.1, counts.iter().copied().max().unwrap_or(0));
        let index = runs.index().unwrap();
        let starts = if (1..=1 << 16).contains(&counts.len()) { counts.len() * 4 + 4 } else { 0 };
        assert_eq!(index.bytes(), counts.len().div_ceil(64) * 40 + starts);
        let naive: Vec<_> = runs.iter().collect();
        assert_eq!(naive.len(), counts.len());
        for (run, expected) in naive.iter().enumerate() {
            assert_eq!(expected.len(), usize::from(counts[run]));
            assert_eq!(runs.get(&index, run), Some(*expected), "run {run}");
        }
        assert_eq!(runs.get(&index, counts.len()), None);
    }

    #[test]
    fn finds_every_run() {
        agree(&[]);
        agree(&[0]);
        agree(&[4; 63]);
        agree(&[4; 64]);
        agree(&[14; 130]);
        let mixed: Vec<u8> =
            (0..1000_u32).map(|run| u8::try_from(run.wrapping_mul(2_654_435_761) >> 29).unwrap() % 5).collect();
        agree(&mixed);
        agree(&mixed.repeat(70));
    }

    #[test]
    fn finds_runs_too_long_for_a_nibble() {
        let mut counts = vec![2; 200];
        counts[3] = 15;
        counts[64] = 255;
        counts[199] = 16;
        agree(&counts);
        counts.resize(70_000, 3);
        agree(&counts);
    }

    #[test]
    fn says_where_the_bytes_end() {
        let bytes = spell(&[1, 2, 3]);
        for length in 0..bytes.len() {
            let runs = CountedRuns::<Four>::new(&bytes[..length], 3);
            let at = runs.measure().unwrap_err();
            assert!([0, 5, 14].contains(&at), "{at}");
            assert!(runs.iter().count() < 3);
        }
    }

    #[test]
    fn an_index_of_other_bytes_finds_records_in_them() {
        let index = CountedRuns::<Four>::new(&spell(&[4; 100]), 100).index().unwrap();
        let other = spell(&[0; 100]);
        let runs = CountedRuns::<Four>::new(&other, 100);
        let found: Vec<_> = (0..100).filter_map(|run| runs.get(&index, run)).collect();
        assert_eq!(found, [&[Four::default(); 4]; 5]);
    }
}
