//! Reads the character data of an element byte by byte, and counts its tokens. Comments and other
//! XML markup may interrupt the character data.
//!
//! The numbers of an element are in its character data: the content without comments, processing
//! instructions and the delimiters of CDATA sections. The text before a comment, an instruction or
//! a delimiter is joined with the text after it, without a gap. Hence a comment, a processing
//! instruction or a CDATA delimiter may split a number.

use std::ops::Range;

use memchr::memmem;

use crate::simd::kernel;

/// An error of reading a number: the reason why no number could be read, and the position in the
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberFault {
    /// Offset in the file of the token, of the markup, or of the end of the text, depending on the
    /// kind of the error.
    pub at: usize,
    /// The reason why no number could be read.
    pub what: NumberFaultKind,
}

/// The reasons why no number could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFaultKind {
    /// The text of the element ends, and no token is left.
    End,
    /// The token is not a float.
    Float,
    /// The token is not an integer, or the integer does not fit in 64 bits.
    Integer,
    /// The token is not an integer of 32 bits, signed or unsigned.
    Index,
    /// The integer is out of the range of its type.
    Range,
    /// The word (a number of the data type `p`) starts after the first 4 GiB of the file, so its
    /// offset does not fit in 32 bits.
    Far,
    /// The token has fewer bytes than the number of hexadecimal digits that its data type requires.
    Hex,
    /// The token has more bytes than the maximum token length.
    Long,
    /// The text contains markup that is not allowed between numbers, such as an element.
    Element,
    /// A comment, a CDATA section or a processing instruction has no end.
    Unclosed,
}

impl NumberFaultKind {
    /// Returns a description of the text that was expected, for an error message.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::End => "another number",
            Self::Float => "a floating point number",
            Self::Integer => "an integer",
            Self::Index => "an integer of 32 bits",
            Self::Range => "an integer that its type can hold",
            Self::Far => "a word within the first 4 GiB of the file",
            Self::Hex => "hexadecimal digits",
            Self::Long => "a shorter number",
            Self::Element => "numbers, comments, CDATA or instructions",
            Self::Unclosed => "the end of a comment, CDATA or instruction",
        }
    }

    /// Creates a [`NumberFault`] of this kind at an offset in the file.
    #[must_use]
    pub(super) const fn at(self, at: usize) -> NumberFault {
        NumberFault { at, what: self }
    }
}

/// Returns whether a byte separates numbers.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "without short-circuiting, many bytes are compared at a time")]
pub const fn is_separator(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\t') | (byte == b'\n') | (byte == b'\r') | (byte == b',')
}

/// Maximum length of a token, in bytes. This maximum applies in addition to the maximum token
/// length `longest` that is passed to `Tokens::new`.
pub(super) const MAX_TOKEN_LENGTH: usize = 256;

/// The bytes that end a CDATA section.
const CDATA_END: &[u8] = b"]]>";

/// The character data of an element: the bytes of the file, and the offset at which the content of
/// the element ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct CharacterData<'a> {
    /// The bytes of the whole file.
    pub(super) bytes: &'a [u8],
    /// Offset of the end of the content of the element.
    pub(super) close: usize,
}

/// A position in the character data of an element: a byte offset, and the end of the element
/// content or CDATA section that contains this offset.
///
/// If the stored end is before the end of the element content, the position is inside a CDATA
/// section. The three bytes `]]>` that close a CDATA section follow the stored end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextPosition {
    /// Offset of the position in the file, in bytes.
    pub(super) at: usize,
    /// Offset in the file of the end of the element content or, inside a CDATA section, of the end
    /// of the section's text, in bytes.
    pub(super) end: usize,
}

/// A token: the offset of its start, the position after the token, and a copy of its bytes, which
/// markup may split in the file.
#[derive(Debug)]
pub(super) struct TokenWord {
    pub(super) start: usize,
    pub(super) after: TextPosition,
    bytes: [u8; MAX_TOKEN_LENGTH],
    length: usize,
}

impl TokenWord {
    /// Returns the bytes of the token.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl CharacterData<'_> {
    /// Skips markup up to the next byte of character data, and returns this byte, or `None` at the
    /// end of the content.
    #[inline]
    pub(super) fn peek(&self, place: &mut TextPosition) -> Result<Option<u8>, NumberFault> {
        loop {
            let in_cdata = place.end < self.close;
            if place.at < place.end {
                match self.bytes.get(place.at) {
                    Some(b'<') if !in_cdata => self.cross(place)?,
                    byte => return Ok(byte.copied()),
                }
            } else if in_cdata {
                *place = TextPosition { at: place.end.saturating_add(CDATA_END.len()), end: self.close };
            } else {
                return Ok(None);
            }
        }
    }

    /// Skips separators and markup up to the next token, and returns the first byte of the token,
    /// or `None` at the end of the content.
    #[inline]
    pub(super) fn skip(&self, place: &mut TextPosition) -> Result<Option<u8>, NumberFault> {
        loop {
            match self.peek(place)? {
                Some(byte) if is_separator(byte) => place.at = place.at.saturating_add(1),
                found => return Ok(found),
            }
        }
    }

    /// Moves the position after a comment or a processing instruction, or to the first byte inside
    /// a CDATA section.
    #[cold]
    fn cross(&self, place: &mut TextPosition) -> Result<(), NumberFault> {
        let rest = self.bytes.get(place.at..self.close).unwrap_or_default();
        let markup: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (b"<![CDATA[", CDATA_END), (b"<?", b"?>")];
        let Some((open, end)) = markup.into_iter().find(|(open, _)| rest.starts_with(open)) else {
            return Err(NumberFaultKind::Element.at(place.at));
        };
        let text = rest.get(open.len()..).unwrap_or_default();
        let length = memmem::find(text, end).ok_or(NumberFaultKind::Unclosed.at(place.at))?;
        let start = place.at.saturating_add(open.len());
        let stop = start.saturating_add(length);
        *place = if end == CDATA_END {
            TextPosition { at: start, end: stop }
        } else {
            TextPosition { at: stop.saturating_add(end.len()), end: self.close }
        };
        Ok(())
    }

    /// Finds the next token, which must have at most `longest` bytes.
    pub(super) fn word(&self, mut place: TextPosition, longest: usize) -> Result<TokenWord, NumberFault> {
        if self.skip(&mut place)?.is_none() {
            return Err(NumberFaultKind::End.at(place.at));
        }
        let (start, mut bytes, mut length) = (place.at, [0; MAX_TOKEN_LENGTH], 0_usize);
        while let Some(byte) = self.peek(&mut place)?.filter(|byte| !is_separator(*byte)) {
            let free = bytes.get_mut(..longest).and_then(|bytes| bytes.get_mut(length));
            *free.ok_or(NumberFaultKind::Long.at(start))? = byte;
            length = length.saturating_add(1);
            place.at = place.at.saturating_add(1);
        }
        Ok(TokenWord { start, after: place, bytes, length })
    }
}

/// Number of text bytes in a chunk. A chunk is searched first for markup and then for tokens, and
/// fits in the L1 cache.
const CHUNK: usize = 8 << 10;

/// Number of text bytes whose token starts are counted in a counter of one byte. The counter cannot
/// overflow, because 128 bytes contain at most 64 token starts.
const ROUND: usize = 128;

/// Counts the tokens in the text of an element. `content` is the byte range of this text in the
/// file.
///
/// # Errors
///
/// Returns an error if the text contains markup that is not allowed between numbers.
pub fn count(bytes: &[u8], content: Range<usize>) -> Result<u64, NumberFault> {
    let close = content.end.min(bytes.len());
    let data = CharacterData { bytes, close };
    let mut place = TextPosition { at: content.start.min(close), end: close };
    let (mut tokens, mut before) = (0_u64, b' ');
    while data.peek(&mut place)?.is_some() {
        let chunk = bytes.get(place.at..place.end).unwrap_or_default();
        let chunk = chunk.get(..CHUNK).unwrap_or(chunk);
        // In a CDATA section, `<` is part of a token and does not start markup.
        let length = if place.end == close { memchr::memchr(b'<', chunk) } else { None };
        let text = chunk.get(..length.unwrap_or(chunk.len())).unwrap_or_default();
        let Some((first, last)) = text.first().zip(text.last()) else { break };
        let starts = u64::from(is_separator(before) && !is_separator(*first));
        tokens = tokens.saturating_add(starts).saturating_add(starts_after(text));
        before = *last;
        place.at = place.at.saturating_add(text.len());
    }
    Ok(tokens)
}

kernel! {
    /// Counts the tokens that start in `text` after its first byte: each byte of a token that
    /// directly follows a separator.
    fn starts_after(text: &[u8]) -> u64 {
        let Some(after) = text.get(1..) else { return 0 };
        let mut starts = 0_u64;
        for (before, after) in text.chunks(ROUND).zip(after.chunks(ROUND)) {
            let round = before.iter().zip(after).fold(0_u8, |round, (before, byte)| {
                round.wrapping_add(u8::from(is_separator(*before) & !is_separator(*byte)))
            });
            starts = starts.wrapping_add(round.into());
        }
        starts
    }
}

#[cfg(test)]
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "numbers made up for a test"
)]
mod tests {
    use super::*;
    use crate::formats::ezmesh::xml::numbers::NumberFaultKind;
    use crate::formats::ezmesh::xml::numbers::random;
    use crate::formats::ezmesh::xml::numbers::tokens::Tokens;

    #[test]
    fn counts_what_can_be_passed_over() {
        let parts: [&[u8]; 14] = [
            b" ",
            b",",
            b"\r\n",
            b"\t",
            b"1",
            b"0.5",
            b"-12.345678",
            b"x",
            b"<!-- 1 2 -->",
            b"<!---->",
            b"<![CDATA[",
            b"]]>",
            b"<?a b?>",
            b"                    ",
        ];
        let mut random = random(7);
        for round in 0..3000_usize {
            let (mut text, mut inside) = (Vec::new(), false);
            for _ in 0..random(if round % 50 == 0 { 6000 } else { 60 }) {
                let part = parts[random(14) as usize];
                let markup = part.len() > 2 && matches!(part[0], b'<' | b']');
                if markup && inside != (part == b"]]>") {
                    continue;
                }
                if part.starts_with(b"<![") || part == b"]]>" {
                    inside = !inside;
                }
                text.extend_from_slice(part);
            }
            if inside {
                text.extend_from_slice(b"]]>");
            }
            let end = text.len();
            text.resize(end + round % 300, b' ');
            let mut tokens = Tokens::new(&text, 0..end, 256);
            let mut passed = 0;
            while !tokens.is_done().unwrap() {
                match tokens.word() {
                    Ok(_) => passed += 1,
                    Err(fault) if fault.what == NumberFaultKind::Long => break,
                    Err(fault) => panic!("{fault:?}"),
                }
            }
            if tokens.is_done().unwrap() {
                assert_eq!(count(&text, 0..end), Ok(passed));
            }
        }
    }

    #[test]
    fn counts_across_its_chunks() {
        for length in [0, 1, 2, 127, 128, 129, 255, 256, 257, 8191, 8192, 8193, 8194, 20_000] {
            let text: Vec<u8> = (0..length).map(|at| if at % 3 == 1 { b' ' } else { b'7' }).collect();
            let expected = text.split(|byte| *byte == b' ').filter(|token| !token.is_empty()).count();
            assert_eq!(count(&text, 0..length), Ok(u64::try_from(expected).unwrap()));
            assert_eq!(count(&vec![b'7'; length], 0..length), Ok(u64::from(length > 0)));
        }
    }

    #[test]
    fn says_where_markup_is_bad() {
        let fault = |text: &[u8]| count(text, 0..text.len()).unwrap_err();
        assert_eq!(fault(b"1 2 <a> 3"), NumberFaultKind::Element.at(4));
        assert_eq!(fault(b"1 2 <!-- 3"), NumberFaultKind::Unclosed.at(4));
        assert_eq!(fault(b"<![CDATA[ 3 ]]"), NumberFaultKind::Unclosed.at(0));
    }
}
