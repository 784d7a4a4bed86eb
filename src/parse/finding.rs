//! What `validate` reports.

use std::fmt;

use crate::error::Field;

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

/// Writes a rule down, one to a line of a table.
pub(crate) const fn rule(id: &'static str, severity: Severity, text: &'static str) -> Rule {
    Rule { id, severity, text }
}

/// A breach of a rule, or something worth knowing, at one place of a file. Where the place is a [`Region`](crate::parse::region::Region)
/// of the file it bears the region's name, otherwise a name of its own, such as one polygon's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Which part of the file it is about.
    pub field: Field,
    /// Offset of the first byte to blame.
    pub offset: u64,
    /// Which file of several the part is in: its number among the [`MeshFile::source`](crate::model::MeshFile::source)s, 0 of one file.
    pub source: u8,
    /// What was found, and what was expected.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, field, offset, text, .. } = self;
        write!(out, "{severity} {rule}: {field} at byte {offset}: {text}")
    }
}

/// The most findings by one rule on one file: a hostile file could have a million.
const MAX_FINDINGS: u32 = 1000;

/// Passes findings on, with the severity that their rule has.
pub(crate) struct Report<'r> {
    rules: &'static [Rule],
    sink: &'r mut dyn FnMut(Finding),
    /// Findings by each rule.
    counts: Vec<u32>,
    /// Which file is being looked at.
    source: u8,
    /// Offset of the compressed block that is being looked at: offsets are those of what it inflates to.
    block: Option<u64>,
}

impl<'r> Report<'r> {
    pub(crate) fn new(rules: &'static [Rule], sink: &'r mut dyn FnMut(Finding)) -> Self {
        Self { rules, sink, counts: vec![0; rules.len()], source: 0, block: None }
    }

    /// Says that what follows is about another file.
    pub(crate) const fn turn_to(&mut self, source: u8) {
        self.source = source;
    }

    /// Says that what follows is about what the compressed block at an offset inflates to, or about the file itself.
    pub(crate) const fn turn_into(&mut self, block: Option<u64>) {
        self.block = block;
    }

    /// Says that a rule is breached.
    pub(crate) fn say(&mut self, rule: &'static str, field: Field, offset: u64, text: String) {
        let severity = self.rules.iter().find(|known| known.id == rule).map_or(Severity::Error, |known| known.severity);
        self.say_as(severity, rule, field, offset, text);
    }

    /// Says that a rule is breached, with a severity of the place's own.
    pub(crate) fn say_as(&mut self, severity: Severity, rule: &'static str, field: Field, offset: u64, text: String) {
        let (offset, text) = match self.block {
            Some(block) => (block, format!("{text}, at inflated byte {offset}")),
            None => (offset, text),
        };
        self.pass(Finding { rule, severity, field, offset, source: self.source, text });
    }

    /// Passes on a finding, unless there were too many by its rule.
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

/// Counts the items of an array that breach a rule, and remembers the first.
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

    /// Returns the offset of the first breach in an array of items of `size` bytes.
    pub(crate) const fn offset(self, start: u64, size: u64) -> u64 {
        start.saturating_add(self.first.saturating_mul(size))
    }
}
