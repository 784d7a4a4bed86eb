//! The names of materials in exported files.

use crate::error::{MAX_SHOWN_BYTES, copy_text};
use crate::parse::Name;

/// Copies a name to a text of at most 4 KiB, with U+FFFD for bytes that are not UTF-8. Many
/// surfaces can have the same long name.
pub(crate) fn name_text(name: Name<'_>) -> String {
    let bytes = name.as_bytes();
    match bytes.get(..MAX_SHOWN_BYTES) {
        Some(head) if head.len() < bytes.len() => format!("{}…", copy_text(head)),
        _ => copy_text(bytes),
    }
}
