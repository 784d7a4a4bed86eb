//! Whether bytes are those of an EZ-Mesh file, and why related ones are refused.

use super::layout::{FORMAT, TAG};
use super::xml::tag::{Tag, is_blank};
use super::xml::walk::{doctype_end, foreign_root, is_root};
use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{Error, ErrorKind, Field};

/// Tells whether bytes are those of an EZ-Mesh file, as far as they show: a binary file's first fields or, behind blanks,
/// comments and declarations, a root element that it can have.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    binary_version(bytes).is_some() || root(bytes).is_some_and(|tag| is_root(&tag))
}

/// Returns the error for bytes that are related and not read: XML with another root, and binary of another version. `None`
/// where that does not show.
pub(crate) fn refusal(bytes: &[u8]) -> Option<Error> {
    if let Some((_, version)) = any_binary_version(bytes).filter(|_| binary_version(bytes).is_none()) {
        let found = format!("EZ-Mesh binary of version {version}").into();
        let kind = ErrorKind::Unsupported { found, advice: "export it as version 100 or 101, or as text" };
        return Some(Error::new(FORMAT, Field::new("version"), 0, kind));
    }
    root(bytes).map(|tag| foreign_root(&tag))
}

/// Tells whether bytes look like XML, whatever its root.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let wide = [&b"\xff\xfe<\0"[..], b"\xfe\xff\0<", b"<\0", b"\0<"];
    wide.iter().any(|mark| bytes.starts_with(mark))
        || matches!(text.trim_ascii_start(), [b'<', b'?' | b'!' | b'_' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Returns the root element of a text, as far as the bytes go.
fn root(bytes: &[u8]) -> Option<Tag<'_>> {
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    loop {
        let rest = bytes.get(at..)?;
        let blank = rest.iter().take_while(|byte| is_blank(**byte)).count();
        let rest = rest.get(blank..)?;
        at = at.saturating_add(blank);
        let end = match rest {
            [b'<', b'?', ..] => end_of(rest, b"?>")?,
            [b'<', b'!', b'-', b'-', ..] => end_of(rest, b"-->")?,
            [b'<', b'!', ..] => doctype_end(bytes, at)?.checked_sub(at)?,
            [b'<', ..] => return Tag::at(bytes, at),
            _ => return None,
        };
        at = at.checked_add(end)?;
    }
}

fn end_of(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, mark)?.checked_add(mark.len())
}

/// Returns the byte order and the version of a binary file that is read; `None` of any other.
pub(super) fn binary_version(bytes: &[u8]) -> Option<(ByteOrder, u32)> {
    any_binary_version(bytes).filter(|(_, version)| matches!(version, 100 | 101))
}

/// Returns the byte order and the version of a binary file of any version. The tag's length shows the byte order.
fn any_binary_version(bytes: &[u8]) -> Option<(ByteOrder, u32)> {
    let (version, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let order = [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| order.u32(RawWord(*length)) == 6)?;
    rest.starts_with(TAG).then(|| (order, order.u32(RawWord(*version))))
}
