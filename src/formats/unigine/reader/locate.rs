//! Locates the sections of a file (animations, surface geometry and trees). Sections follow each
//! other without a table of offsets, so a section is located by reading the sections before it.
//! Each section is read only once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::parse::room;

/// The section offsets that were found so far. An unknown offset is stored as 0, because no section
/// can start at offset 0, where the magic number is.
///
/// Two threads that search for the same section at the same time store the same offset. Therefore
/// the offsets need no lock.
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

    /// Returns the last section at or before `index` whose start is known: its number and its
    /// offset.
    fn nearest(&self, index: usize) -> (usize, u64) {
        let known = self.0.iter().take(index.saturating_add(1)).enumerate().rev();
        let mut known = known.map(|(index, start)| (index, start.load(Ordering::Relaxed)));
        known.find(|(_, start)| *start != 0).unwrap_or_default()
    }
}

/// The sections of a file, with the start offsets that are known so far.
#[derive(Debug)]
pub(crate) struct Sections {
    offsets: SectionOffsets,
    /// The first section that cannot be read, and its error. No section after this damaged section
    /// can be located.
    fault: OnceLock<(usize, Error)>,
}

impl Sections {
    /// Allocates memory for the start offsets of `count` sections and the end offset of the last
    /// section. The first section starts at the offset `first`.
    pub(crate) fn new(format: &'static str, count: usize, first: u64) -> Result<Self> {
        let offsets = SectionOffsets(slots(format, "sections", count.saturating_add(1))?);
        offsets.set(0, first);
        Ok(Self { offsets, fault: OnceLock::new() })
    }

    /// Returns the start offset of a section, or `None` if the offset is not known yet.
    pub(crate) fn get(&self, section: usize) -> Option<u64> {
        self.offsets.get(section)
    }

    /// Stores the start offset of a section.
    pub(crate) fn set(&self, section: usize, start: u64) {
        self.offsets.set(section, start);
    }

    /// Returns the start offset of a section.
    ///
    /// The start offset is already known, or the closure `stored` returns it from a sidecar, or it
    /// is found by reading the sections from the nearest known section on. The closure `pass`
    /// receives the number and the start of a section and returns the end of that section. The
    /// start of each section that is read is stored.
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

/// Allocates a slice of `count` default values. Returns an error if there is not enough memory.
pub(crate) fn slots<T: Default>(format: &'static str, name: &'static str, count: usize) -> Result<Box<[T]>> {
    let mut slots = room(format, name, count)?;
    slots.resize_with(count, T::default);
    Ok(slots.into())
}
