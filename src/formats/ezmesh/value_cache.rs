//! What was found out last, so that many who ask for the same in a row need not each find it anew.

use std::sync::Mutex;

/// A value for the item of a list that was asked for last. A section asks its mesh for what it shares with others; without
/// this, a long tag or block would be read again for each of them.
#[derive(Debug)]
pub(super) struct ValueCache<T>(Mutex<Option<(usize, T)>>);

impl<T> Default for ValueCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> ValueCache<T> {
    /// Returns the value for item `index`: the one that is known, or what `find` finds.
    pub(super) fn get_or(&self, index: usize, find: impl FnOnce() -> T) -> T {
        // A lock that a panic poisoned is as good as no memory.
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
