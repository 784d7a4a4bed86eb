//! The total size of a list of runs of records, and its longest run, which one scan computes.

use crate::math::as_u64;

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
