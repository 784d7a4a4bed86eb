//! Loads the bytes of an input file: maps a large file into memory, and copies a small file, a pipe
//! or standard input.

use std::fs::{File, Metadata};
use std::io::{Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::expect_known;
use crate::io::{open_stream, read_unchanged, read_up_to};
use crate::sidecar::{Key, SidecarCache};
use crate::{Limits, Map};

use crate::program::args::{Global, STDIN};

/// Files of up to this size, in bytes, are copied into memory. Copying a small file is faster than
/// mapping it, and other programs cannot change the copy.
pub const MAX_COPY: u64 = 1 << 20;
/// The number of bytes at the start of a stream in which its format must be recognised. If the
/// format is not recognised in these bytes, the remaining bytes of the stream are not read.
const STREAM_HEAD: u64 = 64 << 10;

/// The bytes of an input file, as a memory map or as a copy in memory.
#[derive(Debug)]
pub enum Data {
    Map(MappedFile),
    Bytes(Vec<u8>),
}

/// A mapped file, with the path that errors about it contain.
#[derive(Clone, Debug)]
pub struct MappedFile {
    map: Arc<Map>,
    path: PathBuf,
}

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Map(file) => (*file.map).as_ref(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl MappedFile {
    fn new(map: Map, path: &Path) -> Self {
        Self { map: Arc::new(map), path: path.to_owned() }
    }

    /// Returns an error if the file changed after it was opened.
    pub fn check(&self) -> crate::Result<()> {
        self.map.check().map_err(|error| error.at_path(&self.path))
    }
}

impl Data {
    /// Returns a handle with which the mapped file can be checked after `self` is gone. Returns
    /// `None` for a copy, which cannot change.
    pub fn mapped(&self) -> Option<MappedFile> {
        match self {
            Self::Map(file) => Some(file.clone()),
            Self::Bytes(_) => None,
        }
    }

    /// Releases the memory of all pages of a mapped file. They are loaded again when they are read.
    pub fn release(&self) {
        self.release_part(self.as_ref());
    }

    /// Releases the memory of the pages of a mapped file that lie in `bytes`, a part of the file.
    pub fn release_part(&self, bytes: &[u8]) {
        if let Self::Map(file) = self {
            file.map.release(bytes);
        }
    }

    /// Returns an error if a mapped file changed after it was opened. A copy cannot change, and a
    /// file that changed while it was copied is already an error. A command must call `check`
    /// before or after it prints values of the file. An error after values are printed is printed,
    /// too.
    pub fn check(&self) -> crate::Result<()> {
        match self {
            Self::Map(file) => file.check(),
            Self::Bytes(_) => Ok(()),
        }
    }
}

/// Maps a file that is named on the command line into memory, or reads it into memory. If the file
/// is a pipe, its bytes are awaited, however long its writer takes.
pub fn load(path: &Path, global: &Global, limits: &Limits) -> crate::Result<Data> {
    if path == Path::new(STDIN) {
        return match standard_input().and_then(|file| Some((regular_size(&file)?, file))) {
            Some((size, file)) => redirected(&file, size, limits),
            None => stream(std::io::stdin().lock(), limits),
        };
    }
    let file = open_stream(path)?;
    match regular_size(&file) {
        Some(size) => load_open(file, size, path, global, limits),
        None => stream(file, limits),
    }
}

/// Maps a regular file into memory, or reads it into memory. Any other file is an error.
///
/// This function is for files that the command line does not name and that the program found, such
/// as the second file of a pair. A pipe with such a name must not make the program wait.
pub fn load_regular(path: &Path, global: &Global, limits: &Limits) -> crate::Result<Data> {
    let file = open_stream(path)?;
    match regular_size(&file) {
        Some(size) => load_open(file, size, path, global, limits),
        // Mapping a file that is not regular returns an error that names the kind of the file.
        None => map_open(file, path),
    }
}

/// Returns the size of an open file, or `None` if it is not a regular file.
fn regular_size(file: &File) -> Option<u64> {
    file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len())
}

/// Maps or reads an open regular file.
///
/// A file is read at most to the size in its metadata or to the limit for streams, because files in
/// special file systems, such as `/proc`, may have no end.
fn load_open(file: File, size: u64, path: &Path, global: &Global, limits: &Limits) -> crate::Result<Data> {
    let copy = |file: &File| read_unchanged(file, limits.stream.max(size)).map(Data::Bytes);
    if global.no_mmap || size <= MAX_COPY {
        return copy(&file);
    }
    // Some file systems do not support memory maps. If mapping the file fails, the file is read
    // into memory. The map is made of the open file, because another file may have replaced the
    // file at the path.
    match file.try_clone() {
        Ok(other) => map_open(other, path).or_else(|_| copy(&file)),
        Err(_) => map_open(file, path),
    }
}

/// Maps an open input file into memory.
fn map_open(file: File, path: &Path) -> crate::Result<Data> {
    // SAFETY: The same as in `map`.
    #[allow(unsafe_code, reason = "an input file that is already open is mapped with `Map::from_file`")]
    let map = unsafe { Map::from_file(file) };
    Ok(Data::Map(MappedFile::new(map.map_err(|error| error.at_path(path))?, path)))
}

/// Maps a regular file into memory.
pub fn map(path: &Path) -> crate::Result<Map> {
    // SAFETY: The user names a file that is read during the command, and the help text states that
    // the file is mapped. If another program writes to the file during the command, the library
    // returns wrong values or errors. `Data::check` is called before or after values are printed,
    // the guard of `main` turns a shortened file into an error, and the option `--no-mmap` exists
    // for files that other programs write to.
    #[allow(unsafe_code, reason = "an input file is mapped with `Map::open`")]
    unsafe {
        Map::open(path)
    }
}

/// Maps an open sidecar of the user into memory. `path` is the path of its mesh file.
pub fn map_sidecar(file: File, path: &Path) -> crate::Result<Data> {
    // SAFETY: The sidecar belongs to the user, and no other user can write to it or to its folder.
    // This program never changes a sidecar in place, and checks the sidecar together with the input
    // file. The option `--no-sidecar` exists for a sidecar that another program writes to.
    #[allow(unsafe_code, reason = "a sidecar that is already open is mapped with `Map::from_file`")]
    let map = unsafe { Map::from_file(file) };
    // A trusted sidecar is in the cache folder.
    let path = SidecarCache::of_user().path(path).unwrap_or_default();
    Ok(Data::Map(MappedFile::new(map?, &path)))
}

/// Returns the [`Key`] that identifies the current content of a regular file. Returns `None` for
/// any other type of file and for standard input.
pub fn identity(path: &Path) -> Option<Key> {
    if path == Path::new(STDIN) { None } else { Key::of_path(path).ok() }
}

/// Returns standard input as a file, or `None` if it has no descriptor that can be duplicated.
fn standard_input() -> Option<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&std::io::stdin()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&std::io::stdin()).try_clone_to_owned();
    owned.ok().map(File::from)
}

/// Reads a regular file that is standard input, from its current position to its end. If its first
/// 64 KiB do not match a known format, only these are read.
fn redirected(mut file: &File, size: u64, limits: &Limits) -> crate::Result<Data> {
    let start = file.stream_position()?;
    let head = read_up_to(file.take(STREAM_HEAD), STREAM_HEAD, STREAM_HEAD)?;
    expect_known(&head)?;
    file.seek(SeekFrom::Start(start))?;
    read_unchanged(file, limits.stream.max(size)).map(Data::Bytes)
}

/// Reads a whole stream into memory. If the first 64 KiB of the stream do not match a known format,
/// only these 64 KiB are read.
fn stream(mut stream: impl Read, limits: &Limits) -> crate::Result<Data> {
    let head = read_up_to(stream.by_ref().take(STREAM_HEAD), STREAM_HEAD, STREAM_HEAD)?;
    expect_known(&head)?;
    read_up_to(head.as_slice().chain(stream), STREAM_HEAD, limits.stream).map(Data::Bytes)
}
