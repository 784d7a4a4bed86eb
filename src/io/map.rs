//! Files mapped into memory.

use std::fs::File;
use std::path::Path;

#[cfg(all(unix, not(miri)))]
use super::advice::page_mask;
use super::regular_file::{FILE, Identity, failed, open_regular};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of a file up to which it is not worth reading page by page.
#[cfg(unix)]
const MIN_SIZE_TO_ADVISE: usize = 128 << 10;

/// A file mapped into memory: read-only, private, for its whole life.
///
/// It is `AsRef<[u8]>`, so every owner type of this crate works over it.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// // SAFETY: nobody writes to the sample while this runs.
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
    /// Maps the file at `path`, with random-access advice where it is of more than 128 KiB.
    ///
    /// An empty file maps to no bytes; reading a mesh from it then fails as [`ErrorKind::Empty`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotRegular`] for a directory, a pipe, a socket or a device, without waiting on any of them;
    /// [`ErrorKind::Io`] where the file cannot be opened or mapped.
    ///
    /// # Safety
    ///
    /// Nobody shortens or changes the file while the map lives, in this process or another. Replacing it by rename,
    /// or deleting it, is fine: the map keeps the old content.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, metadata) = open_regular(path)?;
        // The length is known, and need not be asked for again. What does not fit is for the map to refuse.
        let mut options = memmap2::MmapOptions::new();
        options.len(usize::try_from(metadata.len()).unwrap_or(usize::MAX));
        // SAFETY: the caller promises that the file stays as it is; the mapping is private and read-only.
        let map = unsafe { options.map_copy_read_only(&file) };
        let bytes = map.map_err(|error| failed(path, error.into()))?;
        // Advice that the system does not take changes speed only. Of a small file the system's read-ahead gets all at once.
        #[cfg(unix)]
        if bytes.len() > MIN_SIZE_TO_ADVISE {
            let _ = bytes.advise(memmap2::Advice::Random);
        }
        Ok(Self { bytes, file, opened: Identity::of(&metadata) })
    }

    /// Compares the file with what it was when it was opened.
    ///
    /// Call it after a block of work over the map, before its results are used for good. It finds every cut and nearly
    /// every change (a write through another mapping may leave the times alone for a while): it is there for right
    /// answers, and does not replace the promise of [`Map::open`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`] or [`ErrorKind::Changed`]; [`ErrorKind::Io`] where the system does not tell.
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
    /// Gives back the pages that lie wholly within some of the map's bytes: they no longer count as this process's memory, and
    /// come from the system's cache, or the disk, when they are looked at again. A scan of a file that is larger than memory
    /// does this behind itself, 64 MiB or so at a time. Bytes that are none of the map's are left alone.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::Array;
    /// // SAFETY: nobody writes to the sample while this runs.
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
                // SAFETY: whole pages within this map, which is private, of a file, and never written to: dropping them changes
                // nothing that can be read through it, for they are filled from the file again. References stay valid.
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

/// Maps the file at `path`: short for [`Map::open`].
///
/// # Errors
///
/// As [`Map::open`].
///
/// # Safety
///
/// As [`Map::open`]: nobody shortens or changes the file while the map lives.
pub unsafe fn map(path: impl AsRef<Path>) -> Result<Map> {
    // SAFETY: the caller gives the promise that `Map::open` asks for.
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
        // SAFETY: nobody writes to the file while tests run.
        let map = unsafe { Map::open(path).unwrap() };
        let (bytes, copy) = (map.as_ref(), fs::read(path).unwrap());
        assert!(bytes == copy && bytes.len() > 3 * PAGE);
        for part in [0..bytes.len(), 1..bytes.len() - 1, 10..20, PAGE..2 * PAGE, 0..0] {
            map.release(&bytes[part]);
            assert!(bytes == copy);
        }
        // What is no part of the map keeps its content.
        map.release(&copy);
        assert!(bytes == copy);
    }
}
