//! Runs that end with a mark: up to four records of three bytes, none of which starts with 255, then 255 unless there
//! were four.

use zerocopy::FromBytes as _;

use crate::array::runs::checkpoints::RunIndex;
use crate::decode::influence3::RawInfluence3;
use crate::math::as_u64;

/// The byte after the last record.
const MARK: u8 = 255;
/// Records in a run, at most. A run of as many has no mark.
const MAX_RECORDS: usize = 4;
/// Bytes of a record.
const RECORD_SIZE: usize = size_of::<RawInfluence3>();

/// A list of runs, borrowed from the file.
#[derive(Clone, Copy, Debug)]
pub struct TerminatedRuns<'a> {
    bytes: &'a [u8],
    len: usize,
}

impl<'a> TerminatedRuns<'a> {
    /// Takes `len` runs that lie in `bytes` from its first byte on. Those that the bytes do not hold are not found.
    #[must_use]
    pub const fn new(bytes: &'a [u8], len: usize) -> Self {
        Self { bytes, len }
    }

    /// Returns the number of runs that there should be.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Tells whether there are no runs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Walks the runs as far as they are whole: returns how many there are, and the bytes that they take.
    #[must_use]
    pub fn measure(&self) -> (usize, u64) {
        let mut left = self.iter();
        let runs = left.by_ref().count();
        (runs, as_u64(self.bytes.len().saturating_sub(left.rest.len())))
    }

    pub(crate) const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Borrows the runs in order, as far as they are whole.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> TerminatedRunsIter<'a> {
        TerminatedRunsIter { rest: self.bytes, left: self.len }
    }

    /// Builds the index: one walk, 40 bytes for each 64 runs. `None` where there is no memory for it.
    #[must_use]
    pub fn index(&self) -> Option<RunIndex> {
        // The sizes are bytes: 1, 4, 7, 10 or 12, and 0 of what is not there.
        RunIndex::new(self.len, |at| {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let size = split(rest).map_or(0, |(_, after)| rest.len().saturating_sub(after.len()));
            (u8::try_from(size).unwrap_or_default(), at.saturating_add(size))
        })
    }

    /// Borrows run `run`, found through `index`; `None` where there is none, or the bytes are not those that the index
    /// was built from.
    #[inline]
    #[must_use]
    pub fn get(&self, index: &RunIndex, run: usize) -> Option<&'a [RawInfluence3]> {
        if run >= self.len {
            return None;
        }
        let (base, _, bytes) = index.find(run)?;
        split(self.bytes.get(base.checked_add(bytes?)?..)?).map(|(run, _)| run)
    }
}

impl<'a> IntoIterator for &TerminatedRuns<'a> {
    type Item = &'a [RawInfluence3];
    type IntoIter = TerminatedRunsIter<'a>;

    fn into_iter(self) -> TerminatedRunsIter<'a> {
        self.iter()
    }
}

/// Splits the first run off `bytes`.
#[inline]
fn split(bytes: &[u8]) -> Option<(&[RawInfluence3], &[u8])> {
    let mut records = 0_usize;
    let mut at = 0_usize;
    while records < MAX_RECORDS && *bytes.get(at)? != MARK {
        records = records.wrapping_add(1);
        at = at.wrapping_add(RECORD_SIZE);
    }
    let (run, rest) = <[RawInfluence3]>::ref_from_prefix_with_elems(bytes, records).ok()?;
    Some((run, if records < MAX_RECORDS { rest.get(1..)? } else { rest }))
}

/// Borrows runs in order.
#[derive(Clone, Debug)]
pub struct TerminatedRunsIter<'a> {
    rest: &'a [u8],
    left: usize,
}

impl<'a> Iterator for TerminatedRunsIter<'a> {
    type Item = &'a [RawInfluence3];

    #[inline]
    fn next(&mut self) -> Option<&'a [RawInfluence3]> {
        let (run, rest) = split(self.rest).filter(|_| self.left > 0)?;
        (self.rest, self.left) = (rest, self.left.wrapping_sub(1));
        Some(run)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spells runs with the given counts; each record's joint is its run's number.
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
