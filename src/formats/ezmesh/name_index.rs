//! Finding things by name.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use crate::error::Result;
use crate::parse::Name;

/// Bytes of the longest name that is looked for: long names would be hashed again and again.
const MAX_NAME_LENGTH: usize = 4096;

/// Names and the numbers of what bears them, in an order that makes them quick to find.
///
/// Of a name only its hash is kept, of 64 bits and under a key that no file can know: that two names have the same is less
/// likely than that the machine errs. So nothing is read again to compare names.
#[derive(Debug)]
pub(super) struct NameIndex {
    keys: Vec<(u64, u32)>,
    state: RandomState,
}

impl NameIndex {
    /// Takes names, each with a number for the group that it must be unique in. An empty name is none, nor is one of more than
    /// 4 KiB.
    pub(super) fn of<'a>(names: impl Iterator<Item = (u32, &'a [u8], u32)> + Clone) -> Self {
        let state = RandomState::new();
        let all = names.filter(|(_, name, _)| is_name(name));
        let mut keys = Vec::new();
        // Without the memory for them, names are not found. They are counted first, so that no more is taken than they need.
        if keys.try_reserve_exact(all.clone().count()).is_ok() {
            keys.extend(all.map(|(group, name, number)| (state.hash_one((group, name)), number)));
        }
        keys.sort_unstable();
        Self { keys, state }
    }

    /// Returns the least number with that name.
    pub(super) fn find(&self, group: u32, name: &[u8]) -> Option<u32> {
        if !is_name(name) {
            return None;
        }
        let hash = self.state.hash_one((group, name));
        let first = self.keys.partition_point(|(key, _)| *key < hash);
        self.keys.get(first).filter(|(key, _)| *key == hash).map(|(_, number)| *number)
    }
}

/// Returns the first thing of a list with a name; all names are looked at once.
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
