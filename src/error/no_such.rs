//! The error for an index that is out of range.

use super::{Cause, Error, Field, Result};

/// Returns an error if `index` is not the index of the only item of a list.
///
/// # Errors
///
/// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if `index` is not 0.
pub fn expect_only(format: &'static str, list: &'static str, index: usize) -> Result<()> {
    if index == 0 { Ok(()) } else { Err(no_such(format, list, 1, index)) }
}

/// Makes the error for an index that is out of range.
#[must_use]
pub fn no_such(format: &'static str, list: &'static str, count: usize, index: usize) -> Error {
    let [count, index] = [count, index].map(|number| u64::try_from(number).unwrap_or(u64::MAX));
    Error::without_offset(format, Field::new("").in_list(list, index), Cause::NoSuch { count, index })
}
