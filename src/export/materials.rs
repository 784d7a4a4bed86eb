//! The names of materials and the metadata in exported files.

use crate::error::{MAX_SHOWN_BYTES, Result, copy_text};
use crate::model::{Contents, Metadata, MetadataValue};
use crate::parse::{Name, hex};
use crate::text::json_text::JsonText;

/// Copies a name to a text of at most 4 KiB, with U+FFFD for bytes that are not UTF-8. Many
/// surfaces can have the same long name.
pub(crate) fn name_text(name: Name<'_>) -> String {
    let bytes = name.as_bytes();
    match bytes.get(..MAX_SHOWN_BYTES) {
        Some(head) if head.len() < bytes.len() => format!("{}…", copy_text(head)),
        _ => copy_text(bytes),
    }
}

/// Writes the keys of a file for which `is_written` returns true as objects.
pub(crate) fn write_metadata(
    contents: &dyn Contents,
    is_written: impl Fn(&Metadata<'_>) -> bool,
    json: &mut JsonText<'_>,
) -> Result<()> {
    let mut written = Ok(());
    contents.metadata(&mut |entry| {
        if written.is_ok() && is_written(&entry) {
            written = json.object(|json| {
                json.key("key").string(&entry.key.to_string_lossy())?;
                let json = json.key("value");
                match entry.value {
                    MetadataValue::Text(text) => json.string(&text.to_string_lossy()),
                    MetadataValue::Integer(number) => json.signed(number),
                    MetadataValue::Real(number) => json.double(number),
                    MetadataValue::Bytes(bytes) => json.string(&hex(bytes)),
                }
            });
        }
    })?;
    written
}
