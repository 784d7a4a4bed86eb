//! Allocation of vectors that returns an error if memory is exhausted, and checks of slice lengths.

use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;

/// Makes an empty vector with capacity for `count` items, or returns an error if the allocation
/// fails.
pub(crate) fn room<T>(format: &'static str, name: &'static str, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let asked = as_u64(count.saturating_mul(size_of::<T>()));
    let reserved = list.try_reserve_exact(count);
    reserved.map_err(|_| Error::without_offset(format, Field::new(name), Cause::OutOfMemory { asked }))?;
    Ok(list)
}

/// Makes a vector of `count` copies of `item`, or returns an error if the allocation fails.
pub(crate) fn filled<T: Clone>(format: &'static str, name: &'static str, count: usize, item: T) -> Result<Vec<T>> {
    let mut list = room(format, name, count)?;
    list.resize(count, item);
    Ok(list)
}

/// Returns an error if `given` and `needed`, which are numbers of items in a slice, differ.
pub(crate) fn expect_length(format: &'static str, name: &'static str, needed: usize, given: usize) -> Result<()> {
    if needed == given {
        return Ok(());
    }
    let kind = Cause::Buffer { needed: as_u64(needed), given: as_u64(given) };
    Err(Error::without_offset(format, Field::new(name), kind))
}
