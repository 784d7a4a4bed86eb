//! What `validate` reports.

use std::fmt;

use crate::field::Field;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; sound files have it, too.
    Info,
    /// Unlikely to be meant; the data can still be used.
    Warning,
    /// Against the format; the part it names cannot be used as it is.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A rule of a format. Its id is stable: it is never given to another rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The id, such as `UG04`.
    pub id: &'static str,
    /// How much a breach matters.
    pub severity: Severity,
    /// What holds for a sound file, in one sentence.
    pub text: &'static str,
}

/// A breach of a rule, or something worth knowing, at one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Which part of the file it is about; [`Region`](crate::Region)s bear the same names.
    pub field: Field,
    /// Offset of the first byte to blame.
    pub offset: u64,
    /// What was found, and what was expected.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, field, offset, text } = self;
        write!(out, "{severity} {rule}: {field} at byte {offset}: {text}")
    }
}
