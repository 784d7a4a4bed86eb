//! Allocations that return an error instead of ending the program.

use std::mem::MaybeUninit;

use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;

/// Allocates a list of `count` equal items.
pub(super) fn filled<T: Clone>(count: usize, item: T) -> Result<Vec<T>> {
    let mut list = reserved(count)?;
    list.resize(count, item);
    Ok(list)
}

/// Allocates an empty list with memory for `count` items.
pub(super) fn reserved<T>(count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| {
        let asked = as_u64(count).saturating_mul(as_u64(size_of::<T>()));
        Error::without_offset("streaming", Field::new("memory"), Cause::OutOfMemory { asked })
    })?;
    Ok(list)
}

/// Allocates an empty list with memory for `count` items, and accesses the memory. Later accesses
/// then cause no page faults.
pub(super) fn reserved_resident<T>(count: usize) -> Result<Vec<T>> {
    let mut list = reserved(count)?;
    // The compiler would replace the allocation and the writes with an allocation of zeroed memory.
    let memory = std::hint::black_box(&mut list).spare_capacity_mut();
    // A list of items without a size has an unlimited capacity.
    memory.iter_mut().take(count).for_each(|place| *place = MaybeUninit::zeroed());
    std::hint::black_box(&mut list);
    Ok(list)
}
