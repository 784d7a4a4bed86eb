//! How much memory the inflated blocks of one file may use together.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ErrorKind;

/// How much memory the blocks of a file may use together. Bytes are reserved before they are allocated, and given back when
/// the budget is dropped.
#[derive(Debug)]
pub(crate) struct MemoryBudget<'b> {
    /// Bytes that all blocks use, or `None` for a block that is counted alone.
    used: Option<&'b AtomicU64>,
    allowed: u64,
    reserved: u64,
}

impl<'b> MemoryBudget<'b> {
    pub(crate) const fn shared(used: &'b AtomicU64, allowed: u64) -> Self {
        Self { used: Some(used), allowed, reserved: 0 }
    }

    /// Returns the budget of a block that is counted alone.
    pub(crate) const fn alone(allowed: u64) -> Self {
        Self { used: None, allowed, reserved: 0 }
    }

    /// Returns how many bytes all blocks may use together.
    pub(crate) const fn allowed(&self) -> u64 {
        self.allowed
    }

    /// Reserves `asked` bytes, or as many of them as are left, and returns how many.
    pub(crate) fn reserve_up_to(&mut self, asked: u64) -> u64 {
        let mut got = asked.min(self.allowed.saturating_sub(self.reserved));
        if let Some(used) = self.used {
            let add = |held: u64| {
                got = asked.min(self.allowed.saturating_sub(held));
                Some(held.saturating_add(got))
            };
            // The function always gives a value.
            let _ = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
        self.reserved = self.reserved.saturating_add(got);
        got
    }

    /// Reserves `asked` bytes, or none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if fewer are left.
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

    /// Keeps `held` bytes reserved for good, and gives back the rest.
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
