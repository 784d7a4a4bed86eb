//! Parses the option `--range`.

use std::ops::Range;

use crate::program::outcome::{UsageError, usage};

/// A range of item indices. `None` as the end means that the range extends to the last item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    start: usize,
    end: Option<usize>,
}

impl IndexRange {
    /// The range of all items.
    pub const ALL: Self = Self { start: 0, end: None };

    /// Returns the indices in an array of `len` items.
    pub fn within(self, len: usize) -> Result<Range<usize>, UsageError> {
        let range = self.start..self.end.unwrap_or(len);
        if range.end > len || range.start > len {
            usage!("--range: expected a range within 0..{len}, found {}..{}", range.start, range.end);
        }
        Ok(range)
    }
}

/// Parses a range, or the index of one item.
pub fn parse_range(text: &str) -> Result<IndexRange, String> {
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text:?}: {error}"));
    let Some((start, end)) = text.split_once("..") else {
        let start = number(text)?;
        return Ok(IndexRange { start, end: start.checked_add(1) });
    };
    let start = if start.is_empty() { 0 } else { number(start)? };
    let end = if end.is_empty() { None } else { Some(number(end)?) };
    if end.is_some_and(|end| end < start) {
        return Err(format!("expected an end of at least {start}"));
    }
    Ok(IndexRange { start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges() {
        let range = |start, end| Ok(IndexRange { start, end });
        assert_eq!(parse_range("3..7"), range(3, Some(7)));
        assert_eq!(parse_range("3.."), range(3, None));
        assert_eq!(parse_range("..7"), range(0, Some(7)));
        assert_eq!(parse_range("5"), range(5, Some(6)));
        assert!(parse_range("7..3").is_err() && parse_range("a..b").is_err() && parse_range("").is_err());
    }
}
