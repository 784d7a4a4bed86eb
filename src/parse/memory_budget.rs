//! What the inflated blocks of one file may hold in memory together.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ErrorKind;

/// What the blocks of an asset may hold together: taken before it is allocated, given back by whoever drops it.
#[derive(Debug)]
pub(crate) struct Budget<'b> {
    /// What all blocks hold; without it, this one is alone.
    alive: Option<&'b AtomicU64>,
    allowed: u64,
    taken: u64,
}

impl<'b> Budget<'b> {
    pub(crate) const fn of(alive: &'b AtomicU64, allowed: u64) -> Self {
        Self { alive: Some(alive), allowed, taken: 0 }
    }

    /// Returns the budget of a block that nobody else's holds count against.
    pub(crate) const fn alone(allowed: u64) -> Self {
        Self { alive: None, allowed, taken: 0 }
    }

    /// Returns how many bytes all may hold together.
    pub(crate) const fn allowed(&self) -> u64 {
        self.allowed
    }

    /// Takes `asked` bytes, or as many of them as are left.
    pub(crate) fn take(&mut self, asked: u64) -> u64 {
        let mut got = asked.min(self.allowed.saturating_sub(self.taken));
        if let Some(alive) = self.alive {
            let take = |held: u64| {
                got = asked.min(self.allowed.saturating_sub(held));
                Some(held.saturating_add(got))
            };
            // The function always gives a value.
            let _ = alive.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        }
        self.taken = self.taken.saturating_add(got);
        got
    }

    /// Takes `asked` bytes, or none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] where not so many are left.
    pub(crate) fn take_all(&mut self, asked: u64) -> Result<(), ErrorKind> {
        let allowed = self.allowed;
        let fits = |held: u64| held.checked_add(asked).filter(|held| *held <= allowed);
        let taken = match self.alive {
            Some(alive) => alive.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok(),
            None => fits(self.taken).is_some(),
        };
        if !taken {
            return Err(ErrorKind::Limit { name: "asset", allowed, asked: allowed.saturating_add(1) });
        }
        self.taken = self.taken.saturating_add(asked);
        Ok(())
    }

    /// Leaves `held` bytes taken for good, and gives back the rest.
    pub(crate) fn keep(mut self, held: u64) {
        if let Some(alive) = self.alive {
            alive.fetch_sub(self.taken.saturating_sub(held), Ordering::Relaxed);
        }
        self.alive = None;
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        if let Some(alive) = self.alive {
            alive.fetch_sub(self.taken, Ordering::Relaxed);
        }
    }
}
