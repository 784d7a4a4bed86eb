//! Detects EZ-Mesh files, and creates the errors for files of related, unsupported formats.

use super::layout::{FORMAT, TAG};
use super::xml::tag::{Tag, is_blank};
use super::xml::walk::{doctype_end, foreign_root, is_root};
use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{Error, ErrorKind, Field};

/// Returns whether the bytes look like an EZ-Mesh file.
///
/// For a binary file, the function checks the first fields. For a text file, the function skips
/// blanks, comments and declarations, and then checks that the root element has the name of an
/// EZ-Mesh root.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    binary_version(bytes).is_some() || root(bytes).is_some_and(|tag| is_root(&tag))
}

/// Returns the error for an unsupported file of a related format, or `None` for any other file.
///
/// Related formats are XML files with another root element, and EZ-Mesh binary files of an unknown
/// version.
pub(crate) fn refusal(bytes: &[u8]) -> Option<Error> {
    if let Some((_, version)) = any_binary_version(bytes).filter(|_| binary_version(bytes).is_none()) {
        let found = format!("EZ-Mesh binary of version {version}").into();
        let kind = ErrorKind::Unsupported { found, advice: "export it as version 100 or 101, or as text" };
        return Some(Error::new(FORMAT, Field::new("version"), 0, kind));
    }
    root(bytes).map(|tag| foreign_root(&tag))
}

/// Returns whether the bytes look like an XML text with any root element.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let wide = [&b"\xff\xfe<\0"[..], b"\xfe\xff\0<", b"<\0", b"\0<"];
    wide.iter().any(|mark| bytes.starts_with(mark))
        || matches!(text.trim_ascii_start(), [b'<', b'?' | b'!' | b'_' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Returns the start tag of the root element of an XML text, or `None` if the text has no root
/// element.
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

/// Returns the byte order and the version of an EZ-Mesh binary file of version 100 or 101, or
/// `None` for any other file.
pub(super) fn binary_version(bytes: &[u8]) -> Option<(ByteOrder, u32)> {
    any_binary_version(bytes).filter(|(_, version)| matches!(version, 100 | 101))
}

/// Returns the byte order and the version of an EZ-Mesh binary file of any version.
///
/// The byte order is the one in which the length field before the tag `EZMESH` has the value 6.
fn any_binary_version(bytes: &[u8]) -> Option<(ByteOrder, u32)> {
    let (version, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let order = [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| order.u32(RawWord(*length)) == 6)?;
    rest.starts_with(TAG).then(|| (order, order.u32(RawWord(*version))))
}
