//! Reading of whole files and streams into memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::regular_file::{FILE, describe, failed, open_regular, open_without_waiting};
use crate::error::{Error, ErrorKind, Result};

/// Reads the file at `path` into memory.
///
/// This function is the safe alternative to a map. It copies the whole file.
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
/// Returns the errors of [`Map::open`](crate::Map::open), and [`ErrorKind::OutOfMemory`] if the
/// allocation fails.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path.as_ref();
    let (file, metadata) = open_regular(path)?;
    // The size from the metadata is only a hint: special file systems report 0 for files that have
    // content.
    read_up_to(file, metadata.len(), u64::MAX).map_err(|error| error.at_path(path))
}

/// Reads a stream to its end, but no more than `limit` bytes. `expected` is the probable size of
/// the stream, in bytes.
///
/// # Errors
///
/// Returns [`ErrorKind::Limit`] if the stream has more than `limit` bytes, and [`ErrorKind::Io`] or
/// [`ErrorKind::OutOfMemory`] if reading or the allocation fails.
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

/// Opens a file that is not a regular file, such as a pipe, and returns it as a stream.
///
/// Opening the file never waits. A named pipe without a writer has no content.
///
/// # Errors
///
/// Returns [`ErrorKind::NotRegular`] for a directory or a socket, and [`ErrorKind::Io`] if the file
/// cannot be opened.
pub fn open_stream(path: &Path) -> Result<File> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata().map_err(|error| failed(path, error.into()))?;
    if metadata.is_dir() {
        return Err(failed(path, ErrorKind::NotRegular { found: describe(&metadata) }));
    }
    // Opening the file must not wait, but reading from it must wait, because a writer may be slow.
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd as _;
        let descriptor = file.as_raw_fd();
        // SAFETY: The file descriptor is open, because `file` owns it. Reading and setting the
        // flags of the descriptor accesses no memory.
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

    #[test]
    fn reads_a_stream_up_to_its_limit() {
        assert_eq!(read_up_to(&b"abc"[..], 0, 3).unwrap(), b"abc");
        let error = read_up_to(&b"abcd"[..], 4, 3).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { allowed: 3, .. }), "{error}");
    }
}
