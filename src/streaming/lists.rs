//! Doubly linked lists of numbers, whose links are in one array that is allocated once. The queue
//! of requests has one list for each priority.

use super::request::Priority;
use crate::error::Result;
use crate::math::as_index;
use crate::streaming::memory::filled;

/// Marks the end of a list.
const NONE: u32 = u32::MAX;
/// The number of priorities.
const BUCKETS: usize = 64;

/// The two ends and the length of a list. The links between the nodes are in [`Links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List {
    first: u32,
    last: u32,
    len: u32,
}

impl List {
    pub(super) const EMPTY: Self = Self { first: NONE, last: NONE, len: 0 };

    pub(super) const fn len(&self) -> u32 {
        self.len
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    before: u32,
    after: u32,
}

/// The links of all nodes. A node is in at most one of the lists that share the links.
#[derive(Debug)]
pub(super) struct Links(Vec<Node>);

impl Links {
    /// Allocates the links of the nodes 0 to `count - 1`.
    pub(super) fn new(count: usize) -> Result<Self> {
        filled(count, Node { before: NONE, after: NONE }).map(Self)
    }

    /// Returns the node after `node` in its list.
    #[cfg(test)]
    fn after(&self, node: u32) -> Option<u32> {
        self.0.get(as_index(node)).map(|node| node.after).filter(|after| *after != NONE)
    }

    pub(super) fn push_back(&mut self, list: &mut List, node: u32) {
        self.set(node, Node { before: list.last, after: NONE });
        self.join(list.last, node, list);
        list.last = node;
        list.len = list.len.saturating_add(1);
    }

    /// Removes `node`, which must be in `list`.
    pub(super) fn remove(&mut self, list: &mut List, node: u32) {
        let Some(Node { before, after }) = self.0.get(as_index(node)).copied() else { return };
        self.join(before, after, list);
        match self.0.get_mut(as_index(after)) {
            Some(next) => next.before = before,
            None => list.last = before,
        }
        list.len = list.len.saturating_sub(1);
    }

    pub(super) fn pop_front(&mut self, list: &mut List) -> Option<u32> {
        let node = list.first()?;
        self.remove(list, node);
        Some(node)
    }

    fn set(&mut self, node: u32, links: Node) {
        if let Some(place) = self.0.get_mut(as_index(node)) {
            *place = links;
        }
    }

    /// Makes `after` the node that follows `before`.
    fn join(&mut self, before: u32, after: u32, list: &mut List) {
        match self.0.get_mut(as_index(before)) {
            Some(node) => node.after = after,
            None => list.first = after,
        }
    }
}

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

    fn numbers(links: &Links, list: &List) -> Vec<u32> {
        std::iter::successors(list.first(), |node| links.after(*node)).collect()
    }

    #[test]
    fn keeps_the_order_of_any_changes() {
        let (mut links, mut list, mut expected) = (Links::new(40).unwrap(), List::EMPTY, Vec::new());
        let mut seed = 7_u32;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let node = (seed >> 8) % 40;
            match (expected.iter().position(|other| *other == node), seed >> 30) {
                (Some(place), _) => {
                    links.remove(&mut list, node);
                    expected.remove(place);
                }
                (None, 1) if !expected.is_empty() => {
                    assert_eq!(links.pop_front(&mut list), Some(expected.remove(0)));
                }
                (None, _) => {
                    links.push_back(&mut list, node);
                    expected.push(node);
                }
            }
            assert_eq!(numbers(&links, &list), expected);
            assert_eq!((as_index(list.len()), list.is_empty()), (expected.len(), expected.is_empty()));
        }
    }

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
