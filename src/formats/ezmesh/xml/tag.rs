//! Reads one XML tag: its name and its attributes, directly from the bytes of the file.

use std::ops::Range;

use crate::error::Cause;
use crate::math::as_u64;
use crate::parse::{Limits, Name};

/// The maximum number of attributes of an element. This maximum of 64 attributes applies in
/// addition to the limit `attributes`.
const MAX_ATTRIBUTES: usize = 64;

/// Returns whether a byte is XML white space.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The start tag of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'a> {
    /// The bytes of the whole file.
    bytes: &'a [u8],
    /// Offset of the `<` of the tag in the file.
    pub(crate) start: usize,
    /// Offset of the end of the element name in the file.
    name_end: usize,
}

/// An attribute of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct XmlAttribute<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) value: AttributeValue<'a>,
    /// The quote character around the value: `"`, `'`, or `None` if the value has no quotes.
    pub(crate) quote: Option<u8>,
}

/// The value of an attribute, as written in the file, without decoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AttributeValue<'a> {
    pub(crate) bytes: &'a [u8],
    /// Offset of the first byte of the value in the file.
    pub(crate) at: usize,
}

impl<'a> AttributeValue<'a> {
    pub(crate) const fn name(self) -> Name<'a> {
        Name::new(self.bytes)
    }

    /// Returns the byte range of the value in the file.
    pub(crate) const fn range(self) -> Range<usize> {
        self.at..self.at.saturating_add(self.bytes.len())
    }
}

/// An error in a tag, with the offset of the error in the file.
#[derive(Debug)]
pub(crate) struct TagFault {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
    pub(crate) kind: Cause,
}

impl TagFault {
    fn unclosed(at: usize) -> Self {
        Self::value(at, "element", "a tag that ends with >", "the end of the file")
    }

    fn value(at: usize, what: &'static str, expected: &'static str, found: impl Into<String>) -> Self {
        Self { at, what, kind: Cause::value(expected, found.into()) }
    }
}

/// The end of a tag, and whether the tag ends with `/>`, which also ends the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagEnd {
    /// Offset of the byte after the `>` of the tag.
    pub(crate) end: usize,
    pub(crate) is_empty: bool,
}

impl<'a> Tag<'a> {
    /// Reads the name of the tag whose `<` is at the offset `start`. Returns `None` if no name
    /// follows the `<`.
    pub(crate) fn at(bytes: &'a [u8], start: usize) -> Option<Self> {
        let from = start.checked_add(1)?;
        let rest = bytes.get(from..)?;
        let length =
            rest.iter().position(|byte| is_blank(*byte) || matches!(byte, b'>' | b'/' | b'<')).unwrap_or(rest.len());
        let is_name = rest.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_' || *first >= 0x80);
        is_name.then_some(Self { bytes, start, name_end: from.saturating_add(length) })
    }

    /// Returns the name of the element.
    pub(crate) fn name(&self) -> &'a [u8] {
        self.bytes.get(self.start.saturating_add(1)..self.name_end).unwrap_or_default()
    }

    /// Returns a reader of the attributes of the tag. The attribute reader also finds the end of
    /// the tag.
    pub(crate) const fn attributes(&self) -> Attributes<'a> {
        Attributes { bytes: self.bytes, at: self.name_end, end: None }
    }

    /// Returns the values of the attributes with the given names, without regard to upper and lower
    /// case.
    ///
    /// If an attribute occurs twice in the tag, the function returns its first value.
    pub(crate) fn values<const N: usize>(&self, names: [&str; N]) -> [Option<AttributeValue<'a>>; N] {
        let mut found = [None; N];
        let mut attributes = self.attributes();
        while let Ok(Some(attribute)) = attributes.next() {
            for (place, name) in found.iter_mut().zip(names) {
                if place.is_none() && attribute.name.eq_ignore_ascii_case(name.as_bytes()) {
                    *place = Some(attribute.value);
                }
            }
        }
        found
    }

    /// Returns the value of the attribute with the name `name`, or `None` if the tag has no such
    /// attribute.
    pub(crate) fn value(&self, name: &str) -> Option<AttributeValue<'a>> {
        let [value] = self.values([name]);
        value
    }

    /// Returns the end of the tag, or `None` if the tag has a syntax error.
    pub(crate) fn end(&self) -> Option<TagEnd> {
        self.read_attributes().end
    }

    /// Returns a reader that has read all attributes up to the first error.
    fn read_attributes(&self) -> Attributes<'a> {
        let mut attributes = self.attributes();
        while let Ok(Some(_)) = attributes.next() {}
        attributes
    }

    /// Checks that no attribute occurs twice in the tag, and that the attributes are not more and
    /// not longer than `limits` allows.
    ///
    /// Returns the end of the tag if the checks succeed.
    pub(crate) fn check(&self, limits: &Limits) -> Result<TagEnd, TagFault> {
        let mut attributes = self.attributes();
        let mut seen: [&[u8]; MAX_ATTRIBUTES] = [&[]; MAX_ATTRIBUTES];
        let mut count = 0_usize;
        let most = usize::try_from(limits.attributes).unwrap_or(usize::MAX).min(MAX_ATTRIBUTES);
        let limit =
            |at, name, allowed, asked| TagFault { at, what: "attribute", kind: Cause::Limit { name, allowed, asked } };
        while let Some(XmlAttribute { name, value, .. }) = attributes.next()? {
            let length = as_u64(value.bytes.len());
            if length > limits.attribute {
                return Err(limit(value.at, "attribute", limits.attribute, length));
            }
            if seen.iter().take(count).any(|known| known.eq_ignore_ascii_case(name)) {
                let expected = "each attribute once";
                return Err(TagFault::value(value.at, "attribute", expected, format!("a second {}", Name::new(name))));
            }
            let Some(place) = seen.get_mut(count).filter(|_| count < most) else {
                return Err(limit(value.at, "attributes", as_u64(most), as_u64(count).saturating_add(1)));
            };
            *place = name;
            count = count.saturating_add(1);
        }
        attributes.end.ok_or_else(|| TagFault::unclosed(self.start))
    }

    /// Returns whether the text ends before the tag ends.
    pub(crate) fn is_cut(&self) -> bool {
        let attributes = self.read_attributes();
        attributes.end.is_none() && attributes.at >= self.bytes.len()
    }

    /// Returns the byte range that a tag needs at least if the text ends before the tag ends.
    pub(crate) fn needed(&self) -> Range<u64> {
        as_u64(self.start)..as_u64(self.bytes.len()).saturating_add(1)
    }
}

/// A reader of the attributes of a tag.
#[derive(Clone, Debug)]
pub(crate) struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The end of the tag, or `None` until all attributes of the tag have been read.
    pub(crate) end: Option<TagEnd>,
}

impl<'a> Attributes<'a> {
    /// Skips the next byte if it is `byte`. Returns whether it is.
    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.bytes.get(self.at) == Some(&byte);
        self.at = self.at.wrapping_add(usize::from(is_next));
        is_next
    }

    /// Skips the bytes before the first byte for which `ends` returns `true`.
    fn skip(&mut self, ends: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|byte| !ends(*byte)) {
            self.at = self.at.wrapping_add(1);
        }
    }

    /// Returns the next attribute, or `None` at the end of the tag.
    pub(crate) fn next(&mut self) -> Result<Option<XmlAttribute<'a>>, TagFault> {
        if self.end.is_some() {
            return Ok(None);
        }
        self.skip(|byte| !is_blank(byte));
        let start = self.at;
        let fault = |at, expected, found: &[u8]| {
            Err(TagFault::value(at, "attribute", expected, crate::error::show_bytes(found)))
        };
        let is_empty = self.accept(b'/');
        if self.accept(b'>') {
            self.end = Some(TagEnd { end: self.at, is_empty });
            return Ok(None);
        }
        if is_empty {
            // If the file ends here, the `>` may be missing.
            return fault(start, "/>", self.head(start));
        }
        self.skip(|byte| is_blank(byte) || matches!(byte, b'=' | b'>' | b'/' | b'<' | b'"' | b'\''));
        let name = self.bytes.get(start..self.at).unwrap_or_default();
        self.skip(|byte| !is_blank(byte));
        if name.is_empty() || !self.accept(b'=') {
            if self.at >= self.bytes.len() {
                return Err(TagFault::unclosed(self.at));
            }
            return fault(start, "an attribute: a name, = and a value", self.head(start));
        }
        self.skip(|byte| !is_blank(byte));
        let quote = [b'"', b'\''].into_iter().find(|quote| self.accept(*quote));
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = if let Some(quote) = quote {
            let Some(length) = memchr::memchr(quote, rest) else {
                let at = std::mem::replace(&mut self.at, self.bytes.len());
                return fault(at, "the closing quote of the value", b"");
            };
            length
        } else {
            // A slash belongs to an attribute value without quotes, unless the slash and a `>` end
            // the tag.
            let ends = |(at, byte): (usize, &u8)| {
                is_blank(*byte) || *byte == b'>' || (*byte == b'/' && rest.get(at.saturating_add(1)) == Some(&b'>'))
            };
            rest.iter().enumerate().position(ends).unwrap_or(rest.len())
        };
        let value = AttributeValue { bytes: rest.get(..length).unwrap_or_default(), at: self.at };
        self.at = self.at.saturating_add(length).saturating_add(usize::from(quote.is_some()));
        Ok(Some(XmlAttribute { name, value, quote }))
    }

    /// Returns up to 12 bytes of the file from the offset `start` on, to show them in an error
    /// message.
    fn head(&self, start: usize) -> &'a [u8] {
        let rest = self.bytes.get(start..).unwrap_or_default();
        rest.get(..12).unwrap_or(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str) -> Result<(Vec<(String, String)>, TagEnd), String> {
        let tag = Tag::at(text.as_bytes(), 0).ok_or("no name")?;
        let end = tag.check(&Limits::default()).map_err(|fault| format!("{}: {}", fault.at, fault.kind))?;
        let mut found = Vec::new();
        let mut all = tag.attributes();
        while let Ok(Some(one)) = all.next() {
            let [name, value] = [one.name, one.value.bytes].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            assert_eq!(&text.as_bytes()[one.value.range()], one.value.bytes);
            found.push((name, value));
        }
        Ok((found, end))
    }

    #[test]
    fn reads_attributes_as_files_have_them() {
        let (found, end) = attributes("<Mesh name=\"C:/a/b>c\"\r\n a='x\"y' b = 1,2 c=d/e f=\"\"/>rest").unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(found, [("name", "C:/a/b>c"), ("a", "x\"y"), ("b", "1,2"), ("c", "d/e"), ("f", "")]);
        assert_eq!(end, TagEnd { end: 52, is_empty: true });
        assert_eq!(attributes("<a>").unwrap(), (Vec::new(), TagEnd { end: 3, is_empty: false }));
        assert_eq!(attributes("<a b=c/>").unwrap().0, [("b".to_owned(), "c".to_owned())]);
    }

    #[test]
    fn refuses_what_is_none() {
        for (text, at) in [
            ("<a b", 4),
            ("<a b>", 3),
            ("<a b=\"c", 6),
            ("<a b=c", 6),
            ("<a / >", 3),
            ("<a =\"c\">", 3),
            ("<a b='1' B=\"2\">", 12),
            ("<a <b>", 3),
        ] {
            let fault = attributes(text).unwrap_err();
            assert!(fault.starts_with(&format!("{at}: ")), "{text}: {fault}");
        }
        assert!(Tag::at(b"< a>", 0).is_none() && Tag::at(b"<", 0).is_none() && Tag::at(b"<1>", 0).is_none());
        let many = (0..65).fold(String::new(), |many, number| many + &format!(" a{number}=''"));
        assert!(attributes(&format!("<a{many}>")).unwrap_err().contains("attributes"));
        let long = "x".repeat((1 << 20) + 1);
        assert!(attributes(&format!("<a b='{long}'>")).unwrap_err().contains("attribute"));
    }
}
