//! The interface of the fast walks: limits in, progress out.

/// Bytes of a record that the fast ways know.
pub(crate) const RECORD_SIZE: usize = 4;

/// Runs that were passed over, all of them whole and none longer than limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalkProgress {
    pub(crate) bytes: usize,
    pub(crate) runs: usize,
}

/// What a fast way may count on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkLimits {
    /// The longest run that may be passed over.
    pub(crate) count: u8,
    /// How many runs there still are. Each takes a byte or more, so as many bytes belong to them.
    pub(crate) runs: usize,
}

/// Passes over runs of four-byte records from the first of some bytes on.
pub(crate) type WalkKernel = fn(&[u8], WalkLimits) -> WalkProgress;

/// Returns where the run after the one at `at` starts.
#[inline]
pub(crate) fn step(at: usize, count: u8, size: usize) -> usize {
    at.saturating_add(1).saturating_add(usize::from(count).saturating_mul(size))
}
