//! The numbers of bytes that were not in the page cache when they were prefetched.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::memory::reserved;
use crate::error::Result;
use crate::math::as_index;

/// For each item, the number of bytes that were missing when the item was prefetched.
///
/// Bytes that are being read in the background count as cached, so their number must be found
/// before they are prefetched.
#[derive(Debug)]
pub(super) struct MissingBytes(Vec<AtomicU64>);

impl MissingBytes {
    pub(super) fn new(items: u32) -> Result<Self> {
        let mut all = reserved(as_index(items))?;
        all.resize_with(as_index(items), || AtomicU64::new(0));
        Ok(Self(all))
    }

    /// Notes the number of missing bytes of an item that is being prefetched.
    pub(super) fn set(&self, item: u32, bytes: u64) {
        if let Some(place) = self.0.get(as_index(item)) {
            place.store(bytes.saturating_add(1), Relaxed);
        }
    }

    /// Takes the number of missing bytes of an item. `loaded` is the number that the worker found
    /// when it loaded the item.
    ///
    /// While a worker prefetches an item, another one may load it. The second of them finds that
    /// the bytes are being read, so the greater number is the true one.
    pub(super) fn take_with(&self, item: u32, loaded: u64) -> u64 {
        self.take(item).map_or(loaded, |missing| missing.max(loaded))
    }

    /// Takes the number of missing bytes, or returns `None` if the item was not prefetched.
    pub(super) fn take(&self, item: u32) -> Option<u64> {
        self.0.get(as_index(item))?.swap(0, Relaxed).checked_sub(1)
    }
}
