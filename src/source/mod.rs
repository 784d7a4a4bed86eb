//! The one place that maps files, reads them, and tells the system what will be read next.
//!
//! # Why opening a map is `unsafe`
//!
//! A shared reference promises that its bytes do not change. Another process can break that promise for a mapped file:
//! bytes it writes are visible at once, and where it cuts the file, reading a lost page kills this process (SIGBUS).
//! No flag of the mapping prevents either, so the promise is the caller's, and [`Map::open`] says which. Those who
//! cannot give it call [`read`], which is safe and copies.
//!
//! The rest of the crate is written so that a broken promise about the bytes still gives a wrong value or an error and
//! nothing worse: records hold only types for which any bits are valid, names are bytes and not `str`, and every count
//! and index is checked where it is used.
//!
//! # Advice
//!
//! A map is opened with random-access advice, unless the file is small: a cold touch then costs one page and about 50 µs, where the system's
//! read-ahead would fetch megabytes and take milliseconds. Whoever is about to scan an array says so first, with
//! [`prefetch`]; a scan without it would read page by page.
#![allow(
    unsafe_code,
    reason = "mapping a file and advising the system about it are unsafe calls; this is their only home"
)]

mod huge;
mod regular;

pub(crate) use huge::Huge;

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
pub(crate) use regular::open_regular;
use regular::{FILE, Identity, describe, failed, open_without_waiting};

/// Bytes of a file up to which it is not worth reading page by page.
#[cfg(unix)]
const SMALL: usize = 128 << 10;

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
        if bytes.len() > SMALL {
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

/// Reads the file at `path` into memory: the safe way, for those who must not map. It copies the whole file.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let bytes = meshpeek::read("data/unigine/cube_ms13.mesh")?;
/// let mesh = meshpeek::unigine::Mesh::open(bytes)?;
/// assert_eq!(mesh.surface_count(), 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`Map::open`], and [`ErrorKind::OutOfMemory`].
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path.as_ref();
    let (file, metadata) = open_regular(path)?;
    // The size is a hint: special file systems report 0 for files that have content.
    read_up_to(file, metadata.len(), u64::MAX).map_err(|error| error.at_path(path))
}

/// Reads a stream to its end, at most `limit` bytes of it; `expected` is how many there probably are.
///
/// # Errors
///
/// [`ErrorKind::Limit`] where the stream goes on after `limit` bytes, [`ErrorKind::Io`], [`ErrorKind::OutOfMemory`].
pub fn read_up_to(stream: impl Read, expected: u64, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let expected = expected.min(limit);
    let asked = usize::try_from(expected).unwrap_or(usize::MAX);
    let wrong = |kind| Error::without_offset("file", FILE, kind);
    bytes.try_reserve_exact(asked).map_err(|_| wrong(ErrorKind::OutOfMemory { asked: expected }))?;
    stream.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| wrong(error.into()))?;
    let found = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if found > limit {
        return Err(wrong(ErrorKind::Limit { name: "stream", allowed: limit, asked: found }));
    }
    Ok(bytes)
}

/// Opens what is not a regular file, such as a pipe, for reading as a stream. It never waits to be opened: a named pipe
/// that nobody writes to reads as empty.
///
/// # Errors
///
/// [`ErrorKind::NotRegular`] for a directory or a socket; [`ErrorKind::Io`].
pub fn open_stream(path: &Path) -> Result<File> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata().map_err(|error| failed(path, error.into()))?;
    if metadata.is_dir() {
        return Err(failed(path, ErrorKind::NotRegular { found: describe(&metadata) }));
    }
    // Opening must not wait, reading must: a writer may be slow.
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd as _;
        let descriptor = file.as_raw_fd();
        // SAFETY: the descriptor is open, and belongs to `file`; reading and setting its flags touches no memory.
        let done = unsafe {
            let flags = libc::fcntl(descriptor, libc::F_GETFL);
            libc::fcntl(descriptor, libc::F_SETFL, flags & !libc::O_NONBLOCK)
        };
        if done < 0 {
            return Err(failed(path, std::io::Error::last_os_error().into()));
        }
    }
    Ok(file)
}

/// Tells the system that exactly these bytes are about to be read in order.
///
/// For bytes of a [`Map`] this starts reading them from the disk in large pieces; for any other memory it does
/// nothing. It waits for the disk for one page at most. Where the bytes are in memory already it costs two system calls
/// for each MiB, where the advice itself would cost a third of what reading them does.
pub fn prefetch(bytes: &[u8]) {
    if bytes.len() >= 2 * PAGE && !seems_cached(bytes) {
        advise_will_need(bytes);
    }
}

/// Bytes for each page that [`seems_cached`] looks at.
const SAMPLE: usize = 1 << 20;

/// Tells whether none of a sample of pages had to come from the disk: one in each MiB, and the last. The first page is
/// not among them, since a parser has often been there. Where a sample misses a gap, that gap is read page by page.
fn seems_cached(bytes: &[u8]) -> bool {
    let Some(before) = pages_from_disk() else { return false };
    let mut sample = bytes.iter().skip(PAGE).step_by(SAMPLE).chain(bytes.last());
    sample.all(|byte| {
        std::hint::black_box(*byte);
        pages_from_disk() == Some(before)
    })
}

/// Returns how many pages this thread has waited for so far, where the system says so.
#[cfg(all(target_os = "linux", not(miri)))]
fn pages_from_disk() -> Option<libc::c_long> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes a whole structure of this type where it succeeds, and zero is a value of each of its fields.
    let (refused, usage) = unsafe { (libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()), usage.assume_init()) };
    (refused == 0).then_some(usage.ru_majflt)
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn pages_from_disk() -> Option<i64> {
    None
}

/// Bytes that a walk asks for at a time.
const WINDOW: usize = 1 << 20;

/// Reads ahead of a walk that does not know yet where it ends: asks for the next MiB whenever the last is used up.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Where the bytes end that were asked for.
    until: usize,
}

impl ReadAhead {
    /// Notes that the walk has come to byte `at` of `bytes`, and that what is left of it should take `left` bytes: no
    /// more is asked for, lest other arrays are read, too. Returns where the bytes end that were asked for.
    #[inline]
    pub(crate) fn pass(&mut self, bytes: &[u8], at: usize, left: impl FnOnce() -> usize) -> usize {
        if at >= self.until {
            self.until = at.saturating_add(left().min(WINDOW));
            prefetch(bytes.get(at..self.until.min(bytes.len())).unwrap_or_default());
        }
        self.until
    }
}

/// Bytes that the system is advised about at a time. Linux reads no more of one piece of advice than the disk's
/// read-ahead, 128 KiB by default, and leaves the rest to be read page by page.
#[cfg(all(unix, not(miri)))]
const PIECE: usize = 128 << 10;

/// The least page size of the systems this runs on; advice about half a page is harmless.
const PAGE: usize = 4096;

#[cfg(all(unix, not(miri)))]
fn advise_will_need(bytes: &[u8]) {
    let start = bytes.as_ptr();
    let before = start.addr() & page_mask();
    let (start, length) = (start.wrapping_sub(before), bytes.len().saturating_add(before));
    for piece in (0..length).step_by(PIECE) {
        let part = length.saturating_sub(piece).min(PIECE);
        // SAFETY: the range starts at the page that holds the first byte of a live slice and ends with its last byte,
        // so all of it is mapped, and so is each piece. This advice changes neither content nor protection, and its
        // failure changes nothing.
        unsafe {
            libc::madvise(start.wrapping_add(piece).cast_mut().cast(), part, libc::MADV_WILLNEED);
        }
    }
}

/// Returns the bits of an address that lie within its page.
#[cfg(all(unix, not(miri)))]
fn page_mask() -> usize {
    use std::sync::OnceLock;
    static MASK: OnceLock<usize> = OnceLock::new();
    *MASK.get_or_init(|| {
        // SAFETY: asking for a system constant has no precondition.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(PAGE).wrapping_sub(1)
    })
}

#[cfg(not(all(unix, not(miri))))]
fn advise_will_need(_bytes: &[u8]) {}

/// Tells whether a file belongs to the user who runs this, and nobody else may write to it; where files have no owners, all do.
pub(crate) fn is_own(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // SAFETY: asking for the user's number has no precondition, and always succeeds.
        let user = unsafe { libc::geteuid() };
        let (owner, mode) = (metadata.uid(), metadata.mode());
        owner == user && mode & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn reads_a_stream_up_to_its_limit() {
        assert_eq!(read_up_to(&b"abc"[..], 0, 3).unwrap(), b"abc");
        let error = read_up_to(&b"abcd"[..], 4, 3).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { allowed: 3, .. }), "{error}");
    }

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

    #[test]
    fn prefetches_any_slice() {
        let bytes = vec![7_u8; 100_000];
        prefetch(&bytes[1..]);
        prefetch(&bytes[..0]);
        assert!(bytes.iter().all(|byte| *byte == 7));
    }
}
