//! Detects EZ-Mesh files, and creates the errors for files of related, unsupported formats.

use super::layout::{FORMAT, TAG};
use super::xml::tag::{Tag, is_blank};
use super::xml::walk::{doctype_end, foreign_root, is_root};
use crate::decode::ByteOrder;
use crate::decode::endian::RawWord;
use crate::error::{Cause, Error, Field};

/// Returns whether the bytes look like an EZ-Mesh file.
///
/// In a binary file, the format version, the length of the tag and the tag `EZMESH` are checked. In
/// a text file, blanks, comments and declarations are skipped, and the first element must be a
/// possible root element of an EZ-Mesh file.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    binary_version(bytes).is_some() || root(bytes).is_some_and(|tag| is_root(&tag))
}

/// Returns the error for an unsupported file of a related format, or `None` for any other file.
///
/// The unsupported files of related formats are XML files whose root element is not an EZ-Mesh root
/// element, and EZ-Mesh binary files of a version other than 100 and 101.
pub(crate) fn refusal(bytes: &[u8]) -> Option<Error> {
    if let Some((_, version)) = any_binary_version(bytes).filter(|_| binary_version(bytes).is_none()) {
        let found = format!("EZ-Mesh binary of version {version}").into();
        let kind = Cause::Unsupported { found, advice: "export it as version 100 or 101, or as text" };
        return Some(Error::new(FORMAT, Field::new("version"), 0, kind));
    }
    root(bytes).map(|tag| foreign_root(&tag))
}

/// Returns whether the first bytes of the file look like XML text, in UTF-8 or UTF-16. This
/// function does not check the name of the XML root element.
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
/// With the correct byte order, the length field before the tag `EZMESH` has the value 6, the
/// length of the tag.
fn any_binary_version(bytes: &[u8]) -> Option<(ByteOrder, u32)> {
    let (version, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let order = [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| order.u32(RawWord(*length)) == 6)?;
    rest.starts_with(TAG).then(|| (order, order.u32(RawWord(*version))))
}
