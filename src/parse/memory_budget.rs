//! The memory budget of one file: the maximum number of bytes that its inflated blocks may use
//! together. Vectors whose allocation returns an error if memory is exhausted.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;

/// The memory reservation of one inflated block, in the budget that all inflated blocks of a file
/// share.
///
/// An inflater reserves bytes in the budget before it allocates them. Dropping a `MemoryBudget`
/// releases the bytes that it has reserved.
#[derive(Debug)]
pub(crate) struct MemoryBudget<'b> {
    /// The counter of the bytes that all inflated blocks of a file have reserved.
    ///
    /// `None` means that this block has a separate budget, which is not shared with other blocks.
    used: Option<&'b AtomicU64>,
    allowed: u64,
    reserved: u64,
}

impl<'b> MemoryBudget<'b> {
    pub(crate) const fn shared(used: &'b AtomicU64, allowed: u64) -> Self {
        Self { used: Some(used), allowed, reserved: 0 }
    }

    /// Makes a memory budget for one block. Other blocks do not share this budget.
    pub(crate) const fn alone(allowed: u64) -> Self {
        Self { used: None, allowed, reserved: 0 }
    }

    /// Returns the maximum number of bytes that all blocks of this budget may use together.
    pub(crate) const fn allowed(&self) -> u64 {
        self.allowed
    }

    /// Reserves up to `asked` bytes in the memory budget, and returns the number of bytes that this
    /// call has reserved.
    ///
    /// The returned number is less than `asked` only if fewer than `asked` bytes are left in the
    /// budget.
    pub(crate) fn reserve_up_to(&mut self, asked: u64) -> u64 {
        let mut got = asked.min(self.allowed.saturating_sub(self.reserved));
        if let Some(used) = self.used {
            let add = |held: u64| {
                got = asked.min(self.allowed.saturating_sub(held));
                Some(held.saturating_add(got))
            };
            // `fetch_update` always succeeds, because the closure `add` always returns `Some`.
            let _ = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
        self.reserved = self.reserved.saturating_add(got);
        got
    }

    /// Reserves exactly `asked` bytes in the budget, or returns an error and reserves no bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Limit`] if fewer than `asked` bytes are left in the budget.
    ///
    /// [`ErrorKind::Limit`]: crate::ErrorKind::Limit
    pub(crate) fn reserve(&mut self, asked: u64) -> Result<(), Cause> {
        let allowed = self.allowed;
        let fits = |held: u64| held.checked_add(asked).filter(|held| *held <= allowed);
        let taken = match self.used {
            Some(used) => used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok(),
            None => fits(self.reserved).is_some(),
        };
        if !taken {
            return Err(Cause::Limit { name: "asset", allowed, asked: allowed.saturating_add(1) });
        }
        self.reserved = self.reserved.saturating_add(asked);
        Ok(())
    }

    /// Keeps `held` bytes reserved after this `MemoryBudget` is dropped, and releases all other
    /// bytes that this `MemoryBudget` has reserved.
    pub(crate) fn commit(mut self, held: u64) {
        if let Some(used) = self.used {
            used.fetch_sub(self.reserved.saturating_sub(held), Ordering::Relaxed);
        }
        self.used = None;
    }
}

impl Drop for MemoryBudget<'_> {
    fn drop(&mut self) {
        if let Some(used) = self.used {
            used.fetch_sub(self.reserved, Ordering::Relaxed);
        }
    }
}

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
