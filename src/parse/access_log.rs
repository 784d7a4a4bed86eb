//! A log of the byte ranges of a file that the parser has read.

// Rule: this file sorts and maps by copies only.

use crate::error::Result;
use crate::error::debug::short_debug;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Size of a page, in bytes, for [`AccessLog::pages`].
pub const PAGE: u64 = 4096;

/// Records which bytes of a file the parser has read.
///
/// A byte of the file that is read more than once is counted once.
///
/// The log contains only the values that the parser *reads*, such as a header field, a count or a
/// flag. If the parser borrows an array without reading its items, the log does not contain the
/// array. A mesh has an `AccessLog` only if it is opened with
/// [`record_access`](crate::parse::OpenOptions::with_record_access). The log takes about 50 bytes of
/// memory for each separate byte range. If a mesh has no `AccessLog`, reading the mesh is not
/// slowed down by logging.
#[derive(Default)]
pub struct AccessLog(Mutex<ReadRanges>);

short_debug!(AccessLog: |log| { bytes: log.bytes() });

/// The byte ranges of the file that an [`AccessLog`] has recorded.
#[derive(Debug, Default)]
struct ReadRanges {
    /// Disjoint byte ranges that were read completely, as a map from the start to the end of each
    /// byte range.
    whole: BTreeMap<u64, u64>,
    /// The start and the end of the byte range that was read last, which `whole` may not contain
    /// yet. Most reads continue this byte range, and then the map is not searched.
    latest: (u64, u64),
    /// Byte ranges that were read only in part, as a map from the start of each byte range to its
    /// end and the number of bytes that were read.
    walks: BTreeMap<u64, (u64, u64)>,
}

impl AccessLog {
    /// Adds the byte range `start..end` to the log, as a range that was read completely.
    pub(crate) fn record(&self, start: u64, end: u64) {
        let mut ranges = self.lock();
        let (first, last) = ranges.latest;
        if start <= last && end >= first {
            ranges.latest = (start.min(first), end.max(last));
            return;
        }
        if ranges.whole.range(..=start).next_back().is_some_and(|(_, until)| *until >= end) {
            return;
        }
        ranges.merge_latest();
        ranges.latest = (start, end);
    }

    /// Adds the byte range `start..end` to the log, as a range from which `bytes` bytes at unknown
    /// offsets were read.
    pub(crate) fn record_partial(&self, start: u64, end: u64, bytes: u64) {
        let walks = &mut self.lock().walks;
        let walk = walks.entry(start).or_default();
        *walk = (walk.0.max(end), walk.1.max(bytes));
    }

    /// Returns the number of distinct bytes of the file that the parser has read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let mut ranges = self.lock();
        ranges.merge_latest();
        let whole = ranges.whole.iter().map(|(start, end)| end.saturating_sub(*start));
        whole.chain(ranges.walks.values().map(|(_, bytes)| *bytes)).fold(0, u64::saturating_add)
    }

    /// Returns the number of distinct 4 KiB pages of the file in which the parser has read a byte.
    ///
    /// Page 0 begins at the start of the file.
    #[must_use]
    pub fn pages(&self) -> u64 {
        let mut ranges = self.lock();
        ranges.merge_latest();
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

    /// Calls `see` with each recorded byte range, until it returns an error.
    ///
    /// The byte ranges include those that were read only in part, and may overlap.
    pub(crate) fn try_for_each(&self, see: &mut dyn FnMut(Range<u64>) -> Result<()>) -> Result<()> {
        let mut ranges = self.lock();
        ranges.merge_latest();
        let partial = ranges.walks.iter().map(|(start, (end, _))| *start..*end);
        ranges.whole.iter().map(|(start, end)| *start..*end).chain(partial).try_for_each(see)
    }

    /// Locks the recorded byte ranges.
    ///
    /// A poisoned mutex is not treated as an error, because a panic in another thread cannot leave
    /// the byte ranges in an inconsistent state.
    fn lock(&self) -> MutexGuard<'_, ReadRanges> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadRanges {
    /// Moves the latest byte range to `whole`.
    fn merge_latest(&mut self) {
        let (mut start, mut end) = std::mem::take(&mut self.latest);
        if start == end {
            return;
        }
        // Adjacent and overlapping byte ranges are merged. A header that is read field by field
        // therefore becomes one byte range.
        while let Some((&before, &until)) = self.whole.range(..=end).next_back().filter(|(_, until)| **until >= start) {
            (start, end) = (start.min(before), end.max(until));
            self.whole.remove(&before);
        }
        self.whole.insert(start, end);
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
        log.record(0, 44);
        log.record(44, 50);
        assert_eq!((log.bytes(), log.pages()), (55, 2));
        log.record_partial(10_000, 30_000, 50);
        log.record_partial(10_000, 30_000, 50);
        assert_eq!((log.bytes(), log.pages()), (105, 2 + 6));
    }
}
