//! Items of varying length, one after another, and a compact index that makes them random-access.
//!
//! A run is a count byte and that many records. The next run is found only by reading this one's count, so run *i* is
//! reached by a walk over all runs before it: 1 byte looked at per run, nothing decoded. A [`RunIndex`] is built by one
//! such walk and then finds any run in constant time, at 0.625 bytes per run.

use zerocopy::FromBytes as _;

use crate::bytes::{Record, as_u64};
use crate::source::ReadAhead;

/// Runs that one block of a [`RunIndex`] covers.
const BLOCK: usize = 64;
/// The nibble for "15 or more": such a block is walked.
const LONG: u8 = 15;
/// Records in a run, at most, as formats have it.
const USUAL: u8 = 4;

/// What one walk over runs found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes that all runs take together.
    pub bytes: u64,
    /// Records in all runs.
    pub records: u64,
    /// Where the longest run starts, in bytes from the first run, and its count.
    pub longest: (u64, u8),
}

/// A list of runs, borrowed from the file.
#[derive(Debug)]
pub struct Runs<'a, T> {
    bytes: &'a [u8],
    len: usize,
    record: std::marker::PhantomData<fn() -> T>,
}

impl<T> Clone for Runs<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Runs<'_, T> {}

impl<'a, T: Record> Runs<'a, T> {
    /// Takes `len` runs that lie in `bytes` from its first byte on.
    #[must_use]
    pub const fn new(bytes: &'a [u8], len: usize) -> Self {
        Self { bytes, len, record: std::marker::PhantomData }
    }

    /// Returns the number of runs.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Tells whether there are no runs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Walks all runs, looking at one byte of each; prefetches as it goes. `None` where the bytes end too soon, with
    /// the offset of the run that does not fit.
    ///
    /// # Errors
    ///
    /// The offset, from the first run, of the run that the bytes end in.
    pub fn extent(&self) -> Result<Extent, u64> {
        let mut found = Extent { bytes: 0, records: 0, longest: (0, 0) };
        let mut ahead = ReadAhead::default();
        let mut at = 0_usize;
        for run in 0..self.len {
            ahead.pass(self.bytes, at, || self.len.saturating_sub(run).saturating_mul(step::<T>(0, USUAL)));
            let Some(&count) = self.bytes.get(at) else { return Err(as_u64(at)) };
            let next = step::<T>(at, count);
            if next > self.bytes.len() {
                return Err(as_u64(at));
            }
            if count > found.longest.1 {
                found.longest = (as_u64(at), count);
            }
            found.records = found.records.saturating_add(count.into());
            at = next;
        }
        found.bytes = as_u64(at);
        Ok(found)
    }

    /// Borrows all runs, in order, for as long as the bytes last.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T> {
        Iter { rest: self.bytes, left: self.len, record: std::marker::PhantomData }
    }

    /// Builds the index: one walk, 40 bytes for each 64 runs. `None` where there is no memory for it.
    #[must_use]
    pub fn index(&self) -> Option<RunIndex> {
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(self.len.div_ceil(BLOCK)).ok()?;
        let mut at = 0_usize;
        for first in (0..self.len).step_by(BLOCK) {
            let runs = self.len.saturating_sub(first).min(BLOCK);
            let mut block = Block { base: as_u64(at), counts: [0; BLOCK / 16] };
            let (mut word, mut shift) = (0, 0);
            for _ in 0..runs {
                let count = self.bytes.get(at).copied().unwrap_or_default();
                if let Some(counts) = block.counts.get_mut(word) {
                    *counts |= u64::from(count.min(LONG)).wrapping_shl(shift);
                }
                (word, shift) = if shift == 60 { (word.wrapping_add(1), 0) } else { (word, shift.wrapping_add(4)) };
                at = step::<T>(at, count);
            }
            blocks.push(block);
        }
        Some(RunIndex { blocks: blocks.into() })
    }

    /// Borrows run `run`, found through `index`; `None` where there is none, or the bytes are not those that the index
    /// was built from.
    #[inline]
    #[must_use]
    pub fn get(&self, index: &RunIndex, run: usize) -> Option<&'a [T]> {
        if run >= self.len {
            return None;
        }
        let block = index.blocks.get(run / BLOCK)?;
        let base = usize::try_from(block.base).ok()?;
        let before = run % BLOCK;
        let at = match block.records_before(before) {
            Some(records) => base.checked_add(before)?.checked_add(records.checked_mul(size_of::<T>())?)?,
            None => self.walk(base, before)?,
        };
        records(self.bytes.get(at..)?).map(|(run, _)| run)
    }

    /// Steps over `runs` runs from byte `at`.
    fn walk(&self, mut at: usize, runs: usize) -> Option<usize> {
        for _ in 0..runs {
            at = step::<T>(at, *self.bytes.get(at)?);
        }
        Some(at)
    }
}

impl<'a, T: Record + 'a> IntoIterator for &Runs<'a, T> {
    type Item = &'a [T];
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// Returns where the run after the one at `at` starts.
#[inline]
fn step<T>(at: usize, count: u8) -> usize {
    at.saturating_add(1).saturating_add(usize::from(count).saturating_mul(size_of::<T>()))
}

/// Splits the first run off `bytes`.
#[inline]
fn records<T: Record>(bytes: &[u8]) -> Option<(&[T], &[u8])> {
    let (&count, rest) = bytes.split_first()?;
    <[T]>::ref_from_prefix_with_elems(rest, usize::from(count)).ok()
}

/// Borrows runs in order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    rest: &'a [u8],
    left: usize,
    record: std::marker::PhantomData<fn() -> T>,
}

impl<'a, T: Record + 'a> Iterator for Iter<'a, T> {
    type Item = &'a [T];

    #[inline]
    fn next(&mut self) -> Option<&'a [T]> {
        self.left = self.left.checked_sub(1)?;
        let (run, rest) = records(self.rest)?;
        self.rest = rest;
        Some(run)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

/// Finds any run of a list in constant time: for each 64 runs, where they start and their counts, 4 bits each.
#[derive(Clone, Debug)]
pub struct RunIndex {
    blocks: Box<[Block]>,
}

impl RunIndex {
    /// Returns the bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.blocks)
    }
}

#[derive(Clone, Copy, Debug)]
struct Block {
    base: u64,
    /// 16 counts a word, the first in the lowest bits.
    counts: [u64; BLOCK / 16],
}

impl Block {
    /// Sums the counts of the first `runs` runs (at most 63); `None` where one of them is too long for its nibble.
    #[inline]
    fn records_before(&self, runs: usize) -> Option<usize> {
        const ONES: u64 = 0x1111_1111_1111_1111;
        let mut sum = 0_u64;
        let mut long = 0_u64;
        let mut left = u32::try_from(runs).ok()?;
        for word in self.counts {
            // The nibbles of the runs asked for; all of them where 16 or more are left.
            let mask = if left >= 16 { u64::MAX } else { !u64::MAX.wrapping_shl(left.wrapping_mul(4)) };
            let word = word & mask;
            // A nibble of 15 has all four bits set.
            long |= word & (word >> 1) & (word >> 2) & (word >> 3) & ONES;
            // Pairs of nibbles, at most 30 a byte; the product gathers eight of them, at most 240, in the top byte.
            let pairs = (word & 0x0f0f_0f0f_0f0f_0f0f).wrapping_add((word >> 4) & 0x0f0f_0f0f_0f0f_0f0f);
            sum = sum.wrapping_add(pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56);
            left = left.saturating_sub(16);
        }
        if long == 0 { usize::try_from(sum).ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Four = [u8; 4];

    /// Spells runs with the given counts; each record holds its run's number.
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
        let runs = Runs::<Four>::new(&bytes, counts.len());
        let extent = runs.extent().unwrap();
        assert_eq!(extent.bytes, length);
        assert_eq!(extent.records, counts.iter().map(|count| u64::from(*count)).sum::<u64>());
        assert_eq!(extent.longest.1, counts.iter().copied().max().unwrap_or(0));
        let index = runs.index().unwrap();
        assert!(index.bytes() <= counts.len().div_ceil(64) * 40);
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
    }

    #[test]
    fn finds_runs_too_long_for_a_nibble() {
        let mut counts = vec![2; 200];
        counts[3] = 15;
        counts[64] = 255;
        counts[199] = 16;
        agree(&counts);
    }

    #[test]
    fn says_where_the_bytes_end() {
        let bytes = spell(&[1, 2, 3]);
        for length in 0..bytes.len() {
            let runs = Runs::<Four>::new(&bytes[..length], 3);
            let at = runs.extent().unwrap_err();
            assert!([0, 5, 14].contains(&at), "{at}");
            assert!(runs.iter().count() < 3);
        }
    }

    #[test]
    fn an_index_of_other_bytes_finds_nothing_worse_than_nothing() {
        let index = Runs::<Four>::new(&spell(&[4; 100]), 100).index().unwrap();
        let other = spell(&[0; 100]);
        let runs = Runs::<Four>::new(&other, 100);
        assert!((0..100).filter_map(|run| runs.get(&index, run)).all(<[Four]>::is_empty));
    }
}
