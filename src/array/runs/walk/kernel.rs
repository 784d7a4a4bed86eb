//! The types that all fast scans of runs share: the upper bounds of a scan, and its progress.

/// The only record size that the fast scans support, in bytes.
pub(crate) const RECORD_SIZE: usize = 4;

/// The number of runs that a fast scan has scanned, and their total size in bytes.
///
/// All scanned runs are complete, and none of them has more records than [`WalkLimits::count`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalkProgress {
    pub(crate) bytes: usize,
    pub(crate) runs: usize,
}

/// The upper bounds that a fast scan of runs must respect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkLimits {
    /// The maximum number of records in a run. A fast scan must stop before a run with more than
    /// `count` records.
    pub(crate) count: u8,
    /// The number of runs of records that remain in the list. Each run takes at least one byte, so
    /// the remaining runs take at least `runs` bytes.
    pub(crate) runs: usize,
}

/// A fast scan: a function that scans runs of four-byte records.
///
/// The first run that the function scans starts at the first byte of the slice.
pub(crate) type WalkKernel = fn(&[u8], WalkLimits) -> WalkProgress;

/// Returns the byte offset of the run after the run that starts at byte offset `at`.
///
/// `count` is the number of records of the run at `at`, and `size` is the size of a record in
/// bytes.
#[inline]
pub(crate) fn step(at: usize, count: u8, size: usize) -> usize {
    at.saturating_add(1).saturating_add(usize::from(count).saturating_mul(size))
}
