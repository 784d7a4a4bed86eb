//! Detects from the first bytes of a file whether the file is a mesh asset, a container or a
//! viewer's cache file.

use super::layout::{FORMAT, RawPreamble};
use super::llsd;
use crate::parse::{Cursor, Limits};

/// Returns whether `bytes` begin like a mesh asset, a container or a viewer's cache file.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    let bytes = bytes.get(preamble_len(bytes)..).unwrap_or_default();
    if llsd::marker_line(bytes).is_ok_and(|line| line > 0) {
        return true;
    }
    let Some(&[mark, a, b, c, d]) = bytes.first_chunk::<5>() else { return false };
    // In a text file, the four bytes after an opening brace are letters, quotes or blanks.
    let is_text = [a, b, c, d].iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    mark == b'{' && !is_text && matches!(bytes.get(5), None | Some(b'k' | b'\'' | b'"' | b'}'))
}

/// Returns the record that a viewer's disk cache writes before an asset, or `None` if the file does
/// not begin with such a record.
pub(super) fn preamble(bytes: &[u8]) -> Option<&RawPreamble> {
    let mut cursor = Cursor::new(bytes, FORMAT);
    let preamble: &RawPreamble = cursor.read("preamble").ok()?;
    let plausible =
        preamble.version.get() == 1 && (1..=Limits::default().header).contains(&preamble.header_size.get().into());
    (plausible && cursor.rest().starts_with(b"{")).then_some(preamble)
}

/// Returns the length in bytes of the record that a viewer's disk cache writes before the asset, or
/// 0 if the file has no such record.
pub(super) fn preamble_len(bytes: &[u8]) -> usize {
    preamble(bytes).map_or(0, size_of_val)
}
