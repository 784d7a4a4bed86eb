//! The time that the statistics and the log of a streamer use.

use std::time::Instant;

/// A clock. The default of a streamer is a [`SystemClock`].
pub trait Clock: Send + Sync {
    /// Returns the time since any fixed point in time, in microseconds.
    fn now(&self) -> u64;
}

/// The clock of the operating system.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// A clock that a program sets, for tests that must give the same result each time.
///
/// ```
/// use meshpeek::streaming::{Clock, ManualClock};
/// let clock = ManualClock::default();
/// clock.advance(16_667);
/// assert_eq!(clock.now(), 16_667);
/// ```
#[cfg(any(test, feature = "internals"))]
#[derive(Clone, Debug, Default)]
pub struct ManualClock(std::sync::Arc<std::sync::atomic::AtomicU64>);

#[cfg(any(test, feature = "internals"))]
impl ManualClock {
    /// Advances the clock.
    pub fn advance(&self, microseconds: u64) {
        self.0.fetch_add(microseconds, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(any(test, feature = "internals"))]
impl Clock for ManualClock {
    fn now(&self) -> u64 {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}
