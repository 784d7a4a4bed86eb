//! The interface of the fast walks: limits in, progress out.

/// Bytes of a record that the fast ways know.
pub(in crate::array::runs) const RECORD_SIZE: usize = 4;

/// Runs that were passed over, all of them whole and none longer than limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::array::runs) struct WalkProgress {
    pub(in crate::array::runs) bytes: usize,
    pub(in crate::array::runs) runs: usize,
}

/// What a fast way may count on.
#[derive(Clone, Copy, Debug)]
pub(in crate::array::runs) struct WalkLimits {
    /// The longest run that may be passed over.
    pub(in crate::array::runs) count: u8,
    /// How many runs there still are. Each takes a byte or more, so as many bytes belong to them.
    pub(in crate::array::runs) runs: usize,
}

/// Passes over runs of four-byte records from the first of some bytes on.
pub(in crate::array::runs) type WalkKernel = fn(&[u8], WalkLimits) -> WalkProgress;

/// Returns where the run after the one at `at` starts.
#[inline]
pub(in crate::array::runs) fn step(at: usize, count: u8, size: usize) -> usize {
    at.saturating_add(1).saturating_add(usize::from(count).saturating_mul(size))
}
