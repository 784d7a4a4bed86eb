//! The index that makes runs random-access.

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::math::as_u64;
use crate::sidecar::RecordSlice;

/// Runs that one block of a [`RunIndex`] covers.
const BLOCK_RUNS: usize = 64;
/// The nibble for "15 or more": such a block is walked.
const MAX_NIBBLE: u8 = 15;

/// Finds any run of a list in constant time: for each 64 runs, where they start and their sizes, 4 bits each.
#[derive(Clone, Debug)]
pub struct RunIndex {
    blocks: Checkpoints,
}

/// Where the blocks are: in memory, or in a sidecar.
#[derive(Clone, Debug)]
enum Checkpoints {
    Owned(Box<[Checkpoint]>),
    Sidecar(Box<RecordSlice<Checkpoint>>),
}

impl RunIndex {
    /// Walks `len` runs: `next` gives the size of the run at an offset, in whatever unit, and where the next one starts.
    pub(super) fn new(len: usize, mut next: impl FnMut(usize) -> (u8, usize)) -> Option<Self> {
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(len.div_ceil(BLOCK_RUNS)).ok()?;
        let mut at = 0_usize;
        for first in (0..len).step_by(BLOCK_RUNS) {
            let runs = len.saturating_sub(first).min(BLOCK_RUNS);
            let mut block = Checkpoint { base: as_u64(at).into(), sizes: [U64::ZERO; BLOCK_RUNS / 16] };
            let (mut word, mut shift) = (0, 0);
            for _ in 0..runs {
                let size;
                (size, at) = next(at);
                if let Some(sizes) = block.sizes.get_mut(word) {
                    *sizes |= U64::new(u64::from(size.min(MAX_NIBBLE)).wrapping_shl(shift));
                }
                (word, shift) = if shift == 60 { (word.wrapping_add(1), 0) } else { (word, shift.wrapping_add(4)) };
            }
            blocks.push(block);
        }
        Some(Self { blocks: Checkpoints::Owned(blocks.into()) })
    }

    /// Takes blocks from a sidecar.
    pub(crate) fn from_sidecar(blocks: RecordSlice<Checkpoint>) -> Self {
        Self { blocks: Checkpoints::Sidecar(Box::new(blocks)) }
    }

    #[inline]
    fn block(&self, run: usize) -> Option<&Checkpoint> {
        match &self.blocks {
            Checkpoints::Owned(blocks) => blocks.get(run / BLOCK_RUNS),
            Checkpoints::Sidecar(blocks) => blocks.get(as_u64(run / BLOCK_RUNS)),
        }
    }

    /// Tells whether a run has the size that the index has of it.
    pub(super) fn expects(&self, run: usize, size: usize) -> bool {
        self.block(run).and_then(|block| block.size(run % BLOCK_RUNS)) == Some(size.min(MAX_NIBBLE.into()))
    }

    /// Tells whether the blocks come from a sidecar, so that what is not found through them is to be found otherwise.
    #[inline]
    pub(super) const fn is_from_sidecar(&self) -> bool {
        matches!(self.blocks, Checkpoints::Sidecar(_))
    }

    /// Returns the blocks that are in memory.
    pub(crate) fn blocks(&self) -> &[Checkpoint] {
        match &self.blocks {
            Checkpoints::Owned(blocks) => blocks,
            Checkpoints::Sidecar(_) => &[],
        }
    }

    /// Returns where the block of run `run` starts, how many of its runs come before that run, and the sum of their sizes;
    /// `None` for the sum where one of them is too long for its nibble.
    #[inline]
    pub(super) fn find(&self, run: usize) -> Option<(usize, usize, Option<usize>)> {
        let block = self.block(run)?;
        let before = run % BLOCK_RUNS;
        Some((usize::try_from(block.base.get()).ok()?, before, block.sum_before(before)))
    }

    /// Returns the bytes of memory it takes; 0 where it is lent by a sidecar.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.blocks())
    }
}

/// Where 64 runs start, and their sizes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Checkpoint {
    base: U64,
    /// 16 sizes a word, the first in the lowest bits.
    sizes: [U64; BLOCK_RUNS / 16],
}

impl Checkpoint {
    /// Returns the size of a run as far as its nibble tells.
    fn size(&self, run: usize) -> Option<usize> {
        let shift = u32::try_from(run % 16).ok()?.checked_mul(4)?;
        usize::try_from(self.sizes.get(run / 16)?.get().checked_shr(shift)? & u64::from(MAX_NIBBLE)).ok()
    }

    /// Sums the sizes of the first `runs` runs (at most 63); `None` where one of them is too long for its nibble.
    #[inline]
    fn sum_before(&self, runs: usize) -> Option<usize> {
        const ONES: u64 = 0x1111_1111_1111_1111;
        let mut sum = 0_u64;
        let mut long = 0_u64;
        let mut left = u32::try_from(runs).ok()?;
        for word in self.sizes {
            // The nibbles of the runs asked for; all of them where 16 or more are left.
            let mask = if left >= 16 { u64::MAX } else { !u64::MAX.wrapping_shl(left.wrapping_mul(4)) };
            let word = word.get() & mask;
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
