//! Memory for trees, reserved with an error instead of an abort.

use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// Returns the error of an allocation that failed, of so many items of a size.
pub(crate) fn out_of_memory(count: usize, size: usize) -> Error {
    let kind = ErrorKind::OutOfMemory { asked: as_u64(count.saturating_mul(size)) };
    Error::without_offset("query", Field::new("tree"), kind)
}

/// Returns an empty list with room for so many items.
pub(crate) fn try_with_capacity<T>(count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| out_of_memory(count, size_of::<T>()))?;
    Ok(list)
}
