//! What was found of a file's animations, so that their keys are not walked again.

use std::sync::OnceLock;

use super::checkpoints::{CheckpointIndex, CheckpointPlan};
use super::coding::Coding;
use super::scan::{KeyScan, ScanFault, scan};
use super::stored_checkpoints::StoredCheckpoints;
use crate::formats::unigine::layout::MIN_WHOLE_ANIMATION_SIZE;
use crate::formats::unigine::reader::locate::slots;
use crate::math::as_u64;

/// Animations with fewer keys than this are walked again each time.
pub(crate) const MIN_KEYS_TO_INDEX: u64 = 64;

/// What was found of each animation of a file.
#[derive(Debug)]
pub(crate) struct AnimationCaches {
    count: usize,
    /// Whether the file is long enough for its animations. If not, nothing is kept.
    fits: bool,
    /// One slot for each animation, allocated when the first result is kept.
    slots: OnceLock<Box<[OnceLock<Box<KeyCache>>]>>,
}

/// The slot of one animation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheSlot<'a> {
    caches: &'a AnimationCaches,
    index: usize,
}

#[derive(Debug)]
pub(crate) struct KeyCache {
    scan: KeyScan,
    index: OnceLock<Option<CheckpointIndex>>,
    /// What a sidecar has of it.
    stored: Option<StoredCheckpoints>,
}

impl AnimationCaches {
    pub(crate) fn new(count: usize, file_size: usize) -> Self {
        let fits = as_u64(count).saturating_mul(MIN_WHOLE_ANIMATION_SIZE) <= as_u64(file_size);
        Self { count, fits, slots: OnceLock::new() }
    }

    /// Returns the number of animations.
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// Returns the slot of an animation, or `None` if the index is out of range.
    pub(crate) fn slot(&self, index: usize) -> Option<CacheSlot<'_>> {
        (index < self.count).then_some(CacheSlot { caches: self, index })
    }

    /// Returns the slots, empty if nothing can be kept.
    fn allocate(&self) -> &[OnceLock<Box<KeyCache>>] {
        let count = if self.fits { self.count } else { 0 };
        self.slots.get_or_init(|| slots("", "animations", count).unwrap_or_default())
    }
}

impl<'a> CacheSlot<'a> {
    fn cache(self) -> Option<&'a KeyCache> {
        self.caches.slots.get()?.get(self.index)?.get().map(|cache| &**cache)
    }

    /// Takes what a sidecar has of it, unless its keys were walked.
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

    /// Walks the keys, unless the result is remembered or in a sidecar. Returns it, and whether the keys were looked at.
    ///
    /// # Errors
    ///
    /// As [`scan`].
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

    /// Returns the checkpoints of the keys. The first time they are taken from a sidecar, if it is of these keys, or built.
    /// `None` if none are needed.
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
