//! The number of items that violate a rule.

use std::fmt;

use crate::error::counted;

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
