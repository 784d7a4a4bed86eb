//! A cache that stores one computed value: the value of the item that was requested last.
//!
//! If the same item is requested several times in sequence, the value of the item is computed only
//! once.

use std::sync::Mutex;

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
