//! Findings: the violations of format rules that `validate` reports.

use std::fmt;

use crate::error::Field;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A remark about a property that valid files have, too.
    Info,
    /// Probably a mistake in the file. The data can still be used.
    Warning,
    /// A violation of the format. The named item of the file cannot be used as it is.
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

/// A rule of a format. The id of a rule is stable: it is never given to another rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The id of the rule, such as `UG04`.
    pub id: &'static str,
    /// The severity of a violation of the rule.
    pub severity: Severity,
    /// The property that every valid file has, in one sentence.
    pub text: &'static str,
}

/// Defines a constant for each rule of a format, and a table of all these rules.
///
/// ```text
/// rules! {
///     /// All rules of the format.
///     pub const RULES;
///     Error INDEX_OUT_OF_RANGE "SL10" "Every index is below the number of vertices.";
/// }
/// ```
macro_rules! rules {
    (
        $(#[$table_doc:meta])* $visibility:vis const $table:ident;
        $($severity:ident $name:ident $id:literal $text:literal;)*
    ) => {
        $(pub(crate) const $name: $crate::parse::Rule = $crate::parse::Rule {
            id: $id,
            severity: $crate::parse::Severity::$severity,
            text: $text,
        };)*
        $(#[$table_doc])*
        $visibility const $table: &[$crate::parse::Rule] = &[$($name),*];
    };
}
pub(crate) use rules;

/// A violation of a rule, or a remark, about one value or array of a file.
///
/// If the finding is about a [`Region`](crate::parse::region::Region) of the file, it has the name
/// of the region. Otherwise the finding has a more exact name, such as the name of one polygon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The id of the rule that the file violates.
    pub rule: &'static str,
    /// The severity of this finding.
    pub severity: Severity,
    /// The value or array of the file that the finding is about.
    pub field: Field,
    /// Offset of the first byte that violates the rule.
    pub offset: u64,
    /// Index of the file that the finding is about, if the mesh consists of several files, and 0
    /// otherwise.
    ///
    /// This index can be passed to [`MeshFile::source`](crate::model::MeshFile::source).
    pub source: u8,
    /// A sentence with the value that was found and the value that was expected.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, field, offset, text, .. } = self;
        write!(out, "{severity} {rule}: {field} at byte {offset}: {text}")
    }
}

/// Maximum number of findings by one rule on one file. A malicious file could cause a million
/// findings.
const MAX_FINDINGS: u32 = 1000;

/// Passes each finding to the closure of the caller, with the severity of the rule.
pub(crate) struct Report<'r> {
    rules: &'static [Rule],
    sink: &'r mut dyn FnMut(Finding),
    /// The number of findings so far, for each rule.
    counts: Vec<u32>,
    /// Index of the file that is checked at the moment.
    source: u8,
    /// Offset in the file of the compressed block that is checked at the moment.
    ///
    /// If this offset is set, the offsets of the findings are offsets in the inflated content of
    /// the compressed block.
    block: Option<u64>,
}

impl<'r> Report<'r> {
    pub(crate) fn new(rules: &'static [Rule], sink: &'r mut dyn FnMut(Finding)) -> Self {
        Self { rules, sink, counts: vec![0; rules.len()], source: 0, block: None }
    }

    /// Sets the index of the file that the findings reported next are about.
    pub(crate) const fn turn_to(&mut self, source: u8) {
        self.source = source;
    }

    /// Sets the offset of the compressed block that the findings reported next are about.
    ///
    /// With `None`, the next findings are about the bytes of the file itself and not about inflated
    /// bytes.
    pub(crate) const fn turn_into(&mut self, block: Option<u64>) {
        self.block = block;
    }

    /// Reports a violation of `rule` to the caller.
    pub(crate) fn add(&mut self, rule: Rule, field: Field, offset: u64, text: String) {
        self.add_as(rule.severity, rule, field, offset, text);
    }

    /// Reports a violation of `rule` to the caller, with a severity that may differ from the
    /// severity of the rule.
    pub(crate) fn add_as(&mut self, severity: Severity, rule: Rule, field: Field, offset: u64, text: String) {
        let (offset, text) = match self.block {
            Some(block) => (block, format!("{text}, at inflated byte {offset}")),
            None => (offset, text),
        };
        self.pass(Finding { rule: rule.id, severity, field, offset, source: self.source, text });
    }

    /// Passes a finding to the closure of the caller, unless the rule already has [`MAX_FINDINGS`]
    /// findings.
    pub(crate) fn pass(&mut self, mut finding: Finding) {
        let number = self.rules.iter().position(|known| known.id == finding.rule);
        let count = number.and_then(|number| self.counts.get_mut(number));
        let count = count.map_or(0, |count| std::mem::replace(count, count.saturating_add(1)));
        if count == MAX_FINDINGS {
            finding.text.push_str("; further findings by this rule are left out");
        }
        if count <= MAX_FINDINGS {
            (self.sink)(finding);
        }
    }
}

/// Counts the items of an array that violate a rule, and stores the index of the first such item.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) first: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, item: u64, breach: bool) {
        if breach {
            if self.count == 0 {
                self.first = item;
            }
            self.count = self.count.saturating_add(1);
        }
    }

    pub(crate) const fn any(self) -> bool {
        self.count > 0
    }

    /// Returns the offset of the first item that violates the rule, in an array that begins at
    /// `start` and has items of `size` bytes.
    pub(crate) const fn offset(self, start: u64, size: u64) -> u64 {
        start.saturating_add(self.first.saturating_mul(size))
    }
}
