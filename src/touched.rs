//! The honest report of which bytes of a file a parser looked at.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes in the pages that [`Touched::pages`] counts.
pub const PAGE: u64 = 4096;

/// Records which bytes a parser looked at, each of them once however often it came back.
///
/// Only what the parser *reads* counts: a header field, a count, a flag. An array that it steps over and lends does
/// not. Kept by those who ask for it ([`unigine::Mesh::watched`](crate::unigine::Mesh::watched)); others pay nothing.
#[derive(Debug, Default)]
pub struct Touched(Mutex<BTreeMap<u64, Span>>);

#[derive(Clone, Copy, Debug)]
struct Span {
    end: u64,
    bytes: u64,
}

impl Touched {
    /// Notes that all of `start..end` was read.
    pub(crate) fn note(&self, start: u64, end: u64) {
        self.insert(start, Span { end, bytes: end.saturating_sub(start) });
    }

    /// Notes that `bytes` bytes, spread over `start..end`, were read.
    pub(crate) fn note_spread(&self, start: u64, end: u64, bytes: u64) {
        self.insert(start, Span { end, bytes });
    }

    /// Returns how many distinct bytes were looked at.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lock().values().fold(0, |sum, span| sum.saturating_add(span.bytes))
    }

    /// Returns how many distinct pages of 4 KiB, counted from the start of the file, those bytes lie in.
    #[must_use]
    pub fn pages(&self) -> u64 {
        let mut pages = 0_u64;
        let mut next = 0_u64;
        for (start, span) in &*self.lock() {
            let first = (start / PAGE).max(next);
            let end = span.end.div_ceil(PAGE);
            pages = pages.saturating_add(end.saturating_sub(first));
            next = next.max(end);
        }
        pages
    }

    /// A field that follows its neighbour without a gap joins it, so that a header of any length is one span.
    fn insert(&self, start: u64, span: Span) {
        let mut spans = self.lock();
        if let Some((_, before)) = spans.range_mut(..start).next_back() {
            if before.end >= span.end {
                return;
            }
            if before.end == start {
                before.end = span.end;
                before.bytes = before.bytes.saturating_add(span.bytes);
                return;
            }
        }
        spans.entry(start).or_insert(span);
    }

    /// A panic elsewhere cannot leave the map half-changed, so a poisoned lock is taken as it is.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Span>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_byte_and_page_once() {
        let touched = Touched::default();
        touched.note(0, 4);
        touched.note(4, 44);
        touched.note(0, 4);
        touched.note(40, 44);
        assert_eq!((touched.bytes(), touched.pages()), (44, 1));
        touched.note(4095, 4097);
        assert_eq!((touched.bytes(), touched.pages()), (46, 2));
        touched.note_spread(10_000, 30_000, 50);
        assert_eq!((touched.bytes(), touched.pages()), (96, 2 + 6));
    }
}
