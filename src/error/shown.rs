//! Bytes from outside, shown so that a terminal obeys none of them.

use std::fmt::{self, Write as _};

/// The most bytes of a name that are ever printed.
pub(crate) const MAX_SHOWN_BYTES: usize = 4096;

/// Prints bytes from outside so that a terminal shows them and obeys none of them: controls and marks that turn the
/// reading direction are escaped, bytes that are not UTF-8 become U+FFFD, and at most 4 KiB are printed.
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

/// Tells the Unicode marks that reorder the text around them, and the separators that break a line.
const fn turns_direction(mark: char) -> bool {
    matches!(mark, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Shows a few bytes of a file: quoted where they are printable ASCII, as hexadecimal otherwise.
pub(crate) fn show_bytes(bytes: &[u8]) -> String {
    use fmt::Write as _;
    if !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        return format!("{:?}", String::from_utf8_lossy(bytes));
    }
    let mut text = String::from("bytes");
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, " {byte:02x}");
    }
    if bytes.is_empty() { String::from("nothing") } else { text }
}
