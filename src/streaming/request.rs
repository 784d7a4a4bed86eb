//! Requests, and the events that end them.

use std::ops::Range;

use super::log::Work;
use crate::error::Error;
use crate::math::as_index;

/// The urgency of a request: 0 to 63, where 63 is the most urgent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

impl Priority {
    /// The least urgent.
    pub(crate) const LEAST: Self = Self(0);
    /// The most urgent.
    pub const MOST: Self = Self(63);

    /// Makes a priority. A number above 63 is taken as 63.
    ///
    /// ```
    /// use meshpeek::streaming::Priority;
    /// assert_eq!(Priority::new(200), Priority::MOST);
    /// assert!(Priority::new(7) > Priority::new(6));
    /// ```
    #[must_use]
    pub const fn new(urgency: u8) -> Self {
        if urgency > Self::MOST.0 { Self::MOST } else { Self(urgency) }
    }

    /// Returns the priority as a number.
    #[doc(hidden)]
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    pub(super) fn of_bucket(bucket: u32) -> Self {
        Self::new(u8::try_from(bucket).unwrap_or(u8::MAX))
    }

    pub(super) fn bucket(self) -> usize {
        usize::from(self.0)
    }
}

/// Consecutive items of a content that a request needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ItemRange {
    /// The first item.
    pub first: u32,
    /// The end of the range: the item after the last.
    pub end: u32,
    /// The number of bytes at the start of the first item that the request does not need. Only the
    /// statistics use it.
    pub(super) skipped: u32,
    /// The number of bytes at the end of the last item that the request does not need. Only the
    /// statistics use it.
    pub(super) cut: u32,
}

impl From<Range<u32>> for ItemRange {
    fn from(items: Range<u32>) -> Self {
        Self { first: items.start, end: items.end, skipped: 0, cut: 0 }
    }
}

impl ItemRange {
    /// Makes the range of one item. `ItemRange::from(3..7)` is a range of several items.
    #[must_use]
    pub const fn one(item: u32) -> Self {
        Self { first: item, end: item.saturating_add(1), skipped: 0, cut: 0 }
    }

    /// Returns the number of items.
    #[doc(hidden)]
    #[must_use]
    pub fn len(&self) -> usize {
        as_index(self.end.saturating_sub(self.first))
    }

    /// Returns whether the range has no items.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.first >= self.end
    }

    pub(super) const fn items(&self) -> Range<u32> {
        self.first..self.end
    }

    /// Returns the number of bytes of `item`, which has `bytes` bytes, that the request needs.
    pub(super) fn wanted(&self, item: u32, bytes: u64) -> u64 {
        let skipped = if item == self.first { self.skipped } else { 0 };
        let cut = if item.saturating_add(1) == self.end { self.cut } else { 0 };
        bytes.saturating_sub(u64::from(skipped)).saturating_sub(u64::from(cut))
    }
}

/// The identity of a request, which [`Streamer::request`](super::Streamer::request) returns.
///
/// The number of the slot is used again after the request has ended, with another generation. A
/// `Slot` of an ended request therefore never refers to a later request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    pub(super) number: u32,
    pub(super) generation: u32,
}

/// How a request ended.
#[derive(Clone, Debug)]
pub enum StreamOutcome {
    /// All items of the request are resident.
    Done,
    /// An item could not be loaded. No item that only this request needs is resident.
    Failed(Error),
    /// The request was cancelled before all items were resident.
    Cancelled,
}

/// The end of a request. Each request ends with exactly one event.
#[derive(Clone, Debug)]
pub struct StreamEvent {
    /// The request.
    pub slot: Slot,
    /// The number that the program gave to the request.
    pub tag: u64,
    /// How the request ended.
    pub outcome: StreamOutcome,
    /// The work that was done for this request. Work for an item that several requests need
    /// belongs to the request that was started first.
    pub work: Work,
}

impl StreamEvent {
    pub(super) const EMPTY: Self = Self {
        slot: Slot { number: u32::MAX, generation: 0 },
        tag: 0,
        outcome: StreamOutcome::Cancelled,
        work: Work { wanted: 0, read: 0, inflated: 0, touched: 0, stalled: 0, evicted: 0 },
    };
}
