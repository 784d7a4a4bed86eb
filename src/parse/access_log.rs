//! The record of which bytes of a file were read.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes in the pages that [`AccessLog::pages`] counts.
pub const PAGE: u64 = 4096;

/// Records which bytes a parser looked at, each of them once however often it came back.
///
/// Only what the parser *reads* counts: a header field, a count, a flag. An array that it steps over and lends does
/// not. A file keeps a log if it is opened with [`record_access`](crate::parse::OpenOptions::record_access), at about 50
/// bytes for each range that is read apart from others; without a log nothing is paid.
#[derive(Debug, Default)]
pub struct AccessLog(Mutex<ReadRanges>);

/// What was read.
#[derive(Debug, Default)]
struct ReadRanges {
    /// Ranges of which every byte was read, apart from each other: start and end.
    whole: BTreeMap<u64, u64>,
    /// Walks that read some bytes of a range: start, end and bytes.
    walks: BTreeMap<u64, (u64, u64)>,
}

impl AccessLog {
    /// Records that all of `start..end` was read.
    pub(crate) fn record(&self, start: u64, end: u64) {
        let (mut start, mut end) = (start, end);
        let whole = &mut self.lock().whole;
        // Whatever meets the new range joins it, so that a header of any length is one range.
        while let Some((&before, &until)) = whole.range(..=end).next_back().filter(|(_, until)| **until >= start) {
            (start, end) = (start.min(before), end.max(until));
            whole.remove(&before);
        }
        whole.insert(start, end);
    }

    /// Records that `bytes` bytes, spread over `start..end`, were read.
    pub(crate) fn record_partial(&self, start: u64, end: u64, bytes: u64) {
        let walks = &mut self.lock().walks;
        let walk = walks.entry(start).or_default();
        *walk = (walk.0.max(end), walk.1.max(bytes));
    }

    /// Returns how many distinct bytes were looked at.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let ranges = self.lock();
        let whole = ranges.whole.iter().map(|(start, end)| end.saturating_sub(*start));
        whole.chain(ranges.walks.values().map(|(_, bytes)| *bytes)).fold(0, u64::saturating_add)
    }

    /// Returns how many distinct pages of 4 KiB, counted from the start of the file, those bytes lie in.
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

    /// A panic elsewhere cannot leave the map half-changed, so a poisoned lock is taken as it is.
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
