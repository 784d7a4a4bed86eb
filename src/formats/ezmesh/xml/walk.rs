//! Scans the XML text of a file in one pass, from each `<` to the next `<`.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::element_name::ElementName;
use super::tag::{Tag, TagEnd, TagFault, is_blank};
use crate::error::{Cause, Error, Field, Result};
use crate::formats::ezmesh::layout::FORMAT;
use crate::formats::ezmesh::validate::rules::{ATTRIBUTE_SYNTAX, ELEMENT_NESTING};
use crate::math::as_u64;
use crate::parse::{Limits, Name};

/// The maximum depth of nested elements. This maximum depth of 256 applies in addition to the
/// limit `elements`.
const MAX_DEPTH: usize = 256;

/// An event of the XML scan: a tag, a text or other markup. Events are reported in file order. All
/// ranges of events are byte ranges of the file.
#[derive(Clone, Debug)]
pub(crate) enum XmlEvent<'a> {
    /// The start tag of an element. An empty element (`<a/>`) has no `End` event.
    Start {
        tag: Tag<'a>,
        element: ElementName,
        end: TagEnd,
    },
    /// The end of an element, with the byte range of its closing tag.
    End {
        element: ElementName,
        tag: Range<usize>,
    },
    /// The text between two tags.
    Text(Range<usize>),
    Comment(Range<usize>),
    /// A CDATA section. The byte range includes the delimiters `<![CDATA[` and `]]>`.
    Cdata(Range<usize>),
    Instruction(Range<usize>),
    Doctype(Range<usize>),
}

/// Returns whether a tag can be the root element of an EZ-Mesh text file.
pub(crate) fn is_root(tag: &Tag<'_>) -> bool {
    match ElementName::of(tag.name()) {
        // Files of other formats can also have a root element `Mesh`: in lower case, with a
        // namespace, or without attributes.
        ElementName::Mesh => {
            let [xmlns, name, skeleton, sections] = tag.values(["xmlns", "name", "skeleton", "submesh_count"]);
            let is_said = [name, skeleton, sections].iter().any(Option::is_some);
            xmlns.is_none() && (is_said || tag.name() != b"mesh")
        }
        element => element.is_root(),
    }
}

/// Returns the error for a root element of another format.
pub(crate) fn foreign_root(tag: &Tag<'_>) -> Error {
    let name = Name::new(tag.name());
    let kind = Cause::Unsupported {
        found: format!("XML whose root element is <{name}>").into(),
        advice: "the root of an EZ-Mesh file is MeshSystem, Mesh or SceneGraph; check the format of this file",
    };
    let error = Error::new(FORMAT, Field::new("element"), as_u64(tag.start), kind);
    // A tag that is not closed may continue with other letters and attributes.
    if tag.is_cut() { error.needing(tag.needed()) } else { error }
}

/// An element that has not ended yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenElement<'a> {
    pub(crate) element: ElementName,
    pub(crate) tag: Tag<'a>,
}

/// Scans an XML text, and calls `see` once for each event. The second argument of `see` is the list
/// of open elements that contain the event.
///
/// # Errors
///
/// Returns an error if the XML text is not well-formed or exceeds a maximum in `limits`. Returns
/// the error of `see` if `see` returns an error.
pub(crate) fn walk<'a>(
    bytes: &'a [u8],
    limits: &Limits,
    see: &mut impl FnMut(XmlEvent<'a>, &[OpenElement<'a>]) -> Result<()>,
) -> Result<()> {
    let mut walk = XmlWalker { bytes, limits, open: Vec::new(), at: start(bytes)?, rooted: false };
    while walk.step(see)? {}
    Ok(())
}

/// Returns the offset of the first byte of the XML text: 0, or the offset after a byte order mark.
pub(crate) fn start(bytes: &[u8]) -> Result<usize> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Ok(3);
    }
    if [&b"\xff\xfe"[..], b"\xfe\xff", b"<\0", b"\0<"].iter().any(|mark| bytes.starts_with(mark)) {
        return Err(wide(0));
    }
    Ok(0)
}

fn wide(at: usize) -> Error {
    let kind = Cause::Unsupported {
        found: "text in UTF-16 or another encoding of wide characters".into(),
        advice: "save it as UTF-8",
    };
    Error::new(FORMAT, Field::new("encoding"), as_u64(at), kind)
}

fn fault(at: usize, name: &'static str, expected: &'static str, found: impl Into<String>) -> Error {
    fault_at(Field::new(name), at, expected.to_owned(), found)
}

fn fault_at(field: Field, at: usize, expected: String, found: impl Into<String>) -> Error {
    let kind = Cause::value(expected, found.into());
    Error::new(FORMAT, field, as_u64(at), kind)
}

/// Stores in an error at offset `at` that the text has to continue after the end of `bytes`.
fn cut(error: Error, bytes: &[u8], at: usize) -> Error {
    error.needing(as_u64(at)..as_u64(bytes.len()).saturating_add(1))
}

/// Returns the offset after the closing `>` of the DOCTYPE declaration that starts at `start`.
///
/// A `>` inside quotes, brackets, a comment or a processing instruction does not close the
/// declaration.
pub(crate) fn doctype_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut inside) = (start.checked_add(2)?, false);
    loop {
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'[' | b']' | b'>' | b'<'))?;
        at = at.saturating_add(length).saturating_add(1);
        let behind = bytes.get(at..)?;
        match rest.get(length) {
            Some(quote @ (b'"' | b'\'')) => at = at.saturating_add(memchr(*quote, behind)?).saturating_add(1),
            Some(b'<') if behind.starts_with(b"!--") => {
                at = at.saturating_add(memmem::find(behind, b"-->")?).saturating_add(3);
            }
            Some(b'<') if behind.starts_with(b"?") => {
                at = at.saturating_add(memmem::find(behind, b"?>")?).saturating_add(2);
            }
            Some(b'[') => inside = true,
            Some(b']') => inside = false,
            Some(b'>') if !inside => return Some(at),
            _ => {}
        }
    }
}

struct XmlWalker<'a, 'l> {
    bytes: &'a [u8],
    limits: &'l Limits,
    open: Vec<OpenElement<'a>>,
    at: usize,
    /// Whether the root element of the file has started.
    rooted: bool,
}

impl<'a> XmlWalker<'a, '_> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reports the text before the next `<`, and the markup at this `<`, to the closure `see`.
    /// Returns `false` at the end of the file.
    fn step(&mut self, see: &mut impl FnMut(XmlEvent<'a>, &[OpenElement<'a>]) -> Result<()>) -> Result<bool> {
        let rest = self.rest();
        let length = memchr(b'<', rest).unwrap_or(rest.len());
        let text = self.at..self.at.saturating_add(length);
        if !text.is_empty() {
            if self.open.is_empty() {
                self.check_outside(text.clone())?;
            }
            see(XmlEvent::Text(text.clone()), &self.open)?;
        }
        self.at = text.end;
        let rest = self.rest();
        match rest.get(1) {
            _ if rest.is_empty() => return self.finish().map(|()| false),
            Some(b'/') => self.close(see)?,
            Some(b'!') if rest.starts_with(b"<!--") => {
                see(XmlEvent::Comment(self.pass(4, b"-->", "comment")?), &self.open)?;
            }
            Some(b'!') if rest.starts_with(b"<![CDATA[") => {
                if self.open.is_empty() {
                    return Err(fault(self.at, "text", "text inside the root element", "CDATA outside it"));
                }
                see(XmlEvent::Cdata(self.pass(9, b"]]>", "CDATA")?), &self.open)?;
            }
            Some(b'!') => {
                let end = doctype_end(self.bytes, self.at).ok_or_else(|| self.cut("DOCTYPE", "its end"))?;
                see(XmlEvent::Doctype(std::mem::replace(&mut self.at, end)..end), &self.open)?;
            }
            Some(b'?') => {
                let range = self.pass(2, b"?>", "instruction")?;
                self.check_encoding(range.clone())?;
                see(XmlEvent::Instruction(range), &self.open)?;
            }
            _ => self.open(see)?,
        }
        Ok(true)
    }

    /// Moves the reading position after the delimiter `mark` that closes the markup at the current
    /// position, and returns the byte range of the markup.
    fn pass(&mut self, skip: usize, mark: &'static [u8], what: &'static str) -> Result<Range<usize>> {
        let from = self.at.saturating_add(skip);
        let length = self.bytes.get(from..).and_then(|rest| memmem::find(rest, mark));
        let length = length.ok_or_else(|| self.cut(what, "its end"))?;
        let end = from.saturating_add(length).saturating_add(mark.len());
        Ok(std::mem::replace(&mut self.at, end)..end)
    }

    /// Makes the error for a text that ends too early.
    fn cut(&self, name: &'static str, expected: &'static str) -> Error {
        cut(fault(self.at, name, expected, "the end of the file"), self.bytes, self.at)
    }

    /// Returns an error if the XML declaration names an encoding of two or four bytes per
    /// character, such as UTF-16.
    fn check_encoding(&self, range: Range<usize>) -> Result<()> {
        let text = self.bytes.get(range.clone()).unwrap_or_default();
        let text = text.get(..256).unwrap_or(text).to_ascii_lowercase();
        let is_wide = text.starts_with(b"<?xml")
            && memmem::find(&text, b"encoding").and_then(|at| text.get(at..)).is_some_and(|rest| {
                [&b"utf-16"[..], b"utf16", b"utf-32", b"ucs-"].iter().any(|name| memmem::find(rest, name).is_some())
            });
        if is_wide { Err(wide(range.start)) } else { Ok(()) }
    }

    /// Returns an error if a text outside the root element contains anything except white space.
    fn check_outside(&self, text: Range<usize>) -> Result<()> {
        let bytes = self.bytes.get(text.clone()).unwrap_or_default();
        let Some(first) = bytes.iter().position(|byte| !is_blank(*byte)) else { return Ok(()) };
        let head = bytes.get(first..).unwrap_or_default();
        let head = crate::error::show_bytes(head.get(..12).unwrap_or(head));
        let expected = if self.rooted { "nothing after the root element" } else { "an element, which starts with <" };
        Err(fault(text.start.saturating_add(first), "text", expected, head))
    }

    fn open(&mut self, see: &mut impl FnMut(XmlEvent<'a>, &[OpenElement<'a>]) -> Result<()>) -> Result<()> {
        let rest = self.rest();
        let tag = Tag::at(self.bytes, self.at).ok_or_else(|| {
            let head = crate::error::show_bytes(rest.get(..12).unwrap_or(rest));
            let error = fault(self.at, "element", "an element name after <", head);
            if rest.len() > 1 { error } else { cut(error, self.bytes, self.at) }
        })?;
        let element = ElementName::of(tag.name());
        if self.open.is_empty() {
            self.check_root(&tag)?;
            self.rooted = true;
        }
        let end = tag.check(self.limits).map_err(|TagFault { at, what, kind }| {
            let (field, rule) = match what {
                "attribute" => (Field::new("attribute").in_struct(element.name()), &ATTRIBUTE_SYNTAX),
                _ => (Field::new(what), &ELEMENT_NESTING),
            };
            let is_value = matches!(kind, Cause::Value { .. });
            let error = Error::new(FORMAT, field, as_u64(at), kind);
            let error = if is_value { error.breaking(rule) } else { error };
            if is_value && tag.is_cut() { error.needing(tag.needed()) } else { error }
        })?;
        see(XmlEvent::Start { tag, element, end }, &self.open)?;
        self.at = end.end;
        if end.is_empty {
            return Ok(());
        }
        let most = usize::try_from(self.limits.elements).unwrap_or(usize::MAX).min(MAX_DEPTH);
        if self.open.len() >= most {
            let asked = as_u64(most).saturating_add(1);
            let kind = Cause::Limit { name: "elements", allowed: as_u64(most), asked };
            return Err(Error::new(FORMAT, Field::new("element"), as_u64(tag.start), kind));
        }
        self.open.push(OpenElement { element, tag });
        Ok(())
    }

    fn check_root(&self, tag: &Tag<'_>) -> Result<()> {
        let name = Name::new(tag.name());
        if self.rooted {
            return Err(fault(tag.start, "element", "one root element", format!("<{name}> after it")));
        }
        if is_root(tag) { Ok(()) } else { Err(foreign_root(tag)) }
    }

    fn close(&mut self, see: &mut impl FnMut(XmlEvent<'a>, &[OpenElement<'a>]) -> Result<()>) -> Result<()> {
        let rest = self.rest();
        let cut = || self.cut("element", "a closing tag that ends with >");
        let length = memchr(b'>', rest).ok_or_else(cut)?;
        let name = rest.get(2..length).unwrap_or_default().trim_ascii();
        let range = self.at..self.at.saturating_add(length).saturating_add(1);
        let Some(open) = self.open.last().copied() else {
            return Err(fault(self.at, "element", "no closing tag here", Name::new(name).to_string()));
        };
        if !open.tag.name().eq_ignore_ascii_case(name) {
            let expected = format!("</{}>, to close the tag at byte {}", Name::new(open.tag.name()), open.tag.start);
            return Err(fault_at(open.element.field(), self.at, expected, format!("</{}>", Name::new(name))));
        }
        see(XmlEvent::End { element: open.element, tag: range.clone() }, &self.open)?;
        self.open.pop();
        self.at = range.end;
        Ok(())
    }

    /// Returns an error if an element is still open at the end of the file, or if the file has no
    /// root element.
    fn finish(&self) -> Result<()> {
        let end = self.bytes.len();
        if let Some(OpenElement { element, tag }) = self.open.last() {
            let name = Name::new(tag.name());
            let expected = format!("</{name}>, to close the tag at byte {}", tag.start);
            return Err(cut(fault_at(element.field(), end, expected, "the end of the file"), self.bytes, end));
        }
        if self.rooted {
            return Ok(());
        }
        Err(self.cut("element", "a root element MeshSystem, Mesh or SceneGraph"))
    }
}
