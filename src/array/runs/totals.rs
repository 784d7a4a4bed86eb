//! The total sizes of a list of runs, which one walk over the runs computes.

use crate::math::as_u64;

/// The total sizes of a list of runs, and its longest run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// The size of all runs together, in bytes.
    pub bytes: u64,
    /// The number of records in all runs.
    pub records: u64,
    /// The offset of the longest run, in bytes from the first run, and its number of records.
    pub longest: (u64, u8),
}

impl RunTotals {
    /// Returns whether these totals are possible for a list of `runs` runs with records of `size`
    /// bytes.
    ///
    /// Totals that belong to another list of runs are seldom possible, so this check detects most
    /// wrong totals.
    pub(crate) fn matches(&self, runs: usize, size: usize) -> bool {
        let records = self.records.checked_mul(as_u64(size));
        records.and_then(|bytes| bytes.checked_add(as_u64(runs))) == Some(self.bytes)
    }
}
