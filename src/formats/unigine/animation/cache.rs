//! Caches the results of key scans. A key scan reads the flags of all keys of one animation. If the
//! result of a key scan is cached, later key scans of the same animation do not read its keys
//! again.

use std::sync::OnceLock;

use super::checkpoints::{CheckpointIndex, CheckpointPlan};
use super::coding::Coding;
use super::scan::{KeyScan, ScanFault, scan};
use super::stored_checkpoints::StoredCheckpoints;
use crate::formats::unigine::layout::MIN_WHOLE_ANIMATION_SIZE;
use crate::formats::unigine::reader::file_reader::slots;
use crate::math::as_u64;

/// The minimum number of keys that an animation must have for its key scan to be cached. If an
/// animation has fewer than 64 keys, its keys are read again on each access to the animation.
pub(crate) const MIN_KEYS_TO_INDEX: u64 = 64;

/// The cached results of the key scans of a file, with one cache slot for each animation.
#[derive(Debug)]
pub(crate) struct AnimationCaches {
    count: usize,
    /// Whether the file has at least `MIN_WHOLE_ANIMATION_SIZE` bytes for each of its animations.
    /// If `fits` is false, no results of key scans are cached.
    fits: bool,
    /// One cache slot for each animation. All cache slots are allocated when the first result is
    /// cached.
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

    /// Returns the cache slots of all animations. The slice of cache slots is empty if the results
    /// of key scans cannot be cached.
    fn allocate(&self) -> &[OnceLock<Box<KeyCache>>] {
        let count = if self.fits { self.count } else { 0 };
        self.slots.get_or_init(|| slots("", "animations", count).unwrap_or_default())
    }
}

impl<'a> CacheSlot<'a> {
    fn cache(self) -> Option<&'a KeyCache> {
        self.caches.slots.get()?.get(self.index)?.get().map(|cache| &**cache)
    }

    /// Copies the result of the animation's key scan from a sidecar to the cache, unless the cache
    /// already contains a result. The closure `recall` returns the sidecar records of the
    /// animation.
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

    /// Scans the flags of all keys of the animation, unless the result of the scan is cached or
    /// stored in a sidecar.
    ///
    /// Returns the result of the key scan, and whether this call of `scan` read the keys.
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

    /// Returns the checkpoints of the animation, or `None` if the animation needs no checkpoints.
    ///
    /// The first call for an animation takes its checkpoints from a sidecar if the sidecar matches
    /// the animation's keys, and builds them otherwise.
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
