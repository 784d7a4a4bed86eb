//! Names in files, such as the name of a bone. A name in a file is displayed as text, but it is a
//! byte sequence that may contain any bytes.

use crate::error::debug::text;
use crate::error::{Shown, copy_text};
use std::fmt;

/// A name that is borrowed from a file, without the NUL byte that terminates it.
///
/// A `Name` holds bytes and not a `str`, because a mapped file may change, and a `str` whose bytes
/// change is undefined behaviour. The `Display` implementation of `Name` replaces bytes that are
/// not UTF-8, and escapes control characters that could affect a terminal. The `Debug`
/// implementation cuts the name after 48 bytes.
///
/// ```
/// use meshpeek::Name;
/// let name = Name::new(b"wheel\x1b[2J");
/// assert_eq!(name.to_string(), r"wheel\u{1b}[2J");
/// assert_eq!(name.as_bytes(), b"wheel\x1b[2J");
/// ```
///
/// A `Name` has no order and no hash. A sort or a map reads its keys many times, and a sort panics
/// if a key changes between two reads. Copy the names that become keys with
/// [`to_vec`](Self::to_vec):
///
/// ```
/// use meshpeek::Name;
/// let mut names = [Name::new(b"wheel"), Name::new(b"axle")];
/// names.sort_by_cached_key(Name::to_vec); // copies each name once
/// assert_eq!(names, [Name::new(b"axle"), Name::new(b"wheel")]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Name<'a>(&'a [u8]);

impl<'a> Name<'a> {
    /// Makes a name from its bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the name, without conversion.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the name, or `None` if it is empty.
    pub(crate) fn non_empty(self) -> Option<Self> {
        (!self.0.is_empty()).then_some(self)
    }

    /// Copies the bytes of the name. The copy can be sorted, and can be the key of a map.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    /// Copies the whole name to a `String`.
    ///
    /// Bytes that are not UTF-8 are replaced by U+FFFD. Control characters are copied without an
    /// escape.
    #[must_use]
    pub fn to_string_lossy(&self) -> String {
        copy_text(self.0)
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(self.0).fmt(out)
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        text(self.0).fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_is_harmless_and_escapes_the_rest() {
        assert_eq!(Name::new("кузов".as_bytes()).to_string(), "кузов");
        assert_eq!(Name::new(b"a\0b\n").to_string(), r"a\u{0}b\u{a}");
        assert_eq!(Name::new("a\u{202e}b".as_bytes()).to_string(), r"a\u{202e}b");
        assert_eq!(Name::new(b"a\xffb").to_string(), "a\u{fffd}b");
        assert_eq!(Name::new(&[b'x'; 5000]).to_string().chars().count(), 4097);
        assert_eq!(Name::new(&[b'x'; 5000]).to_string_lossy().len(), 5000);
    }
}
