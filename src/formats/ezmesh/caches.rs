//! Caches of an opened file: an index that finds elements by name, such as bones, skeletons,
//! materials and meshes, and the value of the item that was requested last.

// Rule: this file sorts and maps by copies only.

use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

/// Maximum length of an element name in the index, in bytes. Longer names are not indexed, to avoid
/// the cost of hashing very long names.
const MAX_NAME_LENGTH: usize = 4096;

/// A sorted index that maps the name of an element to the index of the element.
///
/// The index stores only a 64-bit hash of each name. The hash function has a random key, therefore
/// a file cannot be constructed with names whose hashes are equal. A hash collision of two names is
/// less likely than a hardware error. Hence a search compares only hashes, and does not read the
/// names again.
#[derive(Debug)]
pub(super) struct NameIndex {
    keys: Vec<(u64, u32)>,
    state: RandomState,
}

impl NameIndex {
    /// Builds the index from tuples of a group index, an element name and an element index. A
    /// search finds only names of a given group. For bone names, the group is the skeleton: a
    /// search finds only bones of one skeleton.
    ///
    /// Empty names and names longer than 4 KiB are not indexed.
    pub(super) fn of<'a>(names: impl Iterator<Item = (u32, &'a [u8], u32)> + Clone) -> Self {
        let state = RandomState::new();
        let all = names.filter(|(_, name, _)| is_name(name));
        let mut keys = Vec::new();
        // If the allocation fails, the index is empty and a search finds no name. The names are
        // counted before the vector is allocated, because a vector that grows allocates more than
        // it needs.
        let count = all.clone().count();
        if keys.try_reserve_exact(count).is_ok() {
            // Each name is read once. In a mapped file that changes, the second iteration could
            // find more names than the first.
            keys.extend(all.take(count).map(|(group, name, number)| (state.hash_one((group, name)), number)));
        }
        keys.sort_unstable();
        Self { keys, state }
    }

    /// Returns the smallest element index that has the name `name` in the group `group`.
    pub(super) fn find(&self, group: u32, name: &[u8]) -> Option<u32> {
        if !is_name(name) {
            return None;
        }
        let hash = self.state.hash_one((group, name));
        let first = self.keys.partition_point(|(key, _)| *key < hash);
        self.keys.get(first).filter(|(key, _)| *key == hash).map(|(_, number)| *number)
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME_LENGTH
}

/// A cache for one item of a list: the index and the computed value of the item that was requested
/// last.
///
/// All sections of a mesh request the same data of the mesh, such as its vertex declaration.
/// Without this cache, a long XML tag of the mesh would be parsed again for each section.
#[derive(Debug)]
pub(super) struct ValueCache<T>(Mutex<Option<(usize, T)>>);

impl<T> Default for ValueCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> ValueCache<T> {
    /// Returns the value of the item with the index `index`. If the cache does not contain the
    /// value of the item, the closure `find` computes the value.
    pub(super) fn get_or(&self, index: usize, find: impl FnOnce() -> T) -> T {
        // If the lock of the cache is poisoned, the cache is treated as empty.
        if let Ok(last) = self.0.lock()
            && let Some((_, found)) = last.as_ref().filter(|(known, _)| *known == index)
        {
            return found.clone();
        }
        let found = find();
        if let Ok(mut last) = self.0.lock() {
            *last = Some((index, found.clone()));
        }
        found
    }
}
