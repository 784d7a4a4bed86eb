//! The totals of a list of runs of records, and an index for random access to its runs.

use std::ops::Range;

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::error::debug::short_debug;
use crate::math::{as_index, as_u64};
use crate::sidecar::RecordSlice;

/// The number of consecutive runs that one block of a [`RunIndex`] covers.
const BLOCK_RUNS: usize = 64;
/// The greatest number of runs of which an index also stores the byte range of each, in 256 KiB.
const MAX_STARTS: usize = 1 << 16;
/// The nibble (4 bits) that encodes a run size of 15 or more.
///
/// If a block contains the nibble 15, any later run in the block is located by a scan that starts
/// at the first run of the block.
const MAX_NIBBLE: u8 = 15;

/// The total size of a list of runs of records, its number of records, and its longest run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunTotals {
    /// The total size of all runs of records, including their count bytes, in bytes.
    pub bytes: u64,
    /// The total number of records in all runs of the list.
    pub records: u64,
    /// The byte offset of the first of the longest runs, from the start of the first run of the
    /// list, and the number of records of the longest run.
    pub longest: (u64, u8),
}

impl RunTotals {
    /// Returns whether these totals are consistent with a list of `runs` runs of records, with
    /// `size` bytes per record.
    ///
    /// The totals of another list are rarely consistent with the given number of runs, so `matches`
    /// detects most wrong totals.
    pub(crate) fn matches(&self, runs: usize, size: usize) -> bool {
        let records = self.records.checked_mul(as_u64(size));
        records.and_then(|bytes| bytes.checked_add(as_u64(runs))) == Some(self.bytes)
    }
}

/// An index that locates any run of records of a list in constant time.
///
/// For each block of 64 consecutive runs, a `RunIndex` stores the byte offset of the first run of
/// the block, and the size of each run in 4 bits. For at most 65,536 runs, it also stores the byte
/// range of each run, which is found in a third of the time.
#[derive(Clone)]
pub struct RunIndex {
    blocks: Checkpoints,
}

short_debug!(RunIndex: |index| { bytes: index.bytes(), is_from_sidecar: index.is_from_sidecar() });

/// The storage of the blocks of a [`RunIndex`]: in memory, or in a sidecar.
#[derive(Clone)]
enum Checkpoints {
    Owned(Box<[Checkpoint]>),
    OfFew(Box<FewRuns>),
    Sidecar(Box<RecordSlice<Checkpoint>>),
}

/// The blocks of an index of at most [`MAX_STARTS`] runs.
#[derive(Clone)]
struct FewRuns {
    blocks: Box<[Checkpoint]>,
    /// The byte offset of each run, and the end of the last one.
    starts: Box<[u32]>,
}

impl RunIndex {
    /// Builds an index by a scan of `len` runs.
    ///
    /// The closure `next` receives the byte offset of a run, and returns the size of this run and
    /// the byte offset of the next run. The caller chooses the unit of the run size: number of
    /// records or number of bytes.
    pub(super) fn new(len: usize, mut next: impl FnMut(usize) -> (u8, usize)) -> Option<Self> {
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(len.div_ceil(BLOCK_RUNS)).ok()?;
        let mut starts = Vec::new();
        let is_few = (1..=MAX_STARTS).contains(&len);
        starts.try_reserve_exact(if is_few { len.saturating_add(1) } else { 0 }).ok()?;
        let mut at = 0_usize;
        for first in (0..len).step_by(BLOCK_RUNS) {
            let runs = len.saturating_sub(first).min(BLOCK_RUNS);
            let mut block = Checkpoint { base: as_u64(at).into(), sizes: [U64::ZERO; BLOCK_RUNS / 16] };
            let (mut word, mut shift) = (0, 0);
            for _ in 0..runs {
                if is_few {
                    starts.push(u32::try_from(at).ok()?);
                }
                let size;
                (size, at) = next(at);
                if let Some(sizes) = block.sizes.get_mut(word) {
                    *sizes |= U64::new(u64::from(size.min(MAX_NIBBLE)).wrapping_shl(shift));
                }
                (word, shift) = if shift == 60 { (word.wrapping_add(1), 0) } else { (word, shift.wrapping_add(4)) };
            }
            blocks.push(block);
        }
        let blocks = if is_few {
            starts.push(u32::try_from(at).ok()?);
            Checkpoints::OfFew(Box::new(FewRuns { blocks: blocks.into(), starts: starts.into() }))
        } else {
            Checkpoints::Owned(blocks.into())
        };
        Some(Self { blocks })
    }

    /// Makes an index that reads its blocks from a sidecar.
    pub(crate) fn from_sidecar(blocks: RecordSlice<Checkpoint>) -> Self {
        Self { blocks: Checkpoints::Sidecar(Box::new(blocks)) }
    }

    #[inline]
    fn block(&self, run: usize) -> Option<&Checkpoint> {
        match &self.blocks {
            Checkpoints::Owned(blocks) => blocks.get(run / BLOCK_RUNS),
            Checkpoints::OfFew(few) => few.blocks.get(run / BLOCK_RUNS),
            Checkpoints::Sidecar(blocks) => blocks.get(as_u64(run / BLOCK_RUNS)),
        }
    }

    /// Returns the byte range of the run with index `run`, if the index stores the range itself.
    #[inline]
    pub(super) fn range(&self, run: usize) -> Option<Range<usize>> {
        let Checkpoints::OfFew(few) = &self.blocks else { return None };
        let [start, end] = *few.starts.get(run..)?.first_chunk()?;
        Some(as_index(start)..as_index(end))
    }

    /// Returns whether `size` equals the size that the index stores for the run with index `run`,
    /// where all sizes of 15 or more count as equal.
    pub(super) fn expects(&self, run: usize, size: usize) -> bool {
        self.block(run).and_then(|block| block.size(run % BLOCK_RUNS)) == Some(size.min(MAX_NIBBLE.into()))
    }

    /// Returns whether the blocks of the index are stored in a sidecar.
    ///
    /// A sidecar may be damaged. If the blocks in a sidecar do not lead to a run of the expected
    /// size, the caller must find the run by a scan from the first run of the list.
    #[inline]
    pub(super) const fn is_from_sidecar(&self) -> bool {
        matches!(self.blocks, Checkpoints::Sidecar(_))
    }

    /// Returns the blocks of the index if they are in memory, or an empty slice if they are in a
    /// sidecar.
    pub(crate) fn blocks(&self) -> &[Checkpoint] {
        match &self.blocks {
            Checkpoints::Owned(blocks) => blocks,
            Checkpoints::OfFew(few) => &few.blocks,
            Checkpoints::Sidecar(_) => &[],
        }
    }

    /// Looks up the block that contains the run with index `run`.
    ///
    /// Returns the byte offset of the first run in the block, the number of runs in the block
    /// before `run`, and the sum of the sizes of these earlier runs. If the index stores the byte
    /// offset of the run itself, both numbers are 0. The returned sum of sizes is
    /// `None` if one of the earlier runs in the block has a size of 15 or more, which does not fit
    /// in its nibble.
    #[inline]
    pub(super) fn find(&self, run: usize) -> Option<(usize, usize, Option<usize>)> {
        if let Checkpoints::OfFew(_) = &self.blocks {
            return self.range(run).map(|range| (range.start, 0, Some(0)));
        }
        let block = self.block(run)?;
        let before = run % BLOCK_RUNS;
        Some((usize::try_from(block.base.get()).ok()?, before, block.sum_before(before)))
    }

    /// Returns the size of the index in memory, in bytes.
    ///
    /// Returns 0 if the blocks of the index are stored in a sidecar.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let starts = if let Checkpoints::OfFew(few) = &self.blocks { size_of_val(&*few.starts) } else { 0 };
        size_of_val(self.blocks()).saturating_add(starts)
    }
}

/// A block of a [`RunIndex`]: the byte offset of the first of 64 consecutive runs, and the sizes of
/// these 64 runs.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Checkpoint {
    base: U64,
    /// The sizes of the 64 runs in 4 bits each. Each word contains 16 sizes, with the size of the
    /// first run in the lowest 4 bits.
    sizes: [U64; BLOCK_RUNS / 16],
}

impl Checkpoint {
    /// Returns the stored size of the run with index `run` in the block, or 15 if the size of this
    /// run is 15 or more.
    fn size(&self, run: usize) -> Option<usize> {
        let shift = u32::try_from(run % 16).ok()?.checked_mul(4)?;
        usize::try_from(self.sizes.get(run / 16)?.get().checked_shr(shift)? & u64::from(MAX_NIBBLE)).ok()
    }

    /// Returns the sum of the sizes of the first `runs` runs of the block, for `runs` up to 63.
    ///
    /// Returns `None` if one of the first `runs` runs has a size of 15 or more, which does not fit
    /// in its nibble.
    #[inline]
    fn sum_before(&self, runs: usize) -> Option<usize> {
        const ONES: u64 = 0x1111_1111_1111_1111;
        let mut sum = 0_u64;
        let mut long = 0_u64;
        let mut left = u32::try_from(runs).ok()?;
        for word in self.sizes {
            // The mask selects the nibbles of the requested runs: all 16 nibbles of the word if 16
            // or more runs remain.
            let mask = if left >= 16 { u64::MAX } else { !u64::MAX.wrapping_shl(left.wrapping_mul(4)) };
            let word = word.get() & mask;
            // A nibble of the value 15 is detected by its four set bits.
            long |= word & (word >> 1) & (word >> 2) & (word >> 3) & ONES;
            // Each byte of `pairs` is the sum of two nibbles, at most 30. The top byte of the
            // product of `pairs` and 0x0101010101010101 is the sum of the eight bytes of `pairs`,
            // at most 240.
            let pairs = (word & 0x0f0f_0f0f_0f0f_0f0f).wrapping_add((word >> 4) & 0x0f0f_0f0f_0f0f_0f0f);
            sum = sum.wrapping_add(pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56);
            left = left.saturating_sub(16);
        }
        if long == 0 { usize::try_from(sum).ok() } else { None }
    }
}
