//! [`LlsdText`]: a string, a URI or a map key of binary LLSD.

use std::borrow::Cow;
use std::fmt;

use crate::error::debug::{items, short_debug, text};
use crate::error::{MAX_SHOWN_BYTES, Shown};
use crate::parse::Name;

/// A string, a URI or a map key, borrowed from the encoded bytes.
///
/// For a text without quotes, the stored bytes are the content of the text. For a quoted text, the
/// stored bytes may contain escape sequences that must be decoded.
#[derive(Clone, Copy)]
pub struct LlsdText<'a> {
    stored: &'a [u8],
    quote: Option<u8>,
}

impl<'a> LlsdText<'a> {
    /// Creates a text without quotes whose content is `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { stored: bytes, quote: None }
    }

    pub(super) const fn quoted(stored: &'a [u8], quote: u8) -> Self {
        Self { stored, quote: Some(quote) }
    }

    /// Returns the stored bytes of the text, without decoding escape sequences. The stored bytes
    /// are the content of the text, unless the text is [quoted](Self::quote) and contains escape
    /// sequences.
    #[must_use]
    pub const fn stored(&self) -> &'a [u8] {
        self.stored
    }

    /// Returns the quote character (`'` or `"`) around the text, or `None` if the text is not
    /// quoted.
    #[must_use]
    pub const fn quote(&self) -> Option<u8> {
        self.quote
    }

    /// Returns an iterator over the bytes of the text's content, with decoded escape sequences.
    #[must_use]
    pub const fn bytes(&self) -> LlsdTextBytes<'a> {
        LlsdTextBytes { rest: self.stored, escapes: self.quote.is_some() }
    }

    /// Returns the content of the text. The result is newly allocated if the text contains escape
    /// sequences, and borrowed from the encoded bytes if it contains none.
    #[must_use]
    pub fn content(&self) -> Cow<'a, [u8]> {
        match self.quote {
            Some(_) if self.stored.contains(&b'\\') => self.bytes().collect(),
            _ => Cow::Borrowed(self.stored),
        }
    }

    /// Returns the bytes of the text as a [`Name`], without decoding escape sequences.
    #[must_use]
    pub const fn name(&self) -> Name<'a> {
        Name::new(self.stored)
    }

    /// Returns whether the content of this text is equal to `text`.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        match self.quote {
            None => self.stored == text.as_bytes(),
            Some(_) => self.bytes().eq(text.bytes()),
        }
    }
}

impl PartialEq for LlsdText<'_> {
    /// Returns whether the contents of two texts are equal. A quoted text and a text without quotes
    /// are equal if their contents are equal.
    fn eq(&self, other: &Self) -> bool {
        match (self.quote, other.quote) {
            (None, None) => self.stored == other.stored,
            _ => self.bytes().eq(other.bytes()),
        }
    }
}

impl Eq for LlsdText<'_> {}

impl fmt::Display for LlsdText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // For output, a quoted text is decoded only up to `MAX_SHOWN_BYTES` plus one byte. If the
        // decoded bytes include the byte after `MAX_SHOWN_BYTES`, the output indicates that the
        // text was truncated.
        match self.quote {
            Some(_) => Shown(&self.bytes().take(MAX_SHOWN_BYTES.saturating_add(1)).collect::<Vec<u8>>()).fmt(out),
            None => Shown(self.stored).fmt(out),
        }
    }
}

impl fmt::Debug for LlsdText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quote {
            Some(_) => text(&self.bytes().take(MAX_SHOWN_BYTES).collect::<Vec<u8>>()).fmt(out),
            None => text(self.stored).fmt(out),
        }
    }
}

/// An iterator over the bytes of a text's content, with decoded escape sequences.
#[derive(Clone)]
pub struct LlsdTextBytes<'a> {
    rest: &'a [u8],
    escapes: bool,
}

short_debug!(LlsdTextBytes<'_>: |rest| { rest: items(rest.rest) });

impl Iterator for LlsdTextBytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if !self.escapes || first != b'\\' {
            return Some(first);
        }
        let (&escaped, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match escaped {
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'x' => {
                let (&[high, low], rest) = self.rest.split_first_chunk::<2>()?;
                self.rest = rest;
                digit(high)?.wrapping_mul(16).wrapping_add(digit(low)?)
            }
            other => other,
        })
    }
}

/// Returns the value of a hexadecimal digit, or `None` if the byte is not a hexadecimal digit.
pub(super) fn digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
