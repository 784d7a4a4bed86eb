//! Memory-mapped files.

use std::fs::File;
use std::path::Path;

#[cfg(all(unix, not(miri)))]
use super::advice::page_mask;
use super::regular_file::{FILE, Identity, failed, open_regular};
use crate::error::{Error, ErrorKind, Result};

/// Maximum size of a file that is opened without random-access advice, in bytes.
#[cfg(unix)]
const MIN_SIZE_TO_ADVISE: usize = 128 << 10;

/// A memory-mapped file. The map is read-only and private until it is dropped.
///
/// A `Map` implements `AsRef<[u8]>`, so every type of this crate that opens a mesh file accepts it
/// as the bytes of the file.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// // SAFETY: No process writes to the sample while this runs.
/// let map = unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh")? };
/// assert_eq!(&map.as_ref()[..4], b"ms13");
/// map.check()
/// # }
/// ```
#[derive(Debug)]
pub struct Map {
    bytes: memmap2::Mmap,
    file: File,
    opened: Identity,
}

impl Map {
    /// Maps the file at `path`.
    ///
    /// If the file is larger than 128 KiB, the system gets the advice that the program reads the
    /// map in random order. An empty file gives an empty map, and reading a mesh from this map
    /// fails with [`ErrorKind::Empty`].
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotRegular`] for a directory, a pipe, a socket or a device. The
    /// function does not wait for any of these. Returns [`ErrorKind::Io`] if the file cannot be
    /// opened or mapped.
    ///
    /// # Safety
    ///
    /// No process may shorten or change the file while the map exists. This includes the current
    /// process. It is allowed to replace the file by a rename, or to delete it: the map keeps the
    /// old content.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, metadata) = open_regular(path)?;
        // The length of the file is already known, so it is not queried again. Mapping fails if the
        // length does not fit into the address space.
        let mut options = memmap2::MmapOptions::new();
        options.len(usize::try_from(metadata.len()).unwrap_or(usize::MAX));
        // SAFETY: The caller guarantees that the file does not change. The mapping is private and
        // read-only.
        let map = unsafe { options.map_copy_read_only(&file) };
        let bytes = map.map_err(|error| failed(path, error.into()))?;
        // If the system rejects the advice, only the speed changes. A small file is loaded at once
        // by the read-ahead of the system, so it needs no advice.
        #[cfg(unix)]
        if bytes.len() > MIN_SIZE_TO_ADVISE {
            let _ = bytes.advise(memmap2::Advice::Random);
        }
        Ok(Self { bytes, file, opened: Identity::of(&metadata) })
    }

    /// Compares the current state of the file with the state when the file was opened.
    ///
    /// Call `check` after some work on the map, before you use the results permanently. It detects
    /// every truncation of the file and nearly every change. If another mapping writes to the file,
    /// the modification time of the file may stay the same for a while. The check protects the
    /// results, but it does not replace the safety requirement of [`Map::open`].
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Truncated`] or [`ErrorKind::Changed`] if the state of the file differs.
    /// Returns [`ErrorKind::Io`] if the system cannot report the state of the file.
    pub fn check(&self) -> Result<()> {
        let metadata = self.file.metadata().map_err(|error| Error::without_offset("file", FILE, error.into()))?;
        let now = Identity::of(&metadata);
        if now.len < self.opened.len {
            let kind = ErrorKind::Truncated { expected: self.opened.len, found: now.len };
            return Err(Error::new("file", FILE, now.len, kind));
        }
        if now == self.opened { Ok(()) } else { Err(Error::without_offset("file", FILE, ErrorKind::Changed)) }
    }
}

impl Map {
    /// Releases the memory of the pages of the map that contain no bytes other than the given
    /// bytes.
    ///
    /// The released pages no longer count as memory of this process. The next access to a released
    /// page loads it again from the cache of the system or from the disk. A scan of a file that is
    /// larger than memory can release the bytes that it has read, for example every 64 MiB. Given
    /// bytes outside the map are ignored.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    /// // SAFETY: No process writes to the sample while this runs.
    /// let mesh = meshpeek::unigine::Mesh::open(unsafe { meshpeek::map("data/unigine/cube_ms13.mesh")? })?;
    /// for surface in mesh.surfaces() {
    ///     for part in surface?.positions()?.parts(64 << 20) {
    ///         println!("{:?}", part.bounds());
    ///         mesh.data().release(part.as_bytes());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn release(&self, bytes: &[u8]) {
        #[cfg(all(unix, not(miri)))]
        {
            let (map, part) = (self.bytes.as_ptr_range(), bytes.as_ptr_range());
            let mask = page_mask();
            let start = part.start.addr().saturating_add(mask) & !mask;
            let end = part.end.addr() & !mask;
            if map.start <= part.start && part.end <= map.end && start < end {
                let first = part.start.wrapping_add(start.wrapping_sub(part.start.addr()));
                // SAFETY: The range consists of whole pages within this map. The map is private,
                // backed by a file and never written to. If pages are dropped, reads through the
                // map still return the same bytes, because the pages are loaded from the file
                // again. References to the bytes stay valid.
                unsafe {
                    libc::madvise(first.cast_mut().cast(), end.wrapping_sub(start), libc::MADV_DONTNEED);
                }
            }
        }
        #[cfg(not(all(unix, not(miri))))]
        let _ = bytes;
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Maps the file at `path`. This is a shorthand for [`Map::open`].
///
/// # Errors
///
/// Returns the errors of [`Map::open`].
///
/// # Safety
///
/// The requirement is the same as for [`Map::open`]: no process may shorten or change the file
/// while the map exists.
pub unsafe fn map(path: impl AsRef<Path>) -> Result<Map> {
    // SAFETY: The caller guarantees the requirement of `Map::open`.
    unsafe { Map::open(path) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::advice::PAGE;
    use super::*;

    #[test]
    fn released_pages_are_read_again() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock");
        // SAFETY: No process writes to the file while tests run.
        let map = unsafe { Map::open(path).unwrap() };
        let (bytes, copy) = (map.as_ref(), fs::read(path).unwrap());
        assert!(bytes == copy && bytes.len() > 3 * PAGE);
        for part in [0..bytes.len(), 1..bytes.len() - 1, 10..20, PAGE..2 * PAGE, 0..0] {
            map.release(&bytes[part]);
            assert!(bytes == copy);
        }
        // Memory outside the map keeps its content.
        map.release(&copy);
        assert!(bytes == copy);
    }
}
