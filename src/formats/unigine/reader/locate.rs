//! Sections of a file, which follow each other and are found in order: each is walked over once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::parse::room;

/// Offsets found so far; 0, which is inside the magic, for those not yet found. Finding is repeatable, so two
/// threads that look for the same one store the same number and need no lock.
#[derive(Debug)]
struct SectionOffsets(Box<[AtomicU64]>);

impl SectionOffsets {
    fn get(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|start| start.load(Ordering::Relaxed)).filter(|start| *start != 0)
    }

    fn set(&self, index: usize, offset: u64) {
        if let Some(start) = self.0.get(index) {
            start.store(offset, Ordering::Relaxed);
        }
    }

    /// Returns the last start known at or before `index`.
    fn nearest(&self, index: usize) -> (usize, u64) {
        let known = self.0.iter().take(index.saturating_add(1)).enumerate().rev();
        let mut known = known.map(|(index, start)| (index, start.load(Ordering::Relaxed)));
        known.find(|(_, start)| *start != 0).unwrap_or_default()
    }
}

/// The sections of a file: where each starts, as far as that is known.
#[derive(Debug)]
pub(crate) struct Sections {
    offsets: SectionOffsets,
    /// The section that cannot be passed, and why: nothing after it can be found by walking.
    fault: OnceLock<(usize, Error)>,
}

impl Sections {
    /// Makes room for the starts of `count` sections, and the end of the last. The first starts at `first`.
    pub(crate) fn new(format: &'static str, count: usize, first: u64) -> Result<Self> {
        let offsets = SectionOffsets(slots(format, "sections", count.saturating_add(1))?);
        offsets.set(0, first);
        Ok(Self { offsets, fault: OnceLock::new() })
    }

    /// Returns a start that is known.
    pub(crate) fn get(&self, section: usize) -> Option<u64> {
        self.offsets.get(section)
    }

    /// Remembers a start.
    pub(crate) fn set(&self, section: usize, start: u64) {
        self.offsets.set(section, start);
    }

    /// Returns where a section starts: as remembered, as `stored` in a sidecar, or by a walk from the nearest one known.
    /// `pass` returns where a section ends. Each section on the way is remembered.
    pub(crate) fn locate(
        &self,
        section: usize,
        stored: impl FnOnce() -> Option<u64>,
        pass: impl Fn(usize, u64) -> Result<u64>,
    ) -> Result<u64> {
        if let Some(start) = self.get(section) {
            return Ok(start);
        }
        if let Some(start) = stored() {
            self.set(section, start);
            return Ok(start);
        }
        if let Some((at, error)) = self.fault.get()
            && section > *at
        {
            return Err(error.clone());
        }
        let (mut known, mut start) = self.offsets.nearest(section);
        while known < section {
            start = pass(known, start).map_err(|error| self.fault.get_or_init(|| (known, error)).1.clone())?;
            known = known.saturating_add(1);
            self.set(known, start);
        }
        Ok(start)
    }
}

/// Makes `count` empty slots.
pub(crate) fn slots<T: Default>(format: &'static str, name: &'static str, count: usize) -> Result<Box<[T]>> {
    let mut slots = room(format, name, count)?;
    slots.resize_with(count, T::default);
    Ok(slots.into())
}
