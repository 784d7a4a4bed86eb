//! The report, which collects the findings of one validation, and the number of items that violate
//! a rule.

use std::fmt;

use crate::error::{Error, Field, Result, Rule, counted};
use crate::parse::Finding;

/// Maximum number of findings that are reported for one rule, because a malicious file could cause
/// a million findings. The text of the last of these findings says that any further findings are
/// left out.
const MAX_FINDINGS: u32 = 1001;
/// Maximum length of the text of a finding, in bytes. A longer text is cut, because a malicious
/// file could cause many findings that contain the same long value.
const MAX_TEXT: usize = 4096;

/// Collects the findings of one validation and passes each finding to the closure `sink`.
pub struct Report<'r> {
    rules: &'static [Rule],
    sink: &'r mut dyn FnMut(Finding),
    /// The number of findings that were reported so far, one counter for each rule in `rules`.
    counts: Vec<u32>,
    /// Index of the file that is being checked, for a mesh of several files.
    source: u8,
    /// Index of the asset that is being checked, for a container of assets.
    asset: Option<u64>,
    /// Offset in the file of the compressed block whose inflated content is being checked.
    ///
    /// If `block` is set, the offsets that are passed to `add` are offsets in the inflated content
    /// of the compressed block.
    block: Option<u64>,
    /// The text before and after the offset of an inflated byte, at the end of a finding.
    inflated: [&'static str; 2],
}

impl<'r> Report<'r> {
    /// Makes a report that passes each finding to `sink`. `rules` are those of the format.
    pub fn new(rules: &'static [Rule], sink: &'r mut dyn FnMut(Finding)) -> Self {
        let inflated = [", at inflated byte ", ""];
        Self { rules, sink, counts: vec![0; rules.len()], source: 0, asset: None, block: None, inflated }
    }

    /// Sets the text before and after the offset of an inflated byte, at the end of a finding.
    pub(crate) fn with_inflated(self, inflated: [&'static str; 2]) -> Self {
        Self { inflated, ..self }
    }

    /// Sets the file index that the next findings get, for a mesh of several files.
    pub(crate) const fn turn_to(&mut self, source: u8) {
        self.source = source;
    }

    /// Sets the index of the asset that the next findings are about, for a container of assets.
    pub(crate) const fn turn_to_asset(&mut self, asset: Option<u64>) {
        self.asset = asset;
    }

    /// Returns the index of the asset that the next findings are about, for a container of assets.
    pub(crate) const fn asset(&self) -> Option<u64> {
        self.asset
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
    pub fn add(&mut self, rule: Rule, field: Field, offset: u64, text: impl fmt::Display) {
        let [before, after] = self.inflated;
        match self.block {
            Some(block) => self.pass(rule, field, block, format_args!("{text}{before}{offset}{after}")),
            None => self.pass(rule, field, offset, text),
        }
    }

    /// Passes a finding about the items of `tally` to the closure `sink`, if items violate `rule`.
    pub fn add_any(&mut self, tally: Tally, rule: Rule, field: Field, offset: u64, text: impl fmt::Display) {
        if tally.any() {
            self.add(rule, field, offset, text);
        }
    }

    /// Passes the finding about an error to the closure `sink`. Returns `false` if the bytes of the
    /// file are not the cause of the error.
    pub(crate) fn add_error(&mut self, error: &Error) -> bool {
        let found = error.rule().zip(error.offset());
        if let Some((rule, offset)) = found {
            self.pass(*rule, error.field(), offset, error.finding_text());
        }
        found.is_some()
    }

    /// Returns the value of the result `read`. Passes the finding about an error to the closure
    /// `sink`, and then returns `None`. An error that is not about the bytes of the file is
    /// returned.
    pub(crate) fn read<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(error) if self.add_error(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the value of the result `read`, or passes the finding about an error to the closure
    /// `sink` and returns `None`.
    pub(crate) fn take<T>(&mut self, read: Result<T>) -> Option<T> {
        self.read(read).ok().flatten()
    }

    fn pass(&mut self, rule: Rule, field: Field, offset: u64, text: impl fmt::Display) {
        let Some(end) = self.count(rule.id) else { return };
        let mut text = limited(text);
        text.push_str(end);
        let field = self.asset.map_or(field, |asset| field.in_outer_list("asset", asset));
        (self.sink)(Finding { source: self.source, ..Finding::new(rule, field, offset, text) });
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

impl Finding {
    /// Returns the finding about an error in the bytes of a file, or `None` if the bytes are not
    /// the cause of the error.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        let source = u8::try_from(error.source_index()).unwrap_or(u8::MAX);
        let text = limited(error.finding_text());
        Some(Self { source, ..Self::new(*error.rule()?, error.field(), error.offset()?, text) })
    }
}

/// Formats the text of a finding. A text of more than [`MAX_TEXT`] bytes is cut and ends in `..`.
///
/// Formatting stops at the maximum length, and so takes no time for the rest of the text.
fn limited(text: impl fmt::Display) -> String {
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
pub struct Tally {
    /// The number of such items.
    pub count: u64,
    /// The index of the first such item, or 0 if there is none.
    pub first: u64,
}

impl Tally {
    /// Counts the items for which `is_breach` returns `true`.
    pub fn of<T>(items: impl IntoIterator<Item = T>, mut is_breach: impl FnMut(T) -> bool) -> Self {
        let mut tally = Self::default();
        (0..).zip(items).for_each(|(number, item)| tally.add(number, is_breach(item)));
        tally
    }

    /// Counts the item with the index `item` if it violates the rule.
    pub fn add(&mut self, item: u64, breach: bool) {
        if breach {
            if self.count == 0 {
                self.first = item;
            }
            self.count = self.count.saturating_add(1);
        }
    }

    /// Returns whether an item violates the rule.
    #[must_use]
    pub const fn any(self) -> bool {
        self.count > 0
    }

    /// Returns the end of the text of a finding about the first item: the number of such items if
    /// there are several.
    pub(crate) fn such(self) -> String {
        if self.count > 1 { format!("; {} such", self.count) } else { String::new() }
    }

    /// Returns the byte offset of the first item that violates the rule.
    ///
    /// `start` is the offset of the array in the file, and `size` is the size of an item in bytes.
    #[must_use]
    pub const fn offset(self, start: u64, size: u64) -> u64 {
        start.saturating_add(self.first.saturating_mul(size))
    }

    /// Returns the text of a finding: the number of items with the noun `noun`, and `what`.
    #[must_use]
    pub const fn text(self, noun: &'static str, what: &'static str) -> impl fmt::Display {
        TallyText { tally: self, noun, what, names_first: false }
    }

    /// Returns the text of a finding: the number of items with the noun `noun`, `what`, and the
    /// index of the first item.
    #[must_use]
    pub const fn text_to_first(self, noun: &'static str, what: &'static str) -> impl fmt::Display {
        TallyText { tally: self, noun, what, names_first: true }
    }
}

/// The text of a finding about several items.
struct TallyText {
    tally: Tally,
    noun: &'static str,
    what: &'static str,
    names_first: bool,
}

impl fmt::Display for TallyText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, noun, what, names_first } = *self;
        write!(out, "{} {what}", counted(tally.count, noun))?;
        if names_first { write!(out, " {}", tally.first) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::rules;

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
    fn cuts_a_long_text_between_two_characters() {
        assert_eq!(limited("short"), "short");
        assert_eq!(limited("x".repeat(MAX_TEXT)), "x".repeat(MAX_TEXT));
        assert_eq!(limited("x".repeat(MAX_TEXT + 1)), "x".repeat(MAX_TEXT) + "..");
        assert_eq!(limited(format!("x{}", "ü".repeat(MAX_TEXT))), format!("x{}..", "ü".repeat(MAX_TEXT / 2 - 1)));
    }
}
