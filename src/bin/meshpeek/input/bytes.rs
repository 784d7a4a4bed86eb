//! The bytes of an input file: a memory map, or a copy of a small file, a pipe or standard input.

use std::io::Read;
use std::path::Path;

use meshpeek::io::{open_stream, read_up_to};
use meshpeek::sidecar::Key;
use meshpeek::{Format, Limits, Map};

use crate::args::{Global, STDIN};

/// Files of up to this size, in bytes, are copied into memory. For a small file, a copy is faster
/// than a memory map, and the copy cannot change.
pub const MAX_COPY: u64 = 1 << 20;
/// The format of a stream must be recognised in this number of bytes. Otherwise the rest of the
/// stream is not read.
const STREAM_HEAD: u64 = 64 << 10;

/// The bytes of an input file, in a memory map or in a copy.
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
    /// Returns an error if the file changed after it was opened. The caller must call this method
    /// before it prints anything that was read from the file.
    pub fn check(&self) -> meshpeek::Result<()> {
        match self {
            Self::Map(map) => map.check(),
            Self::Bytes(_) => Ok(()),
        }
    }
}

/// Maps a file into memory, or reads it into memory.
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
    // Some file systems do not support memory maps. All file systems support reading.
    map(path).map(Data::Map).or_else(|_| copy(path, size, limits))
}

/// Maps a regular file into memory.
pub fn map(path: &Path) -> meshpeek::Result<Map> {
    // SAFETY: The user names a file that is read during the command, and the help text states that
    // the file is mapped. If another program writes to the file during the command, the library
    // returns wrong values or errors. `Data::check` is called before anything is printed, and the
    // option `--no-mmap` exists for files that other programs write to. A sidecar is replaced by a
    // new file and never changed in place. The option `--no-sidecar` exists for a sidecar that
    // another program writes to.
    #[allow(unsafe_code, reason = "the only call of `Map::open` in the program")]
    unsafe {
        Map::open(path)
    }
}

/// Returns the identity of a regular file, or `None` for any other file and for standard input.
pub fn identity(path: &Path) -> Option<Key> {
    let metadata = if path == Path::new(STDIN) { None } else { std::fs::metadata(path).ok() };
    metadata.filter(std::fs::Metadata::is_file).map(|metadata| Key::of(&metadata))
}

/// Reads a regular file, up to the size in its metadata. The limit is necessary because files of
/// special file systems may have no end.
fn copy(path: &Path, size: u64, limits: &Limits) -> meshpeek::Result<Data> {
    read_up_to(open_stream(path)?, size, limits.stream.max(size)).map(Data::Bytes)
}

/// Reads a whole stream, if its first bytes are the first bytes of a known format.
fn stream(mut stream: impl Read, limits: &Limits) -> meshpeek::Result<Data> {
    let head = read_up_to(stream.by_ref().take(STREAM_HEAD), STREAM_HEAD, STREAM_HEAD)?;
    Format::detect(&head)?;
    read_up_to(head.as_slice().chain(stream), STREAM_HEAD, limits.stream).map(Data::Bytes)
}
