//! The rules of the file formats, and how an error tells which rule a file breaks.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use super::{Cause, Error, ErrorKind, Field, Result};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Severity {
    /// A remark about a property of the file that violates no rule of the format.
    Info,
    /// A probable mistake in the file. The data of the file can still be used.
    Warning,
    /// A violation of the file format. The value or array of the file that the finding names cannot
    /// be used without a repair.
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

impl FromStr for Severity {
    type Err = Error;

    /// Returns the severity with a name: `info`, `warning` or `error`.
    fn from_str(name: &str) -> Result<Self> {
        let all = [Self::Info, Self::Warning, Self::Error];
        all.into_iter().find(|severity| severity.to_string() == name).ok_or_else(|| {
            let (names, found) = (all.map(|severity| severity.to_string()).join(", "), format!("{name:?}").into());
            Error::without_offset("file", Field::new("severity"), Cause::Choice { names, found })
        })
    }
}

/// A rule of a file format.
///
/// The id of a rule never changes, and no other rule gets the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The id of the rule, such as `UG04`.
    pub id: &'static str,
    /// The severity of a violation of the rule.
    pub severity: Severity,
    /// The requirement that the rule makes of a file, in one sentence.
    pub text: &'static str,
    /// The effect of a violation on programs that use the file, in one to three sentences.
    pub why: &'static str,
    /// The way to mend a file that violates the rule, in one to three sentences.
    pub mend: &'static str,
    /// The effect of writing a file again on data that violates the rule.
    #[doc(hidden)]
    pub rewrite: RewriteEffect,
}

/// What the writer of a format does with data that violates a rule, when it writes a file again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewriteEffect {
    /// The data is written as it is in the file.
    #[default]
    Kept,
    /// The values are kept, but written with another encoding.
    Reencoded,
    /// The data is left out.
    LeftOut,
}

impl Rule {
    /// Makes a rule whose violation does not change what writing the file again does.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(severity: Severity, id: &'static str, text: &'static str, advice: [&'static str; 2]) -> Self {
        let [why, mend] = advice;
        Self { id, severity, text, why, mend, rewrite: RewriteEffect::Kept }
    }

    /// Sets what writing a file again does with the data that violate the rule.
    #[doc(hidden)]
    #[must_use]
    pub const fn rewritten_as(self, rewrite: RewriteEffect) -> Self {
        Self { rewrite, ..self }
    }

    /// Returns the rule with a severity that findings about some values have.
    pub(crate) const fn with(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }
}

/// Defines a constant for each rule of a file format, and a table of all rules of the format.
///
/// A [`RewriteEffect`] after the id states what the writer of the format does with data that
/// violates the rule. Without it, the data is [`Kept`](RewriteEffect::Kept).
///
/// ```text
/// rules! {
///     /// All rules of the format.
///     pub const RULES;
///     Error INDEX_OUT_OF_RANGE "SL10" "Every index is below the number of vertices."
///         why "The triangle has no vertex for this corner."
///         mend "Correct the index.";
///     Warning TRAILING_BYTES "UG24" LeftOut "Nothing follows the closing magic number."
///         why "No field refers to these bytes."
///         mend "Write the file again, without these bytes.";
/// }
/// ```
#[cfg_attr(feature = "internals", macro_export)]
macro_rules! rules {
    (
        $(#[$table_doc:meta])* $visibility:vis const $table:ident;
        $(
            $severity:ident $name:ident $id:literal $($rewrite:ident)? $text:literal
                why $why:literal
                mend $mend:literal;
        )*
    ) => {
        $(pub(crate) const $name: $crate::Rule = {
            let rule = $crate::Rule::new($crate::Severity::$severity, $id, $text, [$why, $mend]);
            $(let rule = rule.rewritten_as($crate::RewriteEffect::$rewrite);)?
            rule
        };)*
        $(#[$table_doc])*
        $visibility const $table: &[$crate::Rule] = &[$($name),*];
    };
}
pub(crate) use rules;

/// The name of a file format in errors, with the rules that these errors are about.
pub struct FormatName {
    name: &'static str,
    /// Returns the rule that a file breaks by an error that names no rule, or `None` if the bytes
    /// of the file are not the cause. The second argument is whether the error is about a byte of
    /// the inflated content of a block.
    pub(super) rule_of: fn(ErrorKind, bool) -> Option<&'static Rule>,
    /// The text before and after the offset of an inflated byte, at the end of a finding.
    pub(super) inflated: [&'static str; 2],
}

/// The format of an error that is about no format.
pub(crate) const NO_FORMAT: &FormatName = &FormatName::new("file", |_, _| None);

impl FormatName {
    /// Makes the name of a format. `rule_of` returns the rule that a file breaks by an error of a
    /// kind, if its reader names no rule. Its second argument is whether the error is in an
    /// inflated block.
    #[must_use]
    pub const fn new(name: &'static str, rule_of: fn(ErrorKind, bool) -> Option<&'static Rule>) -> Self {
        Self { name, rule_of, inflated: [", at inflated byte ", ""] }
    }

    /// Sets the text before and after the offset of an inflated byte, at the end of a finding.
    #[must_use]
    pub const fn with_inflated(self, inflated: [&'static str; 2]) -> Self {
        Self { inflated, ..self }
    }

    /// Returns the name in lower case, without spaces.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Debug for FormatName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.name, out)
    }
}

impl Deref for FormatName {
    type Target = str;

    fn deref(&self) -> &str {
        self.name
    }
}

/// A result whose error is about a rule.
pub(crate) trait Breaking {
    /// Sets the rule that the file breaks if the result is an error.
    fn breaking(self, rule: &'static Rule) -> Self;
}

impl<T> Breaking for Result<T> {
    fn breaking(self, rule: &'static Rule) -> Self {
        self.map_err(|error| error.breaking(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_names_of_severities() {
        for severity in [Severity::Info, Severity::Warning, Severity::Error] {
            assert_eq!(severity.to_string().parse::<Severity>().unwrap(), severity);
        }
        let error = "Error".parse::<Severity>().unwrap_err();
        assert_eq!(error.message().to_string(), "expected one of info, warning, error, found \"Error\"");
    }

    rules! {
        const BOTH;
        Error WRONG "T01" "The value is right." why "It is wrong." mend "Correct it.";
        Info OTHER "T02" "The value is usual." why "It is unusual." mend "Keep it.";
    }

    #[test]
    fn a_named_rule_comes_before_that_of_the_kind() {
        const FORMAT: &FormatName = &FormatName::new("test", |kind, is_inflated| match kind {
            ErrorKind::Empty => Some(&WRONG),
            ErrorKind::Changed if is_inflated => Some(&OTHER),
            _ => None,
        });
        const MILD: Rule = WRONG.with(Severity::Info);
        let error = |cause| Error::new(FORMAT, Field::new("value"), 7, cause);
        for (error, rule) in [
            (error(Cause::Empty), Some(BOTH[0])),
            (error(Cause::Empty).breaking(&OTHER), Some(BOTH[1])),
            (error(Cause::Unprotected), None),
            (error(Cause::Unprotected).breaking(&MILD), Some(MILD)),
            (error(Cause::Changed), None),
            (error(Cause::Changed).at_inflated(3), Some(OTHER)),
            (Error::without_offset(FORMAT, Field::new("value"), Cause::Empty).breaking(&WRONG), None),
            (error(Cause::Empty).breaking(&OTHER).located("test", Field::new("value"), Some(7)), None),
        ] {
            assert_eq!(error.rule().copied(), rule, "{error}");
        }
        let error = error(Cause::Changed).at_inflated(3);
        assert!(error.finding_text().to_string().ends_with("after it was opened, at inflated byte 3"));
    }
}
