//! Allocates memory for trees. If an allocation fails, the functions in this module return an error
//! and do not abort the program.

use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;

/// Returns the error for a failed allocation of `count` items of `size` bytes each.
pub(crate) fn out_of_memory(count: usize, size: usize) -> Error {
    let kind = Cause::OutOfMemory { asked: as_u64(count.saturating_mul(size)) };
    Error::without_offset("query", Field::new("tree"), kind)
}

/// Returns an empty vector with capacity for `count` items, or an error if the allocation fails.
pub(crate) fn try_with_capacity<T>(count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| out_of_memory(count, size_of::<T>()))?;
    Ok(list)
}

/// Returns a vector with one item, or an error if the allocation fails.
pub(crate) fn only<T>(item: T) -> Result<Vec<T>> {
    let mut list = try_with_capacity(1)?;
    list.push(item);
    Ok(list)
}

/// Allocates memory for at least one more item, or returns an error if the allocation fails.
pub(crate) fn reserve_one<T>(list: &mut Vec<T>) -> Result<()> {
    reserve(list, 1)
}

/// Allocates memory for at least `count` more items, or returns an error if the allocation fails.
pub(crate) fn reserve<T>(list: &mut Vec<T>, count: usize) -> Result<()> {
    list.try_reserve(count).map_err(|_| out_of_memory(list.len().saturating_add(count), size_of::<T>()))
}
