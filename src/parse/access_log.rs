//! A log of the bytes of a file that were read.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Size of the pages that [`AccessLog::pages`] counts, in bytes.
pub const PAGE: u64 = 4096;

/// Records which bytes of a file a parser has read. A byte that is read more than once counts once.
///
/// Only the values that the parser *reads* are recorded: a header field, a count, a flag. An array
/// that the parser skips and borrows is not recorded. A file has a log if it is opened with
/// [`record_access`](crate::parse::OpenOptions::record_access). The log takes about 50 bytes for
/// each separate byte range. For a file without a log, recording has no cost.
#[derive(Debug, Default)]
pub struct AccessLog(Mutex<ReadRanges>);

/// The byte ranges that the log has recorded.
#[derive(Debug, Default)]
struct ReadRanges {
    /// Disjoint byte ranges that were read completely: the start and the end of each range.
    whole: BTreeMap<u64, u64>,
    /// Byte ranges that were read only in part: the start, the end, and the number of bytes that
    /// were read.
    walks: BTreeMap<u64, (u64, u64)>,
}

impl AccessLog {
    /// Records that all bytes of the range `start..end` were read.
    pub(crate) fn record(&self, start: u64, end: u64) {
        let (mut start, mut end) = (start, end);
        let whole = &mut self.lock().whole;
        // Adjacent and overlapping byte ranges are merged, so a header of any length is one range.
        while let Some((&before, &until)) = whole.range(..=end).next_back().filter(|(_, until)| **until >= start) {
            (start, end) = (start.min(before), end.max(until));
            whole.remove(&before);
        }
        whole.insert(start, end);
    }

    /// Records that `bytes` bytes of the range `start..end` were read, at unknown offsets.
    pub(crate) fn record_partial(&self, start: u64, end: u64, bytes: u64) {
        let walks = &mut self.lock().walks;
        let walk = walks.entry(start).or_default();
        *walk = (walk.0.max(end), walk.1.max(bytes));
    }

    /// Returns the number of distinct bytes of the file that were read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let ranges = self.lock();
        let whole = ranges.whole.iter().map(|(start, end)| end.saturating_sub(*start));
        whole.chain(ranges.walks.values().map(|(_, bytes)| *bytes)).fold(0, u64::saturating_add)
    }

    /// Returns the number of distinct 4 KiB pages of the file that contain bytes that were read.
    /// Page 0 begins at the start of the file.
    #[must_use]
    pub fn pages(&self) -> u64 {
        let ranges = self.lock();
        let whole = ranges.whole.iter().map(|(start, end)| (*start, *end));
        let mut spans: Vec<(u64, u64)> =
            whole.chain(ranges.walks.iter().map(|(start, (end, _))| (*start, *end))).collect();
        spans.sort_unstable();
        let (mut pages, mut next) = (0_u64, 0_u64);
        for (start, end) in spans.into_iter().filter(|(start, end)| start < end) {
            let first = (start / PAGE).max(next);
            let end = end.div_ceil(PAGE);
            pages = pages.saturating_add(end.saturating_sub(first));
            next = next.max(end);
        }
        pages
    }

    /// Locks the recorded ranges. A panic in another thread cannot leave the ranges half-changed,
    /// so a poisoned lock is used as it is.
    fn lock(&self) -> MutexGuard<'_, ReadRanges> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_byte_and_page_once() {
        let log = AccessLog::default();
        log.record(0, 4);
        log.record(4, 44);
        log.record(0, 4);
        log.record(40, 44);
        assert_eq!((log.bytes(), log.pages()), (44, 1));
        log.record(4095, 4097);
        assert_eq!((log.bytes(), log.pages()), (46, 2));
        log.record(5000, 5001);
        log.record(4998, 5000);
        log.record(5000, 5001);
        log.record(4999, 5000);
        assert_eq!((log.bytes(), log.pages()), (49, 2));
        log.record_partial(10_000, 30_000, 50);
        log.record_partial(10_000, 30_000, 50);
        assert_eq!((log.bytes(), log.pages()), (99, 2 + 6));
    }
}
