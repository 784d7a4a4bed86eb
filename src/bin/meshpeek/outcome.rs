//! How a command ends, and its exit code.

use std::process::ExitCode;

use meshpeek::{ErrorKind, Finding, Severity};

/// How the command ended; the greatest of several counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing to complain about.
    Fine,
    /// Findings of severity warning or error.
    Findings,
    /// The command line is wrong.
    Usage,
    /// A file could not be read or written.
    Unreadable,
    /// The reader of the output closed it.
    PipeClosed,
}

impl Outcome {
    /// Returns the outcome that an error of the library leads to: a part that does not exist is a usage error.
    pub fn of_error(error: &meshpeek::Error) -> Self {
        match error.kind() {
            ErrorKind::NoSuch { .. } | ErrorKind::Choice { .. } => Self::Usage,
            _ => Self::Unreadable,
        }
    }

    /// Returns the outcome that findings lead to.
    pub fn of_findings(findings: &[Finding]) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        if worst.is_some_and(|worst| worst > Severity::Info) { Self::Findings } else { Self::Fine }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Findings => 1,
            Outcome::Usage => 2,
            Outcome::Unreadable => 3,
            Outcome::PipeClosed => 141,
        })
    }
}

/// An error in how the program was called.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}
