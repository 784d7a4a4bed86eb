//! Reading of bytes at an offset of a file.

use std::fs::File;
use std::io;

use crate::error::{Cause, Error, Field, NO_FORMAT, Result};
use crate::math::as_u64;

/// The [`Field`] of errors that are about a byte range of a file.
pub(super) const RANGE: Field = Field::new("range");

/// Makes an error about the byte range of a file at `offset`.
pub(super) fn range_error(offset: u64, cause: Cause) -> Error {
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
