//! The memory budget of the inflated compressed blocks of one file.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ErrorKind;

/// The memory that all inflated blocks of a file may use together, and the bytes that one of them
/// has reserved.
///
/// Bytes are reserved in the budget before they are allocated, and released when the budget is
/// dropped.
#[derive(Debug)]
pub(crate) struct MemoryBudget<'b> {
    /// The number of bytes that all blocks of the file use, or `None` for a block that has a budget
    /// of its own.
    used: Option<&'b AtomicU64>,
    allowed: u64,
    reserved: u64,
}

impl<'b> MemoryBudget<'b> {
    pub(crate) const fn shared(used: &'b AtomicU64, allowed: u64) -> Self {
        Self { used: Some(used), allowed, reserved: 0 }
    }

    /// Returns a budget for one block that does not share it with other blocks.
    pub(crate) const fn alone(allowed: u64) -> Self {
        Self { used: None, allowed, reserved: 0 }
    }

    /// Returns the maximum number of bytes that all blocks may use together.
    pub(crate) const fn allowed(&self) -> u64 {
        self.allowed
    }

    /// Reserves up to `asked` bytes in the budget and returns the number of bytes that it reserved.
    ///
    /// The result is less than `asked` only if fewer than `asked` bytes are left in the budget.
    pub(crate) fn reserve_up_to(&mut self, asked: u64) -> u64 {
        let mut got = asked.min(self.allowed.saturating_sub(self.reserved));
        if let Some(used) = self.used {
            let add = |held: u64| {
                got = asked.min(self.allowed.saturating_sub(held));
                Some(held.saturating_add(got))
            };
            // The update always succeeds, because the closure always returns a value.
            let _ = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
        self.reserved = self.reserved.saturating_add(got);
        got
    }

    /// Reserves exactly `asked` bytes in the budget, or returns an error and reserves nothing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Limit`] if fewer than `asked` bytes are left in the budget.
    pub(crate) fn reserve(&mut self, asked: u64) -> Result<(), ErrorKind> {
        let allowed = self.allowed;
        let fits = |held: u64| held.checked_add(asked).filter(|held| *held <= allowed);
        let taken = match self.used {
            Some(used) => used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok(),
            None => fits(self.reserved).is_some(),
        };
        if !taken {
            return Err(ErrorKind::Limit { name: "asset", allowed, asked: allowed.saturating_add(1) });
        }
        self.reserved = self.reserved.saturating_add(asked);
        Ok(())
    }

    /// Keeps `held` bytes reserved permanently, and releases all other bytes that this budget has
    /// reserved.
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
