//! The log of what a streamer decides, and the clock that the log and the statistics use.

use std::fmt;
use std::time::Instant;

use super::request::{Slot, StreamEvent, StreamOutcome};
use crate::error::debug::short_debug;

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

/// Takes a line of the log.
type LogLine = Box<dyn FnMut(&str) + Send + Sync>;

/// Where the lines of the log go.
#[derive(Default)]
pub(super) struct Log(Option<LogLine>);

short_debug!(Log: |log| { is_on: log.0.is_some() });

impl Log {
    pub(super) fn new(line: impl FnMut(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(line)))
    }

    /// Writes a line, which `text` makes, with the time. Without a log, `text` is not called.
    pub(super) fn write(&mut self, clock: &dyn Clock, text: impl FnOnce() -> String) {
        if let Some(line) = &mut self.0 {
            line(&format!("{} {}", clock.now(), text()));
        }
    }
}

impl fmt::Display for Slot {
    /// Writes the number and the generation of the slot, such as `17.2`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.number, self.generation)
    }
}

impl fmt::Display for StreamEvent {
    /// Writes the event on one line, without the text of an error.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slot, tag, outcome, work } = self;
        let outcome = match outcome {
            StreamOutcome::Done => "done",
            StreamOutcome::Failed(error) => error.kind().id(),
            StreamOutcome::Cancelled => "cancelled",
        };
        write!(out, "{slot} tag {tag} {outcome} {work:?}")
    }
}
