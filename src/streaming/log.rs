//! The log of what a streamer decides.

use std::fmt;

use super::clock::Clock;
use super::request::{Slot, StreamEvent, StreamOutcome};
use crate::error::debug::short_debug;

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
