//! The outcome of a command, and its exit code.

use std::process::ExitCode;

use crate::{ErrorKind, Finding, Severity};

/// The outcome of a command. If a command reads several files, the outcome with the highest exit
/// code is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The command succeeded, and all findings have the severity info.
    Fine,
    /// The command reported at least one finding with the severity warning or error, or a row met
    /// the condition of `--fail-if`.
    Findings,
    /// The command found a difference between two meshes.
    Differences,
    /// The command line contains an error.
    Usage,
    /// A file could not be read or could not be written.
    Unreadable,
    /// The program that reads the output has closed the pipe.
    PipeClosed,
}

impl Outcome {
    /// Returns the outcome of a command that failed with an error of the library. If the command
    /// line requests an item that does not exist, such as a surface index out of range, the outcome
    /// is `Usage`.
    pub fn of_error(error: &crate::Error) -> Self {
        match error.kind() {
            ErrorKind::NoSuch | ErrorKind::Choice => Self::Usage,
            _ => Self::Unreadable,
        }
    }

    /// Returns the outcome for the findings about a file: `Findings` if a finding is a warning or
    /// an error, otherwise `Fine`.
    pub fn of_findings(findings: &[Finding]) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        if worst.is_some_and(|worst| worst > Severity::Info) { Self::Findings } else { Self::Fine }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Findings | Outcome::Differences => 1,
            Outcome::Usage => 2,
            Outcome::Unreadable => 3,
            Outcome::PipeClosed => 141,
        })
    }
}

/// An error in the command line, with its message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Returns from the function with a [`UsageError`]. The arguments are those of `format!`.
macro_rules! usage {
    ($($message:tt)*) => {
        return Err($crate::program::outcome::UsageError(format!($($message)*)).into())
    };
}
pub(crate) use usage;
