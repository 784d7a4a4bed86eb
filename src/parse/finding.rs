//! Findings: the violations of file format rules that the `validate` methods report.

use std::fmt;
use std::str::FromStr;

use crate::error::{Cause, Error, Field, Result};

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
macro_rules! rules {
    (
        $(#[$table_doc:meta])* $visibility:vis const $table:ident;
        $(
            $severity:ident $name:ident $id:literal $($rewrite:ident)? $text:literal
                why $why:literal
                mend $mend:literal;
        )*
    ) => {
        $(pub(crate) const $name: $crate::parse::Rule = $crate::parse::Rule {
            id: $id,
            severity: $crate::parse::Severity::$severity,
            text: $text,
            why: $why,
            mend: $mend,
            rewrite: $crate::parse::rules!(@rewrite $($rewrite)?),
        };)*
        $(#[$table_doc])*
        $visibility const $table: &[$crate::parse::Rule] = &[$($name),*];
    };
    (@rewrite) => { $crate::parse::RewriteEffect::Kept };
    (@rewrite $rewrite:ident) => { $crate::parse::RewriteEffect::$rewrite };
}
pub(crate) use rules;

/// A violation of a rule, or a remark, about one value or array of a file.
///
/// If the finding is about a whole byte range of the file
/// ([`Region`](crate::parse::region::Region)), the field of the finding is equal to the field of
/// the region. If the finding is about a part of a byte range, its field is more exact, such as the
/// field of one polygon.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the rule that the file violates.
    pub rule: &'static str,
    /// The severity of this finding.
    pub severity: Severity,
    /// The value or array of the file that the finding is about.
    pub field: Field,
    /// Offset in the file of the first value that violates the rule, in bytes.
    ///
    /// If the value is in a compressed block, `offset` is the offset in the file of this compressed
    /// block.
    pub offset: u64,
    /// Index of the file that the finding is about, for a mesh of several files. For a mesh of one
    /// file, the file index is 0.
    ///
    /// The index of the file can be passed to [`MeshFile::source`](crate::model::MeshFile::source).
    pub source: u8,
    /// A sentence for the user about the violation, with the value in the file and the value that
    /// the rule requires.
    pub text: String,
    /// The effect of writing the file again on the data that the finding is about.
    pub rewrite: RewriteEffect,
}

impl Finding {
    /// Returns a finding about a violation of `rule` in the first file of a mesh.
    pub(crate) const fn new(rule: Rule, field: Field, offset: u64, text: String) -> Self {
        let Rule { id, severity, rewrite, .. } = rule;
        Self { rule: id, severity, field, offset, source: 0, text, rewrite }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, field, offset, text, .. } = self;
        write!(out, "{severity} {rule}: {field} at byte {offset}: {text}")
    }
}

/// Maximum number of findings that are reported for one rule, because a malicious file could cause
/// a million findings. The text of the last of these findings says that any further findings are
/// left out.
const MAX_FINDINGS: u32 = 1001;
/// Maximum length of the text of a finding, in bytes. A longer text is cut, because a malicious
/// file could cause many findings that contain the same long value.
const MAX_TEXT: usize = 4096;

/// Collects the findings of one validation and passes each finding to the closure `sink`.
pub(crate) struct Report<'r> {
    rules: &'static [Rule],
    sink: &'r mut dyn FnMut(Finding),
    /// The number of findings that were reported so far, one counter for each rule in `rules`.
    counts: Vec<u32>,
    /// Index of the file that is being checked, for a mesh of several files.
    source: u8,
    /// Offset in the file of the compressed block whose inflated content is being checked.
    ///
    /// If `block` is set, the offsets that are passed to `add` are offsets in the inflated content
    /// of the compressed block.
    block: Option<u64>,
}

impl<'r> Report<'r> {
    pub(crate) fn new(rules: &'static [Rule], sink: &'r mut dyn FnMut(Finding)) -> Self {
        Self { rules, sink, counts: vec![0; rules.len()], source: 0, block: None }
    }

    /// Sets the file index that the next findings get, for a mesh of several files.
    pub(crate) const fn turn_to(&mut self, source: u8) {
        self.source = source;
    }

    /// Sets the file offset of the compressed block that the next findings are about.
    ///
    /// If `block` is `None`, the next findings are about bytes of the file and not about inflated
    /// bytes.
    pub(crate) const fn turn_into(&mut self, block: Option<u64>) {
        self.block = block;
    }

    /// Passes a finding about a violation of `rule` to the closure `sink`.
    ///
    /// `text` is formatted only if the finding is passed. Pass `format_args!` and not `format!`,
    /// because a malicious file may violate a rule a million times.
    pub(crate) fn add(&mut self, rule: Rule, field: Field, offset: u64, text: impl fmt::Display) {
        self.add_as(rule.severity, rule, field, offset, text);
    }

    /// Passes a finding about a violation of `rule` to the closure `sink`, with a severity that may
    /// differ from the severity of the rule. `text` is formatted only if the finding is passed.
    pub(crate) fn add_as(
        &mut self,
        severity: Severity,
        rule: Rule,
        field: Field,
        offset: u64,
        text: impl fmt::Display,
    ) {
        let Some(end) = self.count(rule.id) else { return };
        let (offset, mut text) = match self.block {
            Some(block) => (block, limited(format_args!("{text}, at inflated byte {offset}"))),
            None => (offset, limited(text)),
        };
        text.push_str(end);
        (self.sink)(Finding { severity, source: self.source, ..Finding::new(rule, field, offset, text) });
    }

    /// Returns whether further findings about violations of `rule` are left out.
    pub(crate) fn is_full(&self, rule: Rule) -> bool {
        let number = self.rules.iter().position(|known| known.id == rule.id);
        number.and_then(|number| self.counts.get(number)).is_some_and(|count| *count >= MAX_FINDINGS)
    }

    /// Counts one more finding about the rule with the id `rule`. Returns the end of the text of
    /// this finding, or `None` if [`MAX_FINDINGS`] findings about the rule were counted before.
    fn count(&mut self, rule: &'static str) -> Option<&'static str> {
        let number = self.rules.iter().position(|known| known.id == rule);
        let Some(count) = number.and_then(|number| self.counts.get_mut(number)) else { return Some("") };
        if *count >= MAX_FINDINGS {
            return None;
        }
        *count = count.saturating_add(1);
        Some(if *count == MAX_FINDINGS { "; any further findings by this rule are left out" } else { "" })
    }
}

/// Formats the text of a finding. A text of more than [`MAX_TEXT`] bytes is cut and ends in `..`.
///
/// Formatting stops at the maximum length, and so takes no time for the rest of the text.
pub(crate) fn limited(text: impl fmt::Display) -> String {
    use fmt::Write as _;
    let mut cut = CutText(String::new());
    if write!(cut, "{text}").is_err() {
        cut.0.push_str("..");
    }
    cut.0
}

/// A text of at most [`MAX_TEXT`] bytes. Writing more bytes fails.
struct CutText(String);

impl fmt::Write for CutText {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = MAX_TEXT.saturating_sub(self.0.len());
        // A character has at most 4 bytes, so one of these 4 ends is between two characters.
        let end = room.min(part.len());
        let kept = (end.saturating_sub(3)..=end).rev().find_map(|end| part.get(..end)).unwrap_or_default();
        self.0.push_str(kept);
        if kept.len() < part.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// The number of items of an array that violate a rule, and the index of the first such item.
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

    /// Returns the byte offset of the first item that violates the rule.
    ///
    /// `start` is the offset of the array in the file, and `size` is the size of an item in bytes.
    pub(crate) const fn offset(self, start: u64, size: u64) -> u64 {
        start.saturating_add(self.first.saturating_mul(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    rules! {
        const TWO;
        Error FIRST "T01" "The first rule." why "It is the first." mend "Follow it.";
        Info SECOND "T02" "The second rule." why "It is the second." mend "Follow it, too.";
    }

    /// A text that counts how many times it is formatted.
    struct Counted<'c>(&'c std::cell::Cell<u32>);

    impl fmt::Display for Counted<'_> {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.set(self.0.get() + 1);
            out.write_str("text")
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "it adds 5,000 findings")]
    fn formats_no_text_of_a_finding_that_is_left_out() {
        let (formatted, mut found) = (std::cell::Cell::new(0), Vec::new());
        let mut sink = |finding| found.push(finding);
        let mut report = Report::new(TWO, &mut sink);
        for number in 0..5000 {
            assert_eq!(report.is_full(FIRST), number >= MAX_FINDINGS);
            report.add(FIRST, Field::new("a"), number.into(), Counted(&formatted));
        }
        report.add(SECOND, Field::new("a"), 0, Counted(&formatted));
        assert_eq!((formatted.get(), found.len()), (MAX_FINDINGS + 1, 1002));
        assert_eq!(found[999].text, "text");
        assert_eq!(found[1000].text, "text; any further findings by this rule are left out");
        assert_eq!((found[1001].text.as_str(), found[1001].rule), ("text", "T02"));
    }

    #[test]
    fn reads_the_names_of_severities() {
        for severity in [Severity::Info, Severity::Warning, Severity::Error] {
            assert_eq!(severity.to_string().parse::<Severity>().unwrap(), severity);
        }
        let error = "Error".parse::<Severity>().unwrap_err();
        assert_eq!(error.message().to_string(), "expected one of info, warning, error, found \"Error\"");
    }

    #[test]
    fn cuts_a_long_text_between_two_characters() {
        assert_eq!(limited("short"), "short");
        assert_eq!(limited("x".repeat(MAX_TEXT)), "x".repeat(MAX_TEXT));
        assert_eq!(limited("x".repeat(MAX_TEXT + 1)), "x".repeat(MAX_TEXT) + "..");
        assert_eq!(limited(format!("x{}", "ü".repeat(MAX_TEXT))), format!("x{}..", "ü".repeat(MAX_TEXT / 2 - 1)));
    }
}
