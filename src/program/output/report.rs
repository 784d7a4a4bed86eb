//! Prints the error that ends a command, and the losses of a written file.

use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::json::{self, document, print_json};
use super::text::{complain, finding_line};
use crate::export::Loss;
use crate::program::args::Global;
use crate::program::outcome::{Outcome, UsageError};

/// Prints the error that ends a command, and returns the outcome of the command.
pub fn report(error: &anyhow::Error, global: &Global) -> Outcome {
    let fault = error.downcast_ref::<crate::Error>();
    if is_pipe_closed(error) {
        return Outcome::PipeClosed;
    }
    if global.json {
        let path = fault.and_then(crate::Error::path).map(Path::to_string_lossy);
        // If writing the JSON document fails, the failure is ignored, because standard error and
        // the exit code still report the original error.
        let _ = print_json(&document(&json!({ "path": path, "error": error_json(error) })));
    }
    complain_about(error)
}

/// Prints an error on standard error, and returns its outcome.
///
/// Nothing is printed if the program that reads the output has closed the pipe.
pub fn complain_about(error: &anyhow::Error) -> Outcome {
    if is_pipe_closed(error) {
        return Outcome::PipeClosed;
    }
    complain(&message(error));
    let fault = error.downcast_ref::<crate::Error>();
    if error.is::<UsageError>() { Outcome::Usage } else { fault.map_or(Outcome::Unreadable, Outcome::of_error) }
}

/// Returns an error as a JSON object.
pub fn error_json(error: &anyhow::Error) -> Value {
    match error.downcast_ref::<crate::Error>() {
        Some(fault) => json::error(fault),
        None => json::other_error(if error.is::<UsageError>() { "usage" } else { "io" }, &message(error)),
    }
}

/// Prints the JSON document of a command whose command line cannot be parsed.
pub fn print_usage_failure(message: &str) -> io::Result<()> {
    print_json(&document(&json!({ "path": null, "error": json::other_error("usage", message) })))
}

/// Returns the text of an error. The text of a library error already includes its cause, so only
/// other errors are printed with the chain of causes.
fn message(error: &anyhow::Error) -> String {
    if error.is::<crate::Error>() { error.to_string() } else { format!("{error:#}") }
}

/// Returns whether an error says that the program that reads the output has closed the pipe.
pub fn is_pipe_closed(error: &anyhow::Error) -> bool {
    let cause = match error.downcast_ref::<crate::Error>() {
        Some(error) => error.io_error(),
        None => error.downcast_ref::<io::Error>(),
    };
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Returns an error if the output lacks data that the command line does not allow to leave out.
/// `message` is called with the first loss and the number of the others.
pub fn refuse(
    losses: &[Loss],
    allow_loss: bool,
    message: impl FnOnce(&Loss, usize) -> String,
) -> Result<(), UsageError> {
    let mut refused = losses.iter().filter(|loss| !allow_loss && loss.needs_permission());
    refused.next().map_or(Ok(()), |first| Err(UsageError(message(first, refused.count()))))
}

/// Returns the line about a loss of the mesh `path`.
pub fn loss_line(path: &str, loss: &Loss) -> String {
    let of_output = || format!("{path}: not in the output: {loss}");
    loss.finding.as_ref().map_or_else(of_output, |about| finding_line(about, &[]))
}

/// Returns a list of losses: each as the finding about the data of the file, if there is one.
pub fn losses_json(losses: &[Loss]) -> Value {
    let of_loss = |Loss { kind, surface, text, by_format, finding: about, .. }: &Loss| match about {
        Some(about) => json::finding(about, &[]),
        None => json!({ "kind": kind.id(), "surface": surface, "text": text, "by_format": by_format }),
    };
    losses.iter().map(of_loss).collect()
}
