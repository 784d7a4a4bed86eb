//! Caches the results of walks over the keys of animations, which avoids reading all keys again.

use std::sync::OnceLock;

use super::checkpoints::{CheckpointIndex, CheckpointPlan};
use super::coding::Coding;
use super::scan::{KeyScan, ScanFault, scan};
use super::stored_checkpoints::StoredCheckpoints;
use crate::formats::unigine::layout::MIN_WHOLE_ANIMATION_SIZE;
use crate::formats::unigine::reader::locate::slots;
use crate::math::as_u64;

/// The minimum number of keys for a cache entry. The keys of animations with fewer keys are read
/// again each time.
pub(crate) const MIN_KEYS_TO_INDEX: u64 = 64;

/// The cache of a file, with one slot for each animation.
#[derive(Debug)]
pub(crate) struct AnimationCaches {
    count: usize,
    /// Whether the file is large enough, compared with its number of animations, to cache results.
    /// If this field is false, nothing is cached.
    fits: bool,
    /// One cache slot for each animation. The slots are allocated when the first result is cached.
    slots: OnceLock<Box<[OnceLock<Box<KeyCache>>]>>,
}

/// The cache slot of one animation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheSlot<'a> {
    caches: &'a AnimationCaches,
    index: usize,
}

#[derive(Debug)]
pub(crate) struct KeyCache {
    scan: KeyScan,
    index: OnceLock<Option<CheckpointIndex>>,
    /// The records of the animation in a sidecar, if the file has a sidecar.
    stored: Option<StoredCheckpoints>,
}

impl AnimationCaches {
    pub(crate) fn new(count: usize, file_size: usize) -> Self {
        let fits = as_u64(count).saturating_mul(MIN_WHOLE_ANIMATION_SIZE) <= as_u64(file_size);
        Self { count, fits, slots: OnceLock::new() }
    }

    /// Returns the number of animations of the file.
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// Returns the cache slot of an animation, or `None` if the index is out of range.
    pub(crate) fn slot(&self, index: usize) -> Option<CacheSlot<'_>> {
        (index < self.count).then_some(CacheSlot { caches: self, index })
    }

    /// Returns the cache slots of all animations. The slice is empty if nothing can be cached.
    fn allocate(&self) -> &[OnceLock<Box<KeyCache>>] {
        let count = if self.fits { self.count } else { 0 };
        self.slots.get_or_init(|| slots("", "animations", count).unwrap_or_default())
    }
}

impl<'a> CacheSlot<'a> {
    fn cache(self) -> Option<&'a KeyCache> {
        self.caches.slots.get()?.get(self.index)?.get().map(|cache| &**cache)
    }

    /// Copies the results for the animation from a sidecar to the cache, unless the keys of the
    /// animation were already read. The closure `recall` returns the results.
    pub(crate) fn recall_from(self, recall: impl FnOnce() -> Option<StoredCheckpoints>) {
        if self.cache().is_none()
            && let Some(stored) = recall().filter(|stored| stored.keys >= MIN_KEYS_TO_INDEX)
        {
            self.remember(stored.scan, Some(stored));
        }
    }

    fn remember(self, scan: KeyScan, stored: Option<StoredCheckpoints>) {
        if let Some(slot) = self.caches.allocate().get(self.index) {
            slot.get_or_init(|| Box::new(KeyCache { scan, index: OnceLock::new(), stored }));
        }
    }

    /// Walks over the flags of the keys, unless the result of that walk is cached or stored in a
    /// sidecar.
    ///
    /// Returns the result of the walk, and whether this call read the keys.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`scan`].
    pub(crate) fn scan(
        self,
        bytes: &[u8],
        keys: u64,
        coding: &Coding,
    ) -> std::result::Result<(KeyScan, bool), ScanFault> {
        let fits = |cache: &&KeyCache| cache.stored.as_ref().is_none_or(|stored| stored.fits(bytes, keys));
        if let Some(cache) = self.cache().filter(fits) {
            return Ok((cache.scan, false));
        }
        let found = scan(bytes, keys, coding)?;
        if keys >= MIN_KEYS_TO_INDEX {
            self.remember(found, None);
        }
        Ok((found, true))
    }

    /// Returns the checkpoints of the keys, or `None` if the animation needs no checkpoints.
    ///
    /// The first call takes the checkpoints from a sidecar if the sidecar matches these keys. If no
    /// sidecar matches, the first call builds the checkpoints.
    pub(crate) fn index(
        self,
        bytes: &[u8],
        keys: u64,
        plan: &CheckpointPlan,
        build: impl FnOnce() -> Option<CheckpointIndex>,
    ) -> Option<&'a CheckpointIndex> {
        let cache = self.cache()?;
        let stored = || cache.stored.as_ref().filter(|stored| stored.fits(bytes, keys))?.index(plan);
        cache.index.get_or_init(|| stored().or_else(build)).as_ref()
    }
}
