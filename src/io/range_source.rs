//! Sources of bytes that are read in several ranges at once.

use std::ops::Range;
use std::sync::Arc;

use super::read_at::range_error;
use crate::error::{Cause, Result};
use crate::math::as_u64;

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
///     let end = source.len();
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
    fn len(&self) -> u64;

    /// Returns whether the source has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

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
    fn len(&self) -> u64 {
        as_u64(<[u8]>::len(self))
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
        check_ranges(RangeSource::len(self), reads)?;
        copy_ranges(self, reads);
        Ok(())
    }
}

/// Copies the bytes.
impl RangeSource for Vec<u8> {
    fn len(&self) -> u64 {
        RangeSource::len(self.as_slice())
    }

    fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
        self.as_slice().read_ranges(reads)
    }
}

macro_rules! pointers_to_sources {
    ($($pointer:ty),+) => {$(
        impl<S: RangeSource + ?Sized> RangeSource for $pointer {
            fn len(&self) -> u64 {
                S::len(self)
            }

            fn read_ranges(&self, reads: &mut [RangeRead<'_>]) -> Result<()> {
                S::read_ranges(self, reads)
            }
        }
    )+};
}

pointers_to_sources!(&S, Box<S>, Arc<S>);

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
                assert_eq!((source.len(), source.is_empty()), (length, false));
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
        assert!(RangeSource::is_empty(source));
        assert!(source.read_ranges(&mut [RangeRead { offset: 0, buffer: &mut [] }]).is_ok());
        assert!(source.read_ranges(&mut [RangeRead { offset: 0, buffer: &mut [0] }]).is_err());
    }
}
