//! Safe display of bytes from a file, because these bytes could contain control codes for a
//! terminal.

// Rule: this file makes text of copies only.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// The maximum number of bytes of one name that [`Shown`] prints.
pub(crate) const MAX_SHOWN_BYTES: usize = 4096;

/// Prints bytes from a file as text that cannot control a terminal.
///
/// Control characters, and characters that change the reading direction, are escaped. Bytes that
/// are not UTF-8 are replaced by U+FFFD. At most 4 KiB of the bytes are printed.
pub(crate) struct Shown<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for shown in copy_text(self.0.get(..MAX_SHOWN_BYTES).unwrap_or(self.0)).chars() {
            if is_text_control(shown) {
                write!(out, "{}", shown.escape_unicode())?;
            } else {
                out.write_char(shown)?;
            }
        }
        if self.0.len() > MAX_SHOWN_BYTES { out.write_str("…") } else { Ok(()) }
    }
}

/// A number with a noun.
pub(crate) struct Counted {
    number: u64,
    noun: &'static str,
}

/// Returns a number with a noun, which is printed in the plural unless the number is 1.
pub(crate) fn counted(number: impl TryInto<u64>, noun: &'static str) -> Counted {
    Counted { number: number.try_into().unwrap_or(u64::MAX), noun }
}

impl fmt::Display for Counted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.number, numbered_noun(self.number, self.noun))
    }
}

/// Returns a noun as it follows a number: in the plural unless the number is 1.
pub(crate) fn numbered_noun(number: u64, noun: &str) -> Cow<'_, str> {
    if number == 1 {
        return noun.into();
    }
    let irregular =
        [("vertex", "vertices"), ("index", "indices"), ("matrix", "matrices"), ("mesh", "meshes"), ("leaf", "leaves")];
    let changed = irregular.into_iter().chain([("tetrahedron", "tetrahedra"), ("match", "matches")]);
    for (one, many) in changed {
        if let Some(first) = noun.strip_suffix(one) {
            return format!("{first}{many}").into();
        }
    }
    format!("{noun}s").into()
}

/// Copies bytes to a text, in which U+FFFD replaces the bytes that are not UTF-8.
///
/// The bytes of a mapped file may change after a check for UTF-8, and a `str` that is not UTF-8 is
/// undefined behaviour. Hence `copy_text` and [`is_utf8`] check a copy, and no other function of
/// the library makes a `str` of bytes from a file.
pub(crate) fn copy_text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns whether bytes are UTF-8. The function checks a copy of the bytes.
pub(crate) fn is_utf8(bytes: &[u8]) -> bool {
    bytes.is_ascii() || String::from_utf8(bytes.to_vec()).is_ok()
}

/// Returns whether a character is a control character, changes the direction of the text, or breaks
/// a line.
pub(crate) fn is_text_control(shown: char) -> bool {
    shown.is_control() || turns_direction(shown)
}

/// Returns whether a Unicode character changes the direction of the text or breaks a line.
///
/// The result is `true` for the directional marks of Unicode, and for its line and paragraph
/// separators.
const fn turns_direction(mark: char) -> bool {
    matches!(mark, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a printable text for the first few bytes of a file.
///
/// If all bytes are printable ASCII, the function returns them as quoted text. Otherwise, it
/// returns them in hexadecimal.
pub(crate) fn show_bytes(bytes: &[u8]) -> String {
    // The test for printable bytes and the output use the same copy, because the bytes of a mapped
    // file may change between two reads.
    let bytes = bytes.to_vec();
    if !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        return format!("{:?}", copy_text(&bytes));
    }
    let mut text = String::from("bytes");
    for byte in &bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {byte:02x}");
    }
    if bytes.is_empty() { String::from("nothing") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_text_of_any_bytes() {
        for (bytes, text, shown) in [
            (&b""[..], "", "nothing"),
            (b"a \"b", "a \"b", r#""a \"b""#),
            (b"a\n", "a\n", "bytes 61 0a"),
            ("\u{e9}".as_bytes(), "\u{e9}", "bytes c3 a9"),
        ] {
            assert_eq!((copy_text(bytes).as_str(), show_bytes(bytes).as_str()), (text, shown));
            assert!(is_utf8(bytes));
        }
        assert_eq!(copy_text(b"a\xf0b"), "a\u{fffd}b");
        assert!(!is_utf8(b"a\xf0b"));
    }
}
