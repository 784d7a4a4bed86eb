//! Files and streams read into memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::regular_file::{FILE, describe, failed, open_regular, open_without_waiting};
use crate::error::{Error, ErrorKind, Result};

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
/// As [`Map::open`](crate::Map::open), and [`ErrorKind::OutOfMemory`].
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
