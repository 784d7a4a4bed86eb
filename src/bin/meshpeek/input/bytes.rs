//! The bytes of an input: mapped, or read from a small file, a pipe or standard input.

use std::io::Read;
use std::path::Path;

use meshpeek::io::{open_stream, read_up_to};
use meshpeek::sidecar::Key;
use meshpeek::{Format, Limits, Map};

use crate::args::{Global, STDIN};

/// A file up to this size is read: a copy is cheaper than a mapping, and cannot change.
pub const MAX_COPY: u64 = 1 << 20;
/// Bytes of a stream that must be recognised before more of it is read.
const STREAM_HEAD: u64 = 64 << 10;

/// The bytes of an input.
#[derive(Debug)]
pub enum Data {
    Map(Map),
    Bytes(Vec<u8>),
}

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Map(map) => map.as_ref(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl Data {
    /// Checks that the file is still the one that was opened, so that what was read from it may be printed.
    pub fn check(&self) -> meshpeek::Result<()> {
        match self {
            Self::Map(map) => map.check(),
            Self::Bytes(_) => Ok(()),
        }
    }
}

/// Maps or reads a file.
pub fn load(path: &Path, global: &Global, limits: &Limits) -> meshpeek::Result<Data> {
    if path == Path::new(STDIN) {
        return stream(std::io::stdin().lock(), limits);
    }
    let metadata = std::fs::metadata(path);
    let regular = metadata.as_ref().is_ok_and(std::fs::Metadata::is_file);
    if metadata.is_ok() && !regular {
        return stream(open_stream(path)?, limits);
    }
    let size = metadata.map_or(0, |metadata| metadata.len());
    if global.no_mmap || size <= MAX_COPY {
        return copy(path, size, limits);
    }
    // Some file systems cannot be mapped; all can be read.
    map(path).map(Data::Map).or_else(|_| copy(path, size, limits))
}

/// Maps a regular file.
pub fn map(path: &Path) -> meshpeek::Result<Map> {
    // SAFETY: the user of a command names a file to be read now, and the command's help says that it is mapped. If
    // another program writes to it meanwhile, the library answers with wrong values or errors; `Data::check` is called
    // before anything is printed, and `--no-mmap` serves for files that are being written. A sidecar is replaced and
    // never written to; `--no-sidecar` serves where another program does write to one.
    #[allow(unsafe_code, reason = "the command line's one call of `Map::open`")]
    unsafe {
        Map::open(path)
    }
}

/// Returns the identity of a regular file; standard input has none.
pub fn identity(path: &Path) -> Option<Key> {
    let metadata = if path == Path::new(STDIN) { None } else { std::fs::metadata(path).ok() };
    metadata.filter(std::fs::Metadata::is_file).map(|metadata| Key::of(&metadata))
}

/// Reads a regular file whole, up to the size that it claims: files of special file systems may have no end.
fn copy(path: &Path, size: u64, limits: &Limits) -> meshpeek::Result<Data> {
    read_up_to(open_stream(path)?, size, limits.stream.max(size)).map(Data::Bytes)
}

/// Reads a stream whole, if its first bytes are those of a format.
fn stream(mut stream: impl Read, limits: &Limits) -> meshpeek::Result<Data> {
    let head = read_up_to(stream.by_ref().take(STREAM_HEAD), STREAM_HEAD, STREAM_HEAD)?;
    Format::detect(&head)?;
    read_up_to(head.as_slice().chain(stream), STREAM_HEAD, limits.stream).map(Data::Bytes)
}
