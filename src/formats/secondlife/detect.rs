//! Detects from the first bytes of a file whether the file is a Second Life mesh asset, an `.slm`
//! container or a viewer's cache file.

use super::layout::{FORMAT, RawPreamble};
use super::llsd;
use crate::parse::{Cursor, Limits};

/// Returns whether `bytes` begin like a mesh asset, an `.slm` container or a viewer's cache file.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    let bytes = bytes.get(preamble_len(bytes)..).unwrap_or_default();
    if llsd::marker_line(bytes).is_ok_and(|line| line > 0) {
        return true;
    }
    let Some(&[mark, a, b, c, d]) = bytes.first_chunk::<5>() else { return false };
    // A map in binary LLSD begins with an opening brace and four bytes for the number of entries.
    // If the four bytes after an opening brace are printable ASCII characters or white space, the
    // file is a text file, such as JSON.
    let is_text = [a, b, c, d].iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    mark == b'{' && !is_text && matches!(bytes.get(5), None | Some(b'k' | b'\'' | b'"' | b'}'))
}

/// Returns the preamble of a file from a viewer's disk cache, or `None` if the file does not begin
/// with such a preamble.
pub(super) fn preamble(bytes: &[u8]) -> Option<&RawPreamble> {
    let mut cursor = Cursor::new(bytes, FORMAT);
    let preamble: &RawPreamble = cursor.read("preamble").ok()?;
    let plausible =
        preamble.version.get() == 1 && (1..=Limits::default().header).contains(&preamble.header_size.get().into());
    (plausible && cursor.rest().starts_with(b"{")).then_some(preamble)
}

/// Returns the length in bytes of the viewer cache preamble before the asset, or 0 if the file has
/// no such preamble.
pub(super) fn preamble_len(bytes: &[u8]) -> usize {
    preamble(bytes).map_or(0, size_of_val)
}
