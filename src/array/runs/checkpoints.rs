//! An index that gives random access to the runs of a list.

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::math::as_u64;
use crate::sidecar::RecordSlice;

/// The number of consecutive runs that one block of a [`RunIndex`] covers.
const BLOCK_RUNS: usize = 64;
/// The nibble (4 bits) that encodes a size of 15 or more. To find a run after such a nibble in its
/// block, the runs of the block are walked.
const MAX_NIBBLE: u8 = 15;

/// An index that locates any run of a list in constant time.
///
/// For each block of 64 consecutive runs, the index stores the offset of the block's first run, and
/// the size of each run in 4 bits.
#[derive(Clone, Debug)]
pub struct RunIndex {
    blocks: Checkpoints,
}

/// The storage of the blocks of an index: in memory, or in a sidecar.
#[derive(Clone, Debug)]
enum Checkpoints {
    Owned(Box<[Checkpoint]>),
    Sidecar(Box<RecordSlice<Checkpoint>>),
}

impl RunIndex {
    /// Builds an index: walks over `len` runs, and stores the offset of each block of 64 runs and
    /// the size of each run.
    ///
    /// The closure `next` receives the offset of a run, and returns the size of the run and the
    /// offset of the next run. The caller chooses the unit of the sizes, for example records or
    /// bytes.
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

    /// Makes an index whose blocks are read from a sidecar.
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

    /// Returns whether `size` agrees with the size that the index stores for run number `run`.
    pub(super) fn expects(&self, run: usize, size: usize) -> bool {
        self.block(run).and_then(|block| block.size(run % BLOCK_RUNS)) == Some(size.min(MAX_NIBBLE.into()))
    }

    /// Returns whether the blocks of the index are stored in a sidecar.
    ///
    /// A sidecar may be damaged. If a run is not found through the blocks of a sidecar, the caller
    /// must find the run with a walk.
    #[inline]
    pub(super) const fn is_from_sidecar(&self) -> bool {
        matches!(self.blocks, Checkpoints::Sidecar(_))
    }

    /// Returns the blocks of the index if they are in memory, or an empty slice if they are in a
    /// sidecar.
    pub(crate) fn blocks(&self) -> &[Checkpoint] {
        match &self.blocks {
            Checkpoints::Owned(blocks) => blocks,
            Checkpoints::Sidecar(_) => &[],
        }
    }

    /// Looks up the block that contains run number `run`.
    ///
    /// Returns the offset of the block's first run, the number of runs in the block before `run`,
    /// and the sum of the sizes of these runs. The sum is `None` if one of these runs has a size of
    /// 15 or more, which does not fit in its nibble.
    #[inline]
    pub(super) fn find(&self, run: usize) -> Option<(usize, usize, Option<usize>)> {
        let block = self.block(run)?;
        let before = run % BLOCK_RUNS;
        Some((usize::try_from(block.base.get()).ok()?, before, block.sum_before(before)))
    }

    /// Returns the number of bytes of memory that the index takes. The number is 0 if the index is
    /// stored in a sidecar.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.blocks())
    }
}

/// A block of the index: the offset of the first of 64 consecutive runs, and the sizes of these
/// runs.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Checkpoint {
    base: U64,
    /// The sizes of the 64 runs, 4 bits each: 16 sizes in each word, with the first size in the
    /// lowest bits.
    sizes: [U64; BLOCK_RUNS / 16],
}

impl Checkpoint {
    /// Returns the stored size of a run, or 15 if the size of the run is 15 or more.
    fn size(&self, run: usize) -> Option<usize> {
        let shift = u32::try_from(run % 16).ok()?.checked_mul(4)?;
        usize::try_from(self.sizes.get(run / 16)?.get().checked_shr(shift)? & u64::from(MAX_NIBBLE)).ok()
    }

    /// Sums the sizes of the first `runs` runs of the block (at most 63).
    ///
    /// Returns `None` if one of these runs has a size of 15 or more, which does not fit in its
    /// nibble.
    #[inline]
    fn sum_before(&self, runs: usize) -> Option<usize> {
        const ONES: u64 = 0x1111_1111_1111_1111;
        let mut sum = 0_u64;
        let mut long = 0_u64;
        let mut left = u32::try_from(runs).ok()?;
        for word in self.sizes {
            // Selects the nibbles of the requested runs: all nibbles if 16 or more runs remain.
            let mask = if left >= 16 { u64::MAX } else { !u64::MAX.wrapping_shl(left.wrapping_mul(4)) };
            let word = word.get() & mask;
            // A nibble of 15 has all four bits set.
            long |= word & (word >> 1) & (word >> 2) & (word >> 3) & ONES;
            // Each byte becomes the sum of a pair of nibbles, at most 30. The multiplication adds
            // up eight such sums, at most 240, in the top byte.
            let pairs = (word & 0x0f0f_0f0f_0f0f_0f0f).wrapping_add((word >> 4) & 0x0f0f_0f0f_0f0f_0f0f);
            sum = sum.wrapping_add(pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56);
            left = left.saturating_sub(16);
        }
        if long == 0 { usize::try_from(sum).ok() } else { None }
    }
}
