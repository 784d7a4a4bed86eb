//! A reader for the XML of `.ezm` files: elements, attributes, and element text whose numbers are
//! parsed on request.
//!
//! The reader is a scanner that uses `memchr`, without an XML library. Measured on files in the
//! page cache, after a warm-up run: finding every element and checking every attribute takes 1.05
//! to 1.6 times as long as a search for `<` alone. Reading the measured `.ezm` files with the
//! borrowed events and attributes of `quick-xml` 0.41, without building an index, takes 1 to 1.4
//! times as long as this reader. Speed is therefore not the reason against an XML library. The
//! reason for a reader without an XML library is the content of real `.ezm` files, including files
//! that other readers cannot open. An XML library refuses or does not report attributes without
//! quotes, names with any mixture of upper and lower case, and files that end inside an element.
//! This XML reader leaves XML entities undecoded, and skips a DOCTYPE. The XML reader never expands
//! an entity and never loads an external file.

// The modules, from low level to high level: `tag` reads one tag, `element_name` lists the
// elements, `walk` scans a whole XML text, and `scan` builds the index of its elements.
// `numbers` reads numbers in sequence. `number_block` reads all numbers in the text of an element,
// and `columns` reads the vertices of an element as arrays.
pub(crate) mod columns;
pub(crate) mod element_name;
pub(crate) mod number_block;
pub(crate) mod numbers;
pub(crate) mod scan;
pub(crate) mod tag;
pub(crate) mod walk;

use crate::parse::Name;

/// Returns a text in which each XML entity is replaced by its character.
///
/// The five predefined entities of XML, such as `&lt;`, and characters by number, such as `&#65;`,
/// are decoded. Any other text that looks like an entity stays unchanged. The decoded text is not
/// decoded a second time.
///
/// ```
/// let name = meshpeek::Name::new(b"A &amp; B &#x41; &what;");
/// assert_eq!(meshpeek::ezmesh::unescape(name), "A & B A &what;");
/// ```
#[must_use]
pub fn unescape(text: Name<'_>) -> String {
    let text = text.to_string_lossy();
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        // The longest entity is `&#x10FFFF;`, which has ten bytes.
        let end = after.bytes().take(10).position(|byte| byte == b';');
        let decoded = end.and_then(|end| Some((entity(after.get(..end)?)?, after.get(end.saturating_add(1)..)?)));
        let (character, after) = decoded.unwrap_or(('&', after));
        out.push(character);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

/// Returns a text in which percent codes and XML entities are decoded.
///
/// A percent code is `%` and two hexadecimal digits, which are the value of a byte. Newer exporters
/// of `.ezm` files use percent codes for characters that a quoted attribute value cannot contain.
#[must_use]
pub fn unescape_percent(text: Name<'_>) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0_usize;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at.saturating_add(1)..at.saturating_add(3)).filter(|_| *byte == b'%');
        let code = digits.and_then(|digits| match digits {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        });
        out.push(code.unwrap_or(*byte));
        at = at.saturating_add(if code.is_some() { 3 } else { 1 });
    }
    unescape(Name::new(&out))
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_is_known_and_keeps_the_rest() {
        for (text, decoded) in [
            ("A &amp; B", "A & B"),
            ("&lt;&gt;&quot;&apos;&#65;&#x42;", "<>\"'AB"),
            ("&amp;amp;", "&amp;"),
            ("& &; &lol; &#; &#x; &#xD800; &#99999999; &amp", "& &; &lol; &#; &#x; &#xD800; &#99999999; &amp"),
            ("", ""),
        ] {
            assert_eq!(unescape(Name::new(text.as_bytes())), decoded, "{text}");
        }
        assert_eq!(unescape_percent(Name::new(b"a%20b%2")), "a b%2");
        assert_eq!(unescape_percent(Name::new(b"%zz%41%26amp;%")), "%zzA&%");
    }
}
