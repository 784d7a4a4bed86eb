//! Memory-mapped files.

use std::fs::{File, Metadata};
use std::path::Path;

use super::advice::doubt_scans;
use super::guard::GuardedRange;
use super::regular_file::{FILE, Identity, check_unchanged, describe, differs, failed, open_regular};
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Result};

/// Size of the largest file that is mapped without advice, in bytes. The read-ahead of the
/// operating system loads such a file at once.
#[cfg(unix)]
const MAX_WITHOUT_ADVICE: usize = 128 << 10;
/// Size of the largest file that Linux is advised to load at once, in bytes. Loading 1 MiB takes as
/// long as loading four pages one after another.
#[cfg(target_os = "linux")]
const MAX_LOADED_AT_ONCE: usize = 1 << 20;

/// A memory-mapped file. The mapping is read-only and private.
///
/// A `Map` implements `AsRef<[u8]>`, so every `open` function for a mesh file, such as
/// [`Model::open`](crate::Model::open), accepts a `Map` as the bytes of the file.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// // SAFETY: No process writes to the sample while this runs.
/// let map = unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh")? };
/// assert_eq!(&map.as_ref()[..4], b"ms13");
/// map.check()
/// # }
/// ```
pub struct Map {
    /// The guard of `bytes` against a shortened file. It is declared before `bytes`, and therefore
    /// ends before the bytes are unmapped.
    guard: Option<GuardedRange>,
    bytes: memmap2::Mmap,
    file: File,
    opened: Identity,
    path: Option<Box<Path>>,
}

short_debug!(Map: |map| { path: map.path, bytes: map.bytes.len(), guarded: map.guard.is_some() });

impl Map {
    /// Maps the file at `path`.
    ///
    /// If the file is larger than 1 MiB, the operating system gets the advice that the program
    /// reads the map in random order, and loads only the pages that are read. Linux loads a smaller
    /// file as a whole, because this takes as long as loading four pages. An empty file is mapped
    /// as an empty slice, and opening a mesh from an empty slice fails with
    /// [`ErrorKind::Empty`](crate::ErrorKind::Empty).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotRegular`](crate::ErrorKind::NotRegular) for a directory, a pipe, a
    /// socket or a device, without waiting for a writer of the pipe. Returns
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be opened or mapped. Returns
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the [guard](crate::io::guard) is installed
    /// and already covers 8,192 maps.
    ///
    /// # Safety
    ///
    /// No process, including the current process, may shorten or change the file while the map
    /// exists. A process may replace the file by a rename or delete the file, because the map keeps
    /// the old content.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, metadata) = open_regular(path)?;
        // SAFETY: The caller guarantees that the file does not change.
        unsafe { Self::of_file(Some(path), file, &metadata) }
    }

    /// Maps the file at `path` if the operating system forbids every process to change the file.
    ///
    /// This function is safe, because it maps only files whose bytes cannot change:
    ///
    /// | system | files that are mapped |
    /// |---|---|
    /// | Linux | a memory file (`memfd_create`) with the seals `F_SEAL_WRITE` and `F_SEAL_SHRINK`; a file with fs-verity |
    /// | Windows | any file that no process has open for writing; no process can open it for writing while the map exists |
    /// | other systems | none |
    ///
    /// The path of a memory file is `/proc/self/fd/N`, where `N` is its descriptor. On Windows, a
    /// process that mapped the file for writing and then closed it can still change the bytes, and
    /// a server of a network drive need not keep its own processes from writing. Use
    /// [`read`](crate::read) for a file that such a process may write to.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Self::open). Returns
    /// [`ErrorKind::Unprotected`](crate::ErrorKind::Unprotected) if a process could change the
    /// file. [`read`](crate::read) is safe for any file.
    pub fn open_protected(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, metadata) = open_protected(path)?;
        check_protection(&file).map_err(|kind| failed(path, kind))?;
        // SAFETY: `check_protection` has found that the system does not allow any process to change
        // or to shorten the file. This holds for as long as `file` is open, and the map owns it.
        unsafe { Self::of_file(Some(path), file, &metadata) }
    }

    /// Maps an open regular file, like [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Self::open), without a path.
    ///
    /// # Safety
    ///
    /// The requirement is the same as for [`open`](Self::open).
    pub unsafe fn from_file(file: File) -> Result<Self> {
        let wrong = |kind| Error::without_offset("file", FILE, kind);
        let metadata = file.metadata().map_err(|error| wrong(error.into()))?;
        if !metadata.is_file() {
            return Err(wrong(Cause::NotRegular { found: describe(&metadata) }));
        }
        // SAFETY: The caller guarantees that the file does not change.
        unsafe { Self::of_file(None, file, &metadata) }
    }

    /// Maps an open file. `path` is the path of the file in error messages.
    ///
    /// # Safety
    ///
    /// The requirement is the same as for [`open`](Self::open).
    unsafe fn of_file(path: Option<&Path>, file: File, metadata: &Metadata) -> Result<Self> {
        let located = |error: Error| path.map_or(error.clone(), |path| error.at_path(path));
        // The file length from `metadata` is passed to `memmap2`, which would otherwise query it
        // again. Mapping fails if the length does not fit into the address space.
        let mut options = memmap2::MmapOptions::new();
        options.len(usize::try_from(metadata.len()).unwrap_or(usize::MAX));
        // SAFETY: The caller guarantees that the file does not change. The mapping is private and
        // read-only.
        let map = unsafe { options.map_copy_read_only(&file) };
        let bytes = map.map_err(|error| located(Error::without_offset("file", FILE, error.into())))?;
        let guard = GuardedRange::new(&bytes).map_err(located)?;
        doubt_scans();
        // If the operating system rejects the advice, reads are only slower and not wrong.
        #[cfg(unix)]
        if let Some(advice) = advice(bytes.len()) {
            let _ = bytes.advise(advice);
        }
        Ok(Self { guard, bytes, file, opened: Identity::of(metadata), path: path.map(Into::into) })
    }

    /// Removes all pages from the memory of the process, and forbids huge pages from now on. The
    /// system could remove a part of a huge page only together with the rest of it.
    #[cfg(feature = "streaming")]
    pub(crate) fn unmap_huge_pages(&self) {
        #[cfg(target_os = "linux")]
        let _ = self.bytes.advise(memmap2::Advice::NoHugePage);
        self.release_range(&(0..u64::MAX));
    }

    /// Compares the size, modification time and inode of the file with their values when the file
    /// was opened.
    ///
    /// Call `check` after you read values from the map and before you store results that depend on
    /// them. `check` detects every truncation of the file and nearly every change. `check` may miss
    /// a change that was made through another memory map, because the modification time of the file
    /// may then stay the same for a while. `check` detects wrong results afterwards, but it does
    /// not replace the safety requirement of [`Map::open`].
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) if the file is now shorter, or
    /// if a page of the map was lost while the [guard](crate::io::guard) was installed. The offset
    /// of the error is that of the first missing byte, or of the first lost page if the file has
    /// grown again. Returns [`ErrorKind::Changed`](crate::ErrorKind::Changed) if the file is longer
    /// or its modification time or inode differs. Returns [`ErrorKind::Io`](crate::ErrorKind::Io)
    /// if the operating system cannot report the metadata of the file. All errors contain the path
    /// of the file.
    pub fn check(&self) -> Result<()> {
        let lost = self.guard.as_ref().and_then(GuardedRange::lost);
        check_unchanged(&self.file, &self.opened, lost).map_err(|error| self.located(error))
    }

    /// Returns whether the path of the map now leads to another file than the mapped one, to a file
    /// that was modified after the map was opened, or to no regular file.
    ///
    /// A program that reads files again when they are replaced calls `has_changed` from time to
    /// time, and opens the path again if the result is `true`. The map keeps the old content until
    /// it is dropped, if the file was replaced by a rename or deleted. [`check`](Self::check) is
    /// different: it examines the mapped file itself, wherever its path leads. For a map of an
    /// [open file](Self::from_file), whose path is not known, `has_changed` also examines the
    /// mapped file itself.
    ///
    /// The values that are compared are those of
    /// [`FileStamp::has_changed`](crate::io::FileStamp::has_changed). Because the map keeps the old
    /// file open, no new file has the inode of the old one, and a rename is always noticed on Unix.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`] if the operating system cannot report the metadata of the file. A
    /// file that does not exist is not an error.
    ///
    /// [`ErrorKind::Io`]: crate::ErrorKind::Io
    pub fn has_changed(&self) -> Result<bool> {
        let Some(path) = &self.path else {
            let metadata = self.file.metadata().map_err(|error| Error::without_offset("file", FILE, error.into()))?;
            return Ok(Identity::of(&metadata) != self.opened);
        };
        differs(path, &self.opened)
    }
}

/// Returns the advice about a map of `length` bytes.
#[cfg(unix)]
fn advice(length: usize) -> Option<memmap2::Advice> {
    match length {
        0..=MAX_WITHOUT_ADVICE => None,
        // Linux loads 2 MiB for the first access to a map with this advice.
        #[cfg(target_os = "linux")]
        0..=MAX_LOADED_AT_ONCE => Some(memmap2::Advice::HugePage),
        _ => Some(memmap2::Advice::Random),
    }
}

/// Opens a regular file for reading, and on Windows denies other processes to write to it.
#[cfg(not(windows))]
fn open_protected(path: &Path) -> Result<(File, Metadata)> {
    super::regular_file::open_regular(path)
}

/// Opens a regular file for reading, and denies other processes to write to it while it is open.
#[cfg(windows)]
fn open_protected(path: &Path) -> Result<(File, Metadata)> {
    use std::os::windows::fs::OpenOptionsExt as _;

    use super::regular_file::{describe, failed};

    /// Other processes may read the file, and may neither write to it nor delete it.
    const FILE_SHARE_READ: u32 = 1;
    let file = std::fs::OpenOptions::new().read(true).share_mode(FILE_SHARE_READ).open(path);
    let file = file.map_err(|error| failed(path, error.into()))?;
    let metadata = file.metadata().map_err(|error| failed(path, error.into()))?;
    if metadata.is_file() {
        return Ok((file, metadata));
    }
    Err(failed(path, Cause::NotRegular { found: describe(&metadata) }))
}

/// Returns an error if a process could change or shorten the file.
fn check_protection(file: &File) -> Result<(), Cause> {
    if is_protected(file) { Ok(()) } else { Err(Cause::Unprotected) }
}

#[cfg(target_os = "linux")]
fn is_protected(file: &File) -> bool {
    is_sealed(file) || has_verity(file)
}

/// The file was opened without write sharing. A server of a network drive need not keep to that.
#[cfg(windows)]
const fn is_protected(_file: &File) -> bool {
    true
}

#[cfg(not(any(target_os = "linux", windows)))]
const fn is_protected(_file: &File) -> bool {
    false
}

/// Returns whether a file is a memory file that is sealed against writing and shortening. The
/// system allows the seal against writing only if no writable map of the file exists.
#[cfg(target_os = "linux")]
fn is_sealed(file: &File) -> bool {
    use std::os::fd::AsRawFd as _;
    const SEALS: libc::c_int = libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK;
    // SAFETY: The descriptor is open, because `file` owns it. The call accesses no memory.
    let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
    seals >= 0 && seals & SEALS == SEALS
}

/// Returns whether a file has fs-verity, which makes its content unchangeable for its lifetime.
#[cfg(all(target_os = "linux", any(target_env = "gnu", target_env = "musl")))]
fn has_verity(file: &File) -> bool {
    use std::os::fd::AsRawFd as _;
    let mut found = std::mem::MaybeUninit::<libc::statx>::zeroed();
    let (descriptor, path) = (file.as_raw_fd(), c"".as_ptr());
    // SAFETY: The descriptor is open, because `file` owns it. The path is a C string, and `statx`
    // writes only one structure. Zero is an allowed value of all its fields, so the structure is
    // initialised even if `statx` fails.
    let (failed, found) =
        unsafe { (libc::statx(descriptor, path, libc::AT_EMPTY_PATH, 0, found.as_mut_ptr()), found.assume_init()) };
    let verity = u64::try_from(libc::STATX_ATTR_VERITY).unwrap_or_default();
    failed == 0 && found.stx_attributes & verity != 0
}

#[cfg(all(target_os = "linux", not(any(target_env = "gnu", target_env = "musl"))))]
const fn has_verity(_file: &File) -> bool {
    false
}

impl Map {
    /// Releases the physical memory of all pages of the map that lie completely in `bytes`.
    ///
    /// Released pages no longer count as memory of this process. The next access to a released page
    /// loads it again from the page cache of the operating system or from the disk. A program that
    /// reads a file larger than memory can release the bytes that it has read, for example after
    /// every 64 MiB. If `bytes` is not a part of this map, `release` has no effect.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Array, Model};
    /// // SAFETY: No process writes to the sample while this runs.
    /// let model = Model::open(unsafe { meshpeek::Map::open("data/unigine/cube_ms13.mesh")? })?;
    /// let map = model.source(0).expect("a model has a file");
    /// for surface in model.surfaces()? {
    ///     let positions = surface.positions()?;
    ///     for part in positions.parts(positions.as_bytes().len().div_ceil(64 << 20)) {
    ///         println!("{:?}", part.bounds());
    ///         map.release(part.as_bytes());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn release(&self, bytes: &[u8]) {
        if let Some(range) = self.range_of(bytes) {
            self.release_range(&range);
        }
    }

    /// Returns the open file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Adds the path of the file to an error, if the path is known.
    pub(crate) fn located(&self, error: Error) -> Error {
        match &self.path {
            Some(path) => error.at_path(path),
            None => error,
        }
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
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
        // `copy` is memory outside the map, so releasing it must not change its content.
        map.release(&copy);
        assert!(bytes == copy);
    }
}
