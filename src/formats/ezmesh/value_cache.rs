//! A cache for one value: the value of the item that was requested last.
//!
//! The cache avoids that callers which request the same item one after another compute its value
//! again.

use std::sync::Mutex;

/// A cache that stores the value of the item of a list that was requested last.
///
/// Each section of a mesh requests the data that the sections of the mesh share. Without this
/// cache, a long tag of the mesh would be read again for each section.
#[derive(Debug)]
pub(super) struct ValueCache<T>(Mutex<Option<(usize, T)>>);

impl<T> Default for ValueCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> ValueCache<T> {
    /// Returns the value of the item `index`: from the cache if it is stored there, or else from a
    /// call of `find`.
    pub(super) fn get_or(&self, index: usize, find: impl FnOnce() -> T) -> T {
        // A poisoned lock is treated like an empty cache.
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
