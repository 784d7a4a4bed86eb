//! The slots of the requests.

use super::lists::{Links, List};
use super::log::Work;
use super::memory::{filled, reserved};
use super::request::{ItemRange, Priority, Slot};
use crate::error::Result;
use crate::math::as_index;

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The slot has no request.
    Free,
    /// The request is in the queue.
    Queued,
    /// The request waits for items that are being loaded.
    Loading,
    /// The request has ended, and the program has not yet taken the event.
    Ended,
}

#[derive(Clone, Debug)]
pub(super) struct SlotState {
    pub(super) generation: u32,
    pub(super) progress: Progress,
    pub(super) priority: Priority,
    pub(super) tag: u64,
    /// Whether the items stay pinned after the request is done.
    pub(super) is_pinning: bool,
    /// Whether the request must be started again, because the load of an item by another request
    /// ended without the item.
    pub(super) must_retry: bool,
    pub(super) waits: List,
    pub(super) range_count: usize,
    pub(super) work: Work,
}

/// All slots, with the item ranges of their requests.
#[derive(Debug)]
pub(super) struct Slots {
    states: Vec<SlotState>,
    ranges: Vec<ItemRange>,
    ranges_per_request: usize,
    unused: List,
    links: Links,
}

impl Slots {
    pub(super) fn new(count: u32, ranges_per_request: u32) -> Result<Self> {
        let (length, ranges_per_request) = (as_index(count), as_index(ranges_per_request));
        let empty = SlotState {
            generation: 0,
            progress: Progress::Free,
            priority: Priority::LEAST,
            tag: 0,
            is_pinning: false,
            must_retry: false,
            waits: List::EMPTY,
            range_count: 0,
            work: Work::default(),
        };
        let (mut links, mut unused) = (Links::new(length)?, List::EMPTY);
        (0..count).for_each(|slot| links.push_back(&mut unused, slot));
        let mut states = reserved(length)?;
        states.resize(length, empty);
        let ranges = filled(length.saturating_mul(ranges_per_request), ItemRange::default())?;
        Ok(Self { states, ranges, ranges_per_request, unused, links })
    }

    pub(super) fn take(&mut self) -> Option<u32> {
        self.links.pop_front(&mut self.unused)
    }

    /// Makes a slot free for another request.
    pub(super) fn free(&mut self, number: u32) {
        if let Some(slot) = self.get_mut(number) {
            slot.progress = Progress::Free;
            slot.generation = slot.generation.wrapping_add(1);
            self.links.push_back(&mut self.unused, number);
        }
    }

    pub(super) fn get(&self, number: u32) -> Option<&SlotState> {
        self.states.get(as_index(number))
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut SlotState> {
        self.states.get_mut(as_index(number))
    }

    /// Returns the state of a request that has not ended.
    pub(super) fn live(&mut self, slot: Slot) -> Option<&mut SlotState> {
        self.get_mut(slot.number)
            .filter(|state| state.generation == slot.generation)
            .filter(|state| matches!(state.progress, Progress::Queued | Progress::Loading))
    }

    pub(super) fn identity(&self, number: u32) -> Slot {
        Slot { number, generation: self.get(number).map_or(0, |slot| slot.generation) }
    }

    pub(super) fn set_ranges(&mut self, number: u32, ranges: &[ItemRange]) {
        let start = as_index(number).saturating_mul(self.ranges_per_request);
        let places = self.ranges.get_mut(start..).unwrap_or_default();
        places.iter_mut().zip(ranges).for_each(|(place, range)| *place = *range);
        if let Some(slot) = self.get_mut(number) {
            slot.range_count = ranges.len();
        }
    }

    /// Returns item range `index` of a request.
    pub(super) fn range(&self, number: u32, index: usize) -> Option<ItemRange> {
        let count = self.get(number)?.range_count;
        let start = as_index(number).saturating_mul(self.ranges_per_request);
        (index < count).then(|| self.ranges.get(start.saturating_add(index)).copied()).flatten()
    }
}
