//! The place of the bytes of a memory map: in the page tables, in the page cache, or on the disk.

/// How [`Map::evict`](crate::Map::evict) removes bytes from memory.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::io::Eviction;
/// // SAFETY: No process writes to the sample while this runs.
/// let map = unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh")? };
/// map.evict(0..u64::MAX, Eviction::Unmap);
/// assert_eq!(&map.as_ref()[..4], b"ms13");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// Removes the pages from the memory of the process. The page cache of the operating system
    /// keeps the bytes, and the next access does not wait for the disk.
    Unmap,
    /// Removes the pages from the memory of the process and from the page cache. The next access
    /// reads the bytes from the disk. On systems other than Linux, this is the same as
    /// [`Unmap`](Self::Unmap).
    #[cfg_attr(not(feature = "internals"), allow(dead_code, reason = "only tests evict so"))]
    Uncache,
}

/// The number of pages of a byte range of a [`Map`](crate::Map) that are in memory.
///
/// [`Map::residency`](crate::Map::residency) returns the numbers.
///
/// ```
/// use meshpeek::io::{Residency, ResidencyState};
/// let residency = Residency { pages: 16, mapped: Some(3), cached: Some(16) };
/// assert_eq!(residency.state(), ResidencyState::Cached);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// The number of pages of the system that contain bytes of the range.
    pub pages: u64,
    /// The number of these pages in the page tables of the process. An access to such a page takes
    /// no page fault. `None` if the system does not report the number.
    pub mapped: Option<u64>,
    /// The number of these pages in the page cache of the system, including pages that are being
    /// read from the disk. An access to such a page takes a page fault of a few microseconds unless
    /// it is mapped. `None` if the system does not report the number.
    pub cached: Option<u64>,
}

impl Residency {
    /// Returns the state of the range as a whole. An empty range is mapped.
    #[must_use]
    pub fn state(&self) -> ResidencyState {
        if self.mapped.is_some_and(|mapped| mapped >= self.pages) || self.pages == 0 {
            return ResidencyState::Mapped;
        }
        match self.cached {
            Some(cached) if cached >= self.pages => ResidencyState::Cached,
            Some(_) => ResidencyState::Absent,
            None => ResidencyState::Unknown,
        }
    }
}

/// The state of a byte range of a [`Map`](crate::Map) as a whole.
///
/// ```
/// use meshpeek::io::{Residency, ResidencyState};
/// let residency = Residency { pages: 16, mapped: None, cached: Some(15) };
/// assert_eq!(residency.state(), ResidencyState::Absent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResidencyState {
    /// All pages are in the page tables of the process.
    Mapped,
    /// All pages are in the page cache, and at least one page is not known to be mapped.
    Cached,
    /// At least one page is neither mapped nor in the page cache.
    Absent,
    /// The system does not report whether the pages are in the page cache.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_that_of_all_pages() {
        let state = |pages, mapped, cached| Residency { pages, mapped, cached }.state();
        assert_eq!(state(4, Some(4), None), ResidencyState::Mapped);
        assert_eq!(state(4, Some(3), Some(4)), ResidencyState::Cached);
        assert_eq!(state(4, Some(3), Some(3)), ResidencyState::Absent);
        assert_eq!(state(4, None, Some(4)), ResidencyState::Cached);
        assert_eq!(state(4, Some(3), None), ResidencyState::Unknown);
        assert_eq!(state(0, None, None), ResidencyState::Mapped);
    }
}
