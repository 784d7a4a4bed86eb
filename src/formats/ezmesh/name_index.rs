//! Search for elements by name.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use crate::error::Result;
use crate::parse::Name;

/// Maximum length of an indexed name, in bytes. The limit avoids the cost of hashing very long
/// names.
const MAX_NAME_LENGTH: usize = 4096;

/// A sorted index that maps the name of an element to the index of the element.
///
/// The index stores only the hash of each name: 64 bits, with a random key that no file can
/// predict. A hash collision of two names is less likely than a hardware error. Hence a search
/// compares only hashes, and does not read the names again.
#[derive(Debug)]
pub(super) struct NameIndex {
    keys: Vec<(u64, u32)>,
    state: RandomState,
}

impl NameIndex {
    /// Builds the index from entries: the number of a group, a name, and the index of the element.
    /// A name is looked up within its group.
    ///
    /// Empty names and names longer than 4 KiB are not indexed.
    pub(super) fn of<'a>(names: impl Iterator<Item = (u32, &'a [u8], u32)> + Clone) -> Self {
        let state = RandomState::new();
        let all = names.filter(|(_, name, _)| is_name(name));
        let mut keys = Vec::new();
        // If the allocation fails, the index is empty and a search finds no name. The names are
        // counted before the allocation, because a growing vector allocates more than it needs.
        if keys.try_reserve_exact(all.clone().count()).is_ok() {
            keys.extend(all.map(|(group, name, number)| (state.hash_one((group, name)), number)));
        }
        keys.sort_unstable();
        Self { keys, state }
    }

    /// Returns the smallest index of an element with the name `name` in a group.
    pub(super) fn find(&self, group: u32, name: &[u8]) -> Option<u32> {
        if !is_name(name) {
            return None;
        }
        let hash = self.state.hash_one((group, name));
        let first = self.keys.partition_point(|(key, _)| *key < hash);
        self.keys.get(first).filter(|(key, _)| *key == hash).map(|(_, number)| *number)
    }
}

/// Returns the index of the first element in a list that has a given name. The first call reads the
/// names of all elements of the list.
pub(super) fn find<'a>(
    names: &OnceLock<NameIndex>,
    count: usize,
    name: Name<'_>,
    name_of: impl Fn(usize) -> Result<Name<'a>>,
) -> Option<usize> {
    let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let names = names.get_or_init(|| {
        let numbers = 0..u32::try_from(count).unwrap_or(u32::MAX);
        NameIndex::of(numbers.map(|number| (0, name_of(at(number)).unwrap_or_default().as_bytes(), number)))
    });
    names.find(0, name.as_bytes()).map(at)
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME_LENGTH
}
