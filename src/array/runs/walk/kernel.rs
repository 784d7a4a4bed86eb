//! The types that the fast loops over runs share: the range that a loop may read, and the position
//! and the totals that it reached.

/// The only record size that the fast walks support, in bytes.
pub(crate) const RECORD_SIZE: usize = 4;

/// The runs that a fast walk stepped over. All of these runs are complete, and none of them has
/// more records than the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalkProgress {
    pub(crate) bytes: usize,
    pub(crate) runs: usize,
}

/// The limits that a fast walk over runs must respect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkLimits {
    /// The maximum number of records in a run. The fast walk must stop before a longer run.
    pub(crate) count: u8,
    /// The number of runs that remain in the list. Each run takes at least one byte, so the
    /// remaining runs have at least this number of bytes.
    pub(crate) runs: usize,
}

/// A fast walk: a function that walks over runs of four-byte records. The first run starts at the
/// first byte of the slice.
pub(crate) type WalkKernel = fn(&[u8], WalkLimits) -> WalkProgress;

/// Returns the offset of the run after the run at offset `at`.
#[inline]
pub(crate) fn step(at: usize, count: u8, size: usize) -> usize {
    at.saturating_add(1).saturating_add(usize::from(count).saturating_mul(size))
}
