//! Prints the error that ends a command.

use std::io;
use std::path::Path;

use super::json::{document, print_json, unreadable};
use super::text::complain;
use crate::program::args::Global;
use crate::program::outcome::{Outcome, UsageError};

/// Prints the error that ends a command, and returns the outcome of the command.
pub fn report(error: &anyhow::Error, global: &Global) -> Outcome {
    let fault = error.downcast_ref::<crate::Error>();
    if is_pipe_closed(error) {
        return Outcome::PipeClosed;
    }
    if let Some(fault) = fault.filter(|_| global.json) {
        // If writing the JSON document fails, the failure is ignored, because standard error and
        // the exit code still report the original error.
        let _ = print_json(&document(unreadable(fault.path().unwrap_or(Path::new("")), fault)));
    }
    // The `Display` text of a library error already includes its cause, so only other errors are
    // printed with the chain of causes.
    let message = if error.is::<crate::Error>() { error.to_string() } else { format!("{error:#}") };
    complain(&message);
    if error.is::<UsageError>() { Outcome::Usage } else { fault.map_or(Outcome::Unreadable, Outcome::of_error) }
}

/// Returns whether an error says that the program that reads the output has closed the pipe.
pub fn is_pipe_closed(error: &anyhow::Error) -> bool {
    let cause = match error.downcast_ref::<crate::Error>() {
        Some(error) => error.io_error(),
        None => error.downcast_ref::<io::Error>(),
    };
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
