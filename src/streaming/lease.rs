//! Leases: frames whose items stay resident.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The greatest number of leases at a time.
const MAX_LEASES: usize = 64;

/// Marks an entry without a lease.
const NONE: u32 = u32::MAX;

/// The first frame of each lease.
#[derive(Debug)]
pub(super) struct Leases(Arc<[AtomicU32; MAX_LEASES]>);

/// Keeps every item resident that was used in or after the frame in which the lease was made. The
/// lease ends when it is dropped, on any thread.
///
/// [`Streamer::lease`](super::Streamer::lease) makes a lease. Leases are for readers that need
/// items for longer than [`lease_frames`](super::StreamOptions::with_lease_frames).
#[derive(Debug)]
pub struct Lease {
    all: Arc<[AtomicU32; MAX_LEASES]>,
    entry: usize,
}

impl Leases {
    pub(super) fn new() -> Self {
        Self(Arc::new([const { AtomicU32::new(NONE) }; MAX_LEASES]))
    }

    /// Makes a lease from `frame` on, or returns `None` if there are too many leases.
    pub(super) fn make(&self, frame: u32) -> Option<Lease> {
        let frame = frame.min(NONE.wrapping_sub(1));
        let is_taken = |entry: &AtomicU32| entry.compare_exchange(NONE, frame, AcqRel, Relaxed).is_ok();
        let entry = self.0.iter().position(is_taken)?;
        Some(Lease { all: Arc::clone(&self.0), entry })
    }

    /// Returns the first frame whose items are leased, or `u32::MAX` if there is no lease.
    pub(super) fn first_frame(&self) -> u32 {
        self.0.iter().map(|entry| entry.load(Acquire)).min().unwrap_or(NONE)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(entry) = self.all.get(self.entry) {
            entry.store(NONE, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_lease_counts() {
        let leases = Leases::new();
        assert_eq!(leases.first_frame(), NONE);
        let [first, second] = [5, 3].map(|frame| leases.make(frame).unwrap());
        assert_eq!(leases.first_frame(), 3);
        drop(second);
        assert_eq!(leases.first_frame(), 5);
        let all: Vec<_> = std::iter::from_fn(|| leases.make(9)).collect();
        assert_eq!(all.len(), MAX_LEASES - 1);
        drop((first, all));
        assert_eq!(leases.first_frame(), NONE);
    }
}
