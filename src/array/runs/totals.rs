//! What one walk over runs counts.

use crate::math::as_u64;

/// Sizes of a list of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// Bytes that all runs take together.
    pub bytes: u64,
    /// Records in all runs.
    pub records: u64,
    /// Where the longest run starts, in bytes from the first run, and its count.
    pub longest: (u64, u8),
}

impl RunTotals {
    /// Returns whether these can be the totals of `runs` runs of records of `size` bytes: of other runs they seldom can.
    pub(crate) fn matches(&self, runs: usize, size: usize) -> bool {
        let records = self.records.checked_mul(as_u64(size));
        records.and_then(|bytes| bytes.checked_add(as_u64(runs))) == Some(self.bytes)
    }
}
