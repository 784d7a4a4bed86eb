//! A file that is read without a map.

use std::fs::File;
use std::path::Path;

use super::range_source::{RangeRead, RangeSource, check_ranges};
use super::read_at::read_exact_at;
use super::regular_file::open_regular;
use super::system_calls::advise_file;
use crate::error::debug::short_debug;
use crate::error::{Error, Result};

/// An open file whose byte ranges are read into memory.
///
/// A `FileSource` needs no `unsafe` code, unlike a [`Map`](crate::Map): if the file changes, a read
/// returns the new bytes or an error. Several threads can read at the same time.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::io::{FileSource, RangeRead, RangeSource};
/// let source = FileSource::open("data/unigine/cube_ms13.mesh")?;
/// let mut magic = [0; 4];
/// source.read_ranges(&mut [RangeRead { offset: 0, buffer: &mut magic }])?;
/// assert_eq!(&magic, b"ms13");
/// # Ok(())
/// # }
/// ```
pub struct FileSource {
    file: File,
    length: u64,
    path: Box<Path>,
}

short_debug!(FileSource: |source| { path: source.path, bytes: source.length });

impl FileSource {
    /// Opens the file at `path` for reading.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotRegular`](crate::ErrorKind::NotRegular) for a directory, a pipe, a
    /// socket or a device, without waiting for a writer of the pipe. Returns
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, metadata) = open_regular(path)?;
        Ok(Self { file, length: metadata.len(), path: path.into() })
    }
}

/// The length is that of the file when it was opened. Before several ranges are read, the operating
/// system gets the advice to read all of them in the background.
///
/// # Errors
///
/// Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if the system cannot read the file, and
/// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) if it is now shorter.
impl RangeSource for FileSource {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
        let located = |error: Error| error.at_path(&self.path);
        check_ranges(self.length, reads).map_err(located)?;
        if reads.len() > 1 {
            for read in &*reads {
                advise_file(&self.file, read.offset, read.buffer.len());
            }
        }
        let read = |read: &mut RangeRead<'_>| read_exact_at(&self.file, read.buffer, read.offset, self.length);
        reads.iter_mut().try_for_each(read).map_err(located)
    }
}
