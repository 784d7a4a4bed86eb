//! Allocates memory for welding. If an allocation fails, the functions in this module return an
//! error and do not abort the program.

use crate::error::{Cause, Error, Result};
use crate::math::as_u64;
use crate::model::surface::Surface;

/// Returns an empty vector with capacity for `count` items.
pub(super) fn reserve<T>(surface: &Surface<'_>, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| out_of_memory::<T>(surface, count))?;
    Ok(list)
}

/// Returns a vector of `count` copies of `item`.
pub(super) fn filled<T: Clone>(surface: &Surface<'_>, count: usize, item: T) -> Result<Vec<T>> {
    let mut list = reserve(surface, count)?;
    list.resize(count, item);
    Ok(list)
}

/// Appends an item to `list`, whose capacity grows geometrically.
pub(super) fn push<T>(surface: &Surface<'_>, list: &mut Vec<T>, item: T) -> Result<()> {
    list.try_reserve(1).map_err(|_| out_of_memory::<T>(surface, list.len().saturating_add(1)))?;
    list.push(item);
    Ok(())
}

fn out_of_memory<T>(surface: &Surface<'_>, count: usize) -> Error {
    let asked = as_u64(count.saturating_mul(size_of::<T>()));
    surface.fault("indices", Cause::OutOfMemory { asked })
}
