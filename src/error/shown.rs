//! Safe display of bytes from a file, because these bytes could contain control codes for a
//! terminal.

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
        let bytes = self.0.get(..MAX_SHOWN_BYTES).unwrap_or(self.0).to_vec();
        for shown in String::from_utf8_lossy(&bytes).chars() {
            if shown.is_control() || turns_direction(shown) {
                write!(out, "{}", shown.escape_unicode())?;
            } else {
                out.write_char(shown)?;
            }
        }
        if self.0.len() > MAX_SHOWN_BYTES { out.write_str("…") } else { Ok(()) }
    }
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
/// If all bytes are printable ASCII, the function returns them as quoted text. If a byte is not
/// printable ASCII, the function returns all bytes in hexadecimal.
pub(crate) fn show_bytes(bytes: &[u8]) -> String {
    use fmt::Write as _;
    if !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        return format!("{:?}", String::from_utf8_lossy(bytes));
    }
    let mut text = String::from("bytes");
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {byte:02x}");
    }
    if bytes.is_empty() { String::from("nothing") } else { text }
}
