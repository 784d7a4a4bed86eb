//! The queue of requests: one list for each priority.

use super::lists::{Links, List};
use super::request::Priority;
use crate::error::Result;

/// The number of priorities.
pub(super) const BUCKETS: usize = 64;

/// Requests in the order of their priority, and with equal priority in the order of their arrival.
///
/// Adding, moving and removing a request take constant time, however many requests there are.
#[derive(Debug)]
pub(super) struct Buckets {
    lists: [List; BUCKETS],
    links: Links,
    /// Bit *p* is set if the list of priority *p* has requests.
    filled: u64,
}

impl Buckets {
    pub(super) fn new(requests: usize) -> Result<Self> {
        Ok(Self { lists: [List::EMPTY; BUCKETS], links: Links::new(requests)?, filled: 0 })
    }

    pub(super) fn push(&mut self, slot: u32, priority: Priority) {
        self.change(priority, |links, list| links.push_back(list, slot));
    }

    /// Removes a request, which must be in the list of `priority`.
    pub(super) fn remove(&mut self, slot: u32, priority: Priority) {
        self.change(priority, |links, list| links.remove(list, slot));
    }

    /// Returns the first request of the greatest priority, and its priority.
    pub(super) fn first(&self) -> Option<(u32, Priority)> {
        let priority = Priority::of_bucket(63_u32.checked_sub(self.filled.leading_zeros())?);
        let slot = self.lists.get(priority.bucket())?.first()?;
        Some((slot, priority))
    }

    fn change(&mut self, priority: Priority, change: impl FnOnce(&mut Links, &mut List)) {
        let bucket = priority.bucket();
        let Some(list) = self.lists.get_mut(bucket) else { return };
        change(&mut self.links, list);
        let bit = 1_u64 << (bucket % BUCKETS);
        self.filled = if list.is_empty() { self.filled & !bit } else { self.filled | bit };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_most_urgent_first() {
        let mut buckets = Buckets::new(8).unwrap();
        assert_eq!(buckets.first(), None);
        for (slot, priority) in [(0, 5), (1, 63), (2, 0), (3, 63)] {
            buckets.push(slot, Priority::new(priority));
        }
        let mut order = Vec::new();
        while let Some((slot, priority)) = buckets.first() {
            buckets.remove(slot, priority);
            order.push(slot);
        }
        assert_eq!(order, [1, 3, 0, 2]);
    }
}
