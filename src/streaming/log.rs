//! What a streamer counts and logs, and the clock that the statistics and the log use.

use std::fmt;
use std::time::Instant;

use super::request::{Slot, StreamEvent, StreamOutcome};
use crate::error::debug::short_debug;

/// The work for one request, or for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The number of bytes that requests needed and that were neither resident nor being loaded.
    pub wanted: u64,
    /// The number of bytes that were read from the disk or from another source.
    pub read: u64,
    /// The number of bytes that compressed blocks were inflated to.
    pub inflated: u64,
    /// The number of bytes that were mapped or decoded.
    pub touched: u64,
    /// The time in which a worker waited for bytes, in microseconds.
    pub stalled: u64,
    /// The number of bytes that were evicted.
    pub evicted: u64,
}

impl Work {
    /// Adds other work to this.
    #[doc(hidden)]
    pub fn add(&mut self, other: &Self) {
        let Self { wanted, read, inflated, touched, stalled, evicted } = self;
        *wanted = wanted.saturating_add(other.wanted);
        *read = read.saturating_add(other.read);
        *inflated = inflated.saturating_add(other.inflated);
        *touched = touched.saturating_add(other.touched);
        *stalled = stalled.saturating_add(other.stalled);
        *evicted = evicted.saturating_add(other.evicted);
    }
}

/// What a streamer has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of requests.
    pub requests: u64,
    /// The number of requests that ended with [`StreamOutcome::Done`](super::StreamOutcome::Done).
    pub done: u64,
    /// The number of requests that ended with [`StreamOutcome::Failed`](super::StreamOutcome::Failed).
    pub failed: u64,
    /// The number of requests that ended with [`StreamOutcome::Cancelled`](super::StreamOutcome::Cancelled).
    pub cancelled: u64,
    /// The work for all requests.
    pub work: Work,
    /// The number of bytes of resident items, and of items that are being published.
    pub resident: u64,
    /// The greatest value that `resident` had.
    pub peak_resident: u64,
    /// The number of polls that found loaded items, but no items to evict for them.
    pub full_polls: u64,
    /// The number of polls that left the results of the workers to the next poll, because a worker
    /// was changing the list.
    pub contended_polls: u64,
}

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
