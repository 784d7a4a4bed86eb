//! Sources of bytes that are read in several ranges at once: memory, and files without a map.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::regular_file::open_regular;
use super::system_calls::advise_file;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, NO_FORMAT, Result};
use crate::math::as_u64;

/// The [`Field`] of errors that are about a byte range of a file.
const RANGE: Field = Field::new("range");

/// A byte range of a [`RangeSource`] and the memory that it is read into. The range has as many
/// bytes as the buffer.
///
/// ```
/// use meshpeek::io::{RangeRead, RangeSource};
/// let mut buffer = [0; 2];
/// vec![5, 6, 7].read_ranges(&mut [RangeRead { offset: 1, buffer: &mut buffer }])?;
/// assert_eq!(buffer, [6, 7]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug)]
pub struct RangeRead<'a> {
    /// The offset of the first byte in the source, in bytes.
    pub offset: u64,
    /// The memory for the bytes of the range.
    pub buffer: &'a mut [u8],
}

/// A source of bytes that reads several ranges at once, and waits until they are read.
///
/// A source on a disk or on a network reads the ranges of one call at the same time where it can.
/// Several threads may read from one source.
///
/// ```
/// use meshpeek::io::{RangeRead, RangeSource};
///
/// fn first_and_last(source: &dyn RangeSource) -> meshpeek::Result<[u8; 2]> {
///     let mut bytes = [[0]; 2];
///     let [first, last] = &mut bytes;
///     let end = source.byte_len();
///     source.read_ranges(&mut [
///         RangeRead { offset: 0, buffer: first },
///         RangeRead { offset: end.saturating_sub(1), buffer: last },
///     ])?;
///     Ok(bytes.map(|[byte]| byte))
/// }
///
/// assert_eq!(first_and_last(&vec![5, 6, 7])?, [5, 7]);
/// assert!(first_and_last(&Vec::new()).is_err());
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub trait RangeSource: Send + Sync {
    /// Returns the size of the source in bytes.
    fn byte_len(&self) -> u64;

    /// Fills all buffers of `reads` with the bytes of their ranges, and waits until they are read.
    ///
    /// The ranges may be in any order, may be empty and may overlap.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd) if a range ends after
    /// the source, and [`ErrorKind::Io`](crate::ErrorKind::Io) or another error if the bytes cannot
    /// be read. The content of the buffers is then unspecified.
    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()>;
}

/// Returns the range of a read, or `None` if it ends after a source of `length` bytes.
pub(super) fn range_within(length: u64, read: &RangeRead<'_>) -> Option<Range<u64>> {
    let end = read.offset.checked_add(as_u64(read.buffer.len()))?;
    (end <= length).then_some(read.offset..end)
}

/// Returns an error if a range ends after a source of `length` bytes.
pub(super) fn check_ranges(length: u64, reads: &[RangeRead<'_>]) -> Result<()> {
    let Some(read) = reads.iter().find(|read| range_within(length, read).is_none()) else { return Ok(()) };
    let (needed, left) = (as_u64(read.buffer.len()), length.saturating_sub(read.offset));
    Err(range_error(read.offset, Cause::UnexpectedEnd { needed, left }))
}

/// Copies the ranges, which were checked, from `bytes`.
pub(super) fn copy_ranges(bytes: &[u8], reads: &mut [RangeRead<'_>]) {
    for read in reads {
        let start = usize::try_from(read.offset).unwrap_or(usize::MAX);
        let from = bytes.get(start..).and_then(|bytes| bytes.get(..read.buffer.len()));
        read.buffer.copy_from_slice(from.unwrap_or_default());
    }
}

/// Copies the bytes.
impl RangeSource for [u8] {
    fn byte_len(&self) -> u64 {
        as_u64(<[u8]>::len(self))
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
        check_ranges(self.byte_len(), reads)?;
        copy_ranges(self, reads);
        Ok(())
    }
}

/// Copies the bytes.
impl RangeSource for Vec<u8> {
    fn byte_len(&self) -> u64 {
        self.as_slice().byte_len()
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
        self.as_slice().read_ranges(reads)
    }
}

macro_rules! pointers_to_sources {
    ($($pointer:ty),+) => {$(
        impl<S: RangeSource + ?Sized> RangeSource for $pointer {
            fn byte_len(&self) -> u64 {
                S::byte_len(self)
            }

            fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
                S::read_ranges(self, reads)
            }
        }
    )+};
}

pointers_to_sources!(&S, Box<S>, Arc<S>);

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
    fn byte_len(&self) -> u64 {
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

/// Makes an error about the byte range of a file at `offset`.
fn range_error(offset: u64, cause: Cause) -> Error {
    Error::new(NO_FORMAT, RANGE, offset, cause)
}

/// Reads all bytes of `buffer` from `offset` of a file that had `length` bytes when it was opened.
/// The position of the file does not matter.
///
/// # Errors
///
/// Returns [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) if the file ends before, and
/// [`ErrorKind::Io`](crate::ErrorKind::Io) if the system cannot read the file.
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64, length: u64) -> Result<()> {
    let (mut rest, mut at) = (buffer, offset);
    while !rest.is_empty() {
        match read_at(file, rest, at) {
            Ok(0) => return Err(range_error(offset, Cause::Truncated { expected: length, found: at })),
            Ok(count) => {
                at = at.saturating_add(as_u64(count));
                rest = rest.get_mut(count..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(range_error(at, error.into())),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Moves the position of the file and reads. One thread at a time does so.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::io::{Read as _, Seek as _};
    static POSITION: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _position = POSITION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(io::SeekFrom::Start(offset))?;
    file.read(buffer)
}

#[cfg(test)]
mod tests {
    use super::super::{FileBytes, FileSource, Map};
    use super::*;

    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock");

    #[test]
    fn all_sources_agree() {
        let bytes = std::fs::read(PATH).unwrap();
        // SAFETY: No process writes to the file while tests run.
        let map = Arc::new(unsafe { Map::open(PATH).unwrap() });
        let shared: Arc<[u8]> = bytes.as_slice().into();
        let sources: [Box<dyn RangeSource>; 9] = [
            Box::new(FileSource::open(PATH).unwrap()),
            Box::new(Arc::new(FileSource::open(PATH).unwrap())),
            Box::new(bytes.clone()),
            Box::new(&*bytes.as_slice().to_vec().leak()),
            Box::new(Arc::clone(&shared)),
            Box::new(FileBytes::from(bytes.clone())),
            Box::new(FileBytes::from(shared)),
            Box::new(FileBytes::from(Arc::clone(&map))),
            Box::new(map),
        ];
        let length = as_u64(bytes.len());
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) % below
        };
        for round in 0..200 {
            let mut ranges: Vec<_> = (0..random(6)).map(|_| random(length + 1)).collect();
            ranges.extend([0, length]);
            let sizes: Vec<_> =
                ranges.iter().map(|start| usize::try_from(random(length - start + 1).min(20_000)).unwrap()).collect();
            let is_wrong = round % 4 == 0;
            for source in &sources {
                assert_eq!(source.byte_len(), length);
                let mut buffers: Vec<_> = sizes.iter().map(|size| vec![0; *size]).collect();
                let mut reads: Vec<_> = ranges
                    .iter()
                    .zip(&mut buffers)
                    .map(|(offset, buffer)| RangeRead { offset: *offset, buffer })
                    .collect();
                let mut more = [0; 8];
                if is_wrong {
                    reads.push(RangeRead { offset: length - 3, buffer: &mut more });
                }
                let result = source.read_ranges(&mut reads);
                if is_wrong {
                    let error = result.unwrap_err();
                    assert_eq!(error.offset(), Some(length - 3));
                    assert!(error.to_string().contains("range"), "{error}");
                    assert!(error.to_string().contains("expected 8 bytes, found 3"), "{error}");
                } else {
                    result.unwrap();
                    for (start, buffer) in ranges.iter().zip(&buffers) {
                        assert!(buffer[..] == bytes[usize::try_from(*start).unwrap()..][..buffer.len()]);
                    }
                }
            }
        }
        for source in &sources {
            assert!(source.read_ranges(&mut []).is_ok());
            for offset in [length + 1, u64::MAX] {
                assert!(source.read_ranges(&mut [RangeRead { offset, buffer: &mut [] }]).is_err());
            }
        }
    }

    #[test]
    fn a_shortened_file_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [7; 100]).unwrap();
        let source = FileSource::open(file.path()).unwrap();
        file.as_file().set_len(50).unwrap();
        let error = source.read_ranges(&mut [RangeRead { offset: 40, buffer: &mut [0; 20] }]).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Truncated);
        assert_eq!((error.offset(), error.path()), (Some(40), Some(file.path())));
    }

    #[test]
    fn an_empty_source_has_one_empty_range() {
        let source: &[u8] = &[];
        assert_eq!(source.byte_len(), 0);
        assert!(source.read_ranges(&mut [RangeRead { offset: 0, buffer: &mut [] }]).is_ok());
        assert!(source.read_ranges(&mut [RangeRead { offset: 0, buffer: &mut [0] }]).is_err());
    }
}
