//! Reading of whole files and streams into memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::regular_file::{FILE, Identity, check_unchanged, open_regular};
#[cfg(any(feature = "cli", feature = "internals"))]
use super::regular_file::{describe, failed, open_without_waiting};
use crate::error::{Cause, Error, Result};

/// Reads the file at `path` into memory.
///
/// `read` copies the whole file to memory. It is the safe alternative to
/// [`Map::open`](crate::Map::open). The size, modification time and inode of the file are compared before
/// the first byte and after the last byte is read. A file that another program writes to meanwhile
/// is therefore an error, and not a mix of old and new bytes. A change is only noticed if the
/// system gives the file another modification time or size: some systems count time in steps of up
/// to 10 milliseconds.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let bytes = meshpeek::read("data/unigine/cube_ms13.mesh")?;
/// let model = meshpeek::Model::open(bytes)?;
/// assert_eq!(model.surfaces()?.len(), 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of [`Map::open`](crate::Map::open), [`ErrorKind::Truncated`] or
/// [`ErrorKind::Changed`] if the file changes while it is read, and [`ErrorKind::OutOfMemory`] if
/// the allocation fails.
///
/// [`ErrorKind::Truncated`]: crate::ErrorKind::Truncated
/// [`ErrorKind::Changed`]: crate::ErrorKind::Changed
/// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path.as_ref();
    let (file, _) = open_regular(path)?;
    read_unchanged(&file, u64::MAX).map_err(|error| error.at_path(path))
}

/// Reads an open regular file of at most `limit` bytes to its end.
///
/// The size, modification time and inode of the file are compared before the first byte and after
/// the last byte is read.
///
/// # Errors
///
/// Returns [`ErrorKind::Truncated`] if the file becomes shorter while it is read,
/// [`ErrorKind::Changed`] if it changes otherwise, and the errors of `read_up_to`.
///
/// [`ErrorKind::Truncated`]: crate::ErrorKind::Truncated
/// [`ErrorKind::Changed`]: crate::ErrorKind::Changed
pub fn read_unchanged(file: &File, limit: u64) -> Result<Vec<u8>> {
    let metadata = file.metadata().map_err(|error| Error::without_offset("file", FILE, error.into()))?;
    let before = Identity::of(&metadata);
    // The file size in `metadata` is only a hint, because special file systems such as `/proc`
    // report 0 for files that have content.
    let bytes = read_up_to(file, before.len, limit)?;
    check_unchanged(file, &before, None)?;
    Ok(bytes)
}

/// Reads at most `count` bytes from the start of the regular file at `path`.
///
/// A pipe or a device is an error. `read_start` therefore never waits for another program.
///
/// # Errors
///
/// Returns [`ErrorKind::NotRegular`] if the path is not a regular file, and [`ErrorKind::Io`] if
/// the file cannot be read.
///
/// [`ErrorKind::NotRegular`]: crate::ErrorKind::NotRegular
/// [`ErrorKind::Io`]: crate::ErrorKind::Io
pub fn read_start(path: &Path, count: u64) -> Result<Vec<u8>> {
    let (file, _) = open_regular(path)?;
    read_up_to(file.take(count), count, count).map_err(|error| error.at_path(path))
}

/// Reads a stream of at most `limit` bytes to its end.
///
/// `expected` is the probable size of the stream in bytes, which determines how much memory is
/// allocated first.
///
/// # Errors
///
/// Returns [`ErrorKind::Limit`] if the stream has more than `limit` bytes, [`ErrorKind::Io`] if
/// reading the stream fails, and [`ErrorKind::OutOfMemory`] if the allocation fails.
///
/// [`ErrorKind::Limit`]: crate::ErrorKind::Limit
/// [`ErrorKind::Io`]: crate::ErrorKind::Io
/// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
#[doc(hidden)]
pub fn read_up_to(stream: impl Read, expected: u64, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let expected = expected.min(limit);
    let asked = usize::try_from(expected).unwrap_or(usize::MAX);
    let wrong = |kind| Error::without_offset("file", FILE, kind);
    bytes.try_reserve_exact(asked).map_err(|_| wrong(Cause::OutOfMemory { asked: expected }))?;
    stream.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| wrong(error.into()))?;
    let found = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if found > limit {
        return Err(wrong(Cause::Limit { name: "stream", allowed: limit, asked: found }));
    }
    Ok(bytes)
}

/// Opens a file that is not a regular file, such as a pipe, and returns it as a stream.
///
/// Opening a named pipe never waits for a writer. Reading a named pipe without a writer gives an
/// empty stream.
///
/// # Errors
///
/// Returns [`ErrorKind::NotRegular`] for a directory or a socket, and [`ErrorKind::Io`] if the file
/// cannot be opened.
///
/// [`ErrorKind::NotRegular`]: crate::ErrorKind::NotRegular
/// [`ErrorKind::Io`]: crate::ErrorKind::Io
#[cfg(any(feature = "cli", feature = "internals"))]
pub fn open_stream(path: &Path) -> Result<File> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata().map_err(|error| failed(path, error.into()))?;
    if metadata.is_dir() {
        return Err(failed(path, Cause::NotRegular { found: describe(&metadata) }));
    }
    // The file was opened with `O_NONBLOCK`, because opening a pipe must not wait for a writer. The
    // flag `O_NONBLOCK` is now removed, because reading must wait for a slow writer.
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd as _;
        let descriptor = file.as_raw_fd();
        // SAFETY: The file descriptor is open, because `file` owns it. `F_GETFL` and `F_SETFL`
        // access no memory of this process.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_file_that_changes_while_it_is_read_is_an_error() {
        use std::io::Write as _;
        use std::sync::atomic::{AtomicBool, Ordering};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mesh");
        std::fs::write(&path, vec![7; 64 << 20]).unwrap();
        assert_eq!(read(&path).unwrap().len(), 64 << 20);
        let done = AtomicBool::new(false);
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
                while !done.load(Ordering::Relaxed) {
                    file.write_all(b"x").unwrap();
                }
            });
            // On a busy machine, the whole file may be read between two changes.
            let error = (0..100).find_map(|_| read(&path).err());
            done.store(true, Ordering::Relaxed);
            error.unwrap()
        });
        assert!(matches!(error.cause(), Cause::Changed), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn the_start_of_a_pipe_is_an_error_without_waiting() {
        let error = read_start(Path::new("/dev/null"), 64).unwrap_err();
        assert!(matches!(error.cause(), Cause::NotRegular { .. }), "{error}");
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert_eq!(read_start(path, 9).unwrap(), b"[package]");
    }

    #[test]
    fn reads_a_stream_up_to_its_limit() {
        assert_eq!(read_up_to(&b"abc"[..], 0, 3).unwrap(), b"abc");
        let error = read_up_to(&b"abcd"[..], 4, 3).unwrap_err();
        assert!(matches!(error.cause(), Cause::Limit { allowed: 3, .. }), "{error}");
    }
}
