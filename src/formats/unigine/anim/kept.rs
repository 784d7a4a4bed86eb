//! What the reader remembers of a file's animations.

use std::sync::OnceLock;

use super::super::geometry::defaults;
use super::coding::Coding;
use super::index::{Cut, Index, Plan, Walked, walk};
use super::stored::Recalled;

/// Keys for which it is worth remembering what a walk found. Fewer are walked again.
pub(super) const WORTH: u64 = 64;

/// Animations whose places are made together: less memory for all of them than the keys of one that is worth it take.
const GROUP: usize = 32;

/// Places for some animations; `None` where there was no memory for them.
type Places = OnceLock<Option<Box<[OnceLock<Box<Memory>>]>>>;

/// What the reader remembers of a file's animations, because finding it again means walking their keys. It takes memory
/// only where an animation has keys to pay for it: there may be very many without.
#[derive(Debug)]
pub(crate) struct Kept {
    count: usize,
    groups: OnceLock<Option<Box<[Places]>>>,
}

/// The place of one animation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    kept: &'a Kept,
    index: usize,
}

#[derive(Debug)]
pub(super) struct Memory {
    pub(super) walked: Walked,
    index: OnceLock<Option<Index>>,
    /// What a sidecar has of it.
    recalled: Option<Recalled>,
}

impl Kept {
    /// Makes room for nothing yet: there are `count` animations.
    pub(crate) const fn new(count: usize) -> Self {
        Self { count, groups: OnceLock::new() }
    }

    /// Returns the number of animations.
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// Returns the place of an animation; `None` where there is no such animation.
    pub(crate) fn slot(&self, index: usize) -> Option<Slot<'_>> {
        (index < self.count).then_some(Slot { kept: self, index })
    }
}

impl<'a> Slot<'a> {
    fn memory(self) -> Option<&'a Memory> {
        let group = self.kept.groups.get()?.as_ref()?.get(self.index.checked_div(GROUP)?)?;
        Some(group.get()?.as_ref()?.get(self.index.checked_rem(GROUP)?)?.get()?)
    }

    /// Takes what a sidecar has of it, unless its keys were walked.
    pub(crate) fn recall_from(self, recall: impl FnOnce() -> Option<Recalled>) {
        if self.memory().is_none()
            && let Some(recalled) = recall().filter(|recalled| recalled.keys >= WORTH)
        {
            self.remember(recalled.walked, Some(recalled));
        }
    }

    /// Remembers what a walk found, if there is memory for it.
    fn remember(self, walked: Walked, recalled: Option<Recalled>) -> Option<()> {
        let groups = self.kept.groups.get_or_init(|| defaults(self.kept.count.div_ceil(GROUP)));
        let group = groups.as_ref()?.get(self.index.checked_div(GROUP)?)?.get_or_init(|| defaults(GROUP));
        let place = group.as_ref()?.get(self.index.checked_rem(GROUP)?)?;
        place.get_or_init(|| Box::new(Memory { walked, index: OnceLock::new(), recalled }));
        Some(())
    }

    /// Walks so many keys, unless that was done before and is remembered, or a sidecar has what it would find; tells whether
    /// the keys were looked at.
    ///
    /// # Errors
    ///
    /// As [`walk`].
    pub(super) fn walk(self, bytes: &[u8], keys: u64, coding: &Coding) -> Result<(Walked, bool), Cut> {
        let fits = |memory: &&Memory| {
            let recalled = memory.recalled.as_ref();
            recalled.is_none_or(|recalled| recalled.fits(bytes, keys))
        };
        if let Some(memory) = self.memory().filter(fits) {
            return Ok((memory.walked, false));
        }
        let walked = walk(bytes, keys, coding)?;
        if keys >= WORTH {
            self.remember(walked, None);
        }
        Ok((walked, true))
    }

    /// Returns the index of so many keys, which the first time is taken from a sidecar, if that is of these keys, or else
    /// built; `None` where none is wanted.
    pub(super) fn index(
        self,
        bytes: &[u8],
        keys: u64,
        plan: &Plan,
        build: impl FnOnce() -> Option<Index>,
    ) -> Option<&'a Index> {
        let memory = self.memory()?;
        let stored = || memory.recalled.as_ref().filter(|recalled| recalled.fits(bytes, keys))?.index(plan);
        memory.index.get_or_init(|| stored().or_else(build)).as_ref()
    }
}
