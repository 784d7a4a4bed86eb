//! The items of a content: which are resident, which was used least recently, and which are leased.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::lists::{Links, List};
use super::memory::{filled, reserved};
use crate::error::Result;
use crate::math::as_index;

/// The greatest number of leases at a time.
const MAX_LEASES: usize = 64;
/// Marks an entry without a lease.
const NONE: u32 = u32::MAX;

/// Where an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Absent,
    Loading,
    Resident,
    /// No longer resident, but a worker has not freed its memory yet.
    Evicting,
}

#[derive(Debug)]
struct ItemState {
    place: Place,
    /// The number of requests in progress, and of pins, that need the item.
    holds: u32,
    pins: u32,
    /// The frame in which the item was last used.
    used: AtomicU32,
    /// The value of `used` when the item was added to the list of items to evict.
    listed: u32,
    /// The number of bytes that the item takes from the budget.
    bytes: u64,
    /// The waits of requests for the item.
    waits: List,
}

/// All items of a content.
#[derive(Debug)]
pub(super) struct ItemTable<V> {
    items: Vec<ItemState>,
    values: Vec<Option<V>>,
    /// The resident items that no request holds, from the least recently used on.
    evictable: List,
    links: Links,
    pinned_bytes: u64,
}

impl<V> ItemTable<V> {
    pub(super) fn new(count: u32) -> Result<Self> {
        let count = as_index(count);
        let mut items = reserved(count)?;
        items.resize_with(count, || ItemState {
            place: Place::Absent,
            holds: 0,
            pins: 0,
            used: AtomicU32::new(0),
            listed: 0,
            bytes: 0,
            waits: List::EMPTY,
        });
        let mut values = reserved(count)?;
        values.resize_with(count, || None);
        Ok(Self { items, values, evictable: List::EMPTY, links: Links::new(count)?, pinned_bytes: 0 })
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    pub(super) const fn pinned_bytes(&self) -> u64 {
        self.pinned_bytes
    }

    fn at(&self, item: u32) -> Option<&ItemState> {
        self.items.get(as_index(item))
    }

    pub(super) fn place(&self, item: u32) -> Place {
        self.at(item).map_or(Place::Absent, |item| item.place)
    }

    pub(super) fn set_place(&mut self, item: u32, place: Place) {
        if let Some(item) = self.items.get_mut(as_index(item)) {
            item.place = place;
        }
    }

    /// Returns the value of a resident item, and notes that it is used in `frame`.
    pub(super) fn value(&self, item: u32, frame: u32) -> Option<&V> {
        let record = self.at(item).filter(|record| record.place == Place::Resident)?;
        record.used.store(frame, Relaxed);
        self.values.get(as_index(item))?.as_ref()
    }

    pub(super) fn waits(&mut self, item: u32) -> Option<&mut List> {
        self.items.get_mut(as_index(item)).map(|item| &mut item.waits)
    }

    pub(super) fn first_wait(&self, item: u32) -> Option<u32> {
        self.at(item)?.waits.first()
    }

    /// Keeps a resident item from being evicted until [`release`](Self::release) is called as
    /// often.
    pub(super) fn hold(&mut self, item: u32) {
        let Some(record) = self.items.get_mut(as_index(item)) else { return };
        record.holds = record.holds.saturating_add(1);
        if record.holds == 1 && record.place == Place::Resident {
            self.links.remove(&mut self.evictable, item);
        }
    }

    pub(super) fn release(&mut self, item: u32, frame: u32) {
        let Some(record) = self.items.get_mut(as_index(item)) else { return };
        record.holds = record.holds.saturating_sub(1);
        if record.holds == 0 && record.place == Place::Resident {
            self.list(item, frame);
        }
    }

    pub(super) fn pin(&mut self, item: u32) {
        self.hold(item);
        let Some(record) = self.items.get_mut(as_index(item)) else { return };
        record.pins = record.pins.saturating_add(1);
        if record.pins == 1 {
            self.pinned_bytes = self.pinned_bytes.saturating_add(record.bytes);
        }
    }

    /// Removes a pin. Returns `false` if the item has none.
    pub(super) fn unpin(&mut self, item: u32, frame: u32) -> bool {
        let Some(record) = self.items.get_mut(as_index(item)).filter(|record| record.pins > 0) else { return false };
        record.pins = record.pins.saturating_sub(1);
        if record.pins == 0 {
            self.pinned_bytes = self.pinned_bytes.saturating_sub(record.bytes);
        }
        self.release(item, frame);
        true
    }

    fn list(&mut self, item: u32, frame: u32) {
        let Some(record) = self.items.get_mut(as_index(item)) else { return };
        *record.used.get_mut() = frame;
        record.listed = frame;
        self.links.push_back(&mut self.evictable, item);
    }

    /// Makes a loading item resident.
    pub(super) fn publish(&mut self, item: u32, value: V, bytes: u64, frame: u32) {
        let (Some(record), Some(place)) = (self.items.get_mut(as_index(item)), self.values.get_mut(as_index(item)))
        else {
            return;
        };
        record.place = Place::Resident;
        record.bytes = bytes;
        *place = Some(value);
        if record.holds == 0 {
            self.list(item, frame);
        }
    }

    /// Moves the first item of the list to its end if it was used after it was listed. Returns
    /// whether it was.
    pub(super) fn skip_used(&mut self) -> bool {
        let Some(item) = self.evictable.first() else { return false };
        let Some(record) = self.items.get_mut(as_index(item)) else { return false };
        let used = *record.used.get_mut();
        if used == record.listed {
            return false;
        }
        record.listed = used;
        self.links.remove(&mut self.evictable, item);
        self.links.push_back(&mut self.evictable, item);
        true
    }

    /// Takes the first item of the list, with its value and its size, or returns `None` if it is
    /// leased. `is_leased` returns whether an item last used in a frame is leased.
    ///
    /// The first item is the least recently used one if [`skip_used`](Self::skip_used) returns
    /// `false`.
    pub(super) fn evict(&mut self, is_leased: impl Fn(u32) -> bool) -> Option<(u32, V, u64)> {
        let item = self.evictable.first()?;
        let record = self.items.get_mut(as_index(item))?;
        if is_leased(*record.used.get_mut()) {
            return None;
        }
        let bytes = std::mem::take(&mut record.bytes);
        record.place = Place::Evicting;
        self.links.remove(&mut self.evictable, item);
        let value = self.values.get_mut(as_index(item))?.take()?;
        Some((item, value, bytes))
    }

    pub(super) const fn has_evictable(&self) -> bool {
        !self.evictable.is_empty()
    }
}

/// A wait: a request that needs an item which is being loaded.
#[derive(Clone, Copy, Debug)]
struct Wait {
    slot: u32,
    item: u32,
}

/// All waits. Each is in the list of its request and in the list of its item.
#[derive(Debug)]
pub(super) struct Waits {
    all: Vec<Wait>,
    of_slots: Links,
    of_items: Links,
    unused: List,
}

impl Waits {
    pub(super) fn new(count: usize) -> Result<Self> {
        let mut of_slots = Links::new(count)?;
        let mut unused = List::EMPTY;
        (0..u32::try_from(count).unwrap_or(u32::MAX)).for_each(|wait| of_slots.push_back(&mut unused, wait));
        let all = filled(count, Wait { slot: u32::MAX, item: u32::MAX })?;
        Ok(Self { all, of_slots, of_items: Links::new(count)?, unused })
    }

    pub(super) const fn unused(&self) -> u32 {
        self.unused.len()
    }

    /// Adds a wait. There must be an unused one.
    pub(super) fn add(&mut self, slot: u32, of_slot: &mut List, item: u32, of_item: &mut List) {
        let Some(wait) = self.of_slots.pop_front(&mut self.unused) else { return };
        if let Some(place) = self.all.get_mut(as_index(wait)) {
            *place = Wait { slot, item };
        }
        self.of_slots.push_back(of_slot, wait);
        self.of_items.push_back(of_item, wait);
    }

    /// Removes a wait from both lists.
    pub(super) fn remove(&mut self, wait: u32, of_slot: &mut List, of_item: &mut List) {
        self.of_slots.remove(of_slot, wait);
        self.of_items.remove(of_item, wait);
        self.of_slots.push_back(&mut self.unused, wait);
    }

    pub(super) fn slot(&self, wait: u32) -> u32 {
        self.all.get(as_index(wait)).map_or(u32::MAX, |wait| wait.slot)
    }

    pub(super) fn item(&self, wait: u32) -> u32 {
        self.all.get(as_index(wait)).map_or(u32::MAX, |wait| wait.item)
    }
}

/// The first frame of each lease.
#[derive(Debug)]
pub(super) struct Leases(Arc<[AtomicU32; MAX_LEASES]>);

/// Keeps every item resident that was used in or after the frame in which the lease was made. The
/// lease ends when it is dropped, on any thread.
///
/// [`Streamer::lease`](super::Streamer::lease) makes a lease. Leases are for readers that need
/// items for longer than [`lease_frames`](super::StreamOptions::with_lease_frames).
#[derive(Debug)]
pub struct Lease {
    all: Arc<[AtomicU32; MAX_LEASES]>,
    entry: usize,
}

impl Leases {
    pub(super) fn new() -> Self {
        Self(Arc::new([const { AtomicU32::new(NONE) }; MAX_LEASES]))
    }

    /// Makes a lease from `frame` on, or returns `None` if there are too many leases.
    pub(super) fn make(&self, frame: u32) -> Option<Lease> {
        let frame = frame.min(NONE.wrapping_sub(1));
        let is_taken = |entry: &AtomicU32| entry.compare_exchange(NONE, frame, AcqRel, Relaxed).is_ok();
        let entry = self.0.iter().position(is_taken)?;
        Some(Lease { all: Arc::clone(&self.0), entry })
    }

    /// Returns the first frame whose items are leased, or `u32::MAX` if there is no lease.
    pub(super) fn first_frame(&self) -> u32 {
        self.0.iter().map(|entry| entry.load(Acquire)).min().unwrap_or(NONE)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(entry) = self.all.get(self.entry) {
            entry.store(NONE, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_lease_counts() {
        let leases = Leases::new();
        assert_eq!(leases.first_frame(), NONE);
        let [first, second] = [5, 3].map(|frame| leases.make(frame).unwrap());
        assert_eq!(leases.first_frame(), 3);
        drop(second);
        assert_eq!(leases.first_frame(), 5);
        let all: Vec<_> = std::iter::from_fn(|| leases.make(9)).collect();
        assert_eq!(all.len(), MAX_LEASES - 1);
        drop((first, all));
        assert_eq!(leases.first_frame(), NONE);
    }
}
