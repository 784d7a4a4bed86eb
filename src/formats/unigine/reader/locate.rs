//! Locates the sections of a file (animations, surface geometry and trees). Except in ms14 and
//! ms15, the sections follow each other without a table of offsets, so a section is located by
//! reading the sections before it. To locate later sections, each section is read only once,
//! because the start offset of the next section is then stored.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::parse::room;

/// The start offsets of the sections of a file that were found so far. An unknown offset is stored
/// as 0, because no section can start at offset 0, where the magic number of the file is.
///
/// Two threads that search for the same section at the same time store the same offset. Because all
/// threads store the same offset for a section, the offsets need no lock.
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

    /// Returns the index and the start offset of the nearest section before or at `index` whose
    /// start offset is known.
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
    /// The index of the first section that cannot be read, and the error of reading this section.
    /// If a section cannot be read, the sections after it cannot be located.
    fault: OnceLock<(usize, Error)>,
}

impl Sections {
    /// Allocates memory for the start offsets of `count` sections and the end offset of the last
    /// section. The first section of the file starts at the offset `first`.
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
    /// If the start offset is not known yet, the closure `stored` can return it from a sidecar. If
    /// `stored` returns `None`, the method reads all sections from the nearest earlier section with
    /// a known start offset up to the requested section. The closure `pass` receives the index and
    /// the start offset of a section, and returns the end offset of that section. The method stores
    /// the start offset of each section that it reads.
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
