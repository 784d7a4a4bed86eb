//! Places in character data that markup may interrupt, one byte at a time.
//!
//! The numbers of an element are its character data: what remains when comments and instructions are taken out and the
//! borders of CDATA sections, joined as if nothing had stood between. A number may be split by any of them.

use memchr::memmem;

use super::fault::{NumberFault, NumberFaultKind};

/// Tells whether a byte separates numbers.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "without short cuts, many bytes are compared at a time")]
pub const fn is_separator(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\t') | (byte == b'\n') | (byte == b'\r') | (byte == b',')
}

/// Bytes of the longest token that can be read, whatever limit is set.
pub(super) const MAX_TOKEN_LENGTH: usize = 256;

/// The end of a CDATA section.
const CDATA_END: &[u8] = b"]]>";

/// The data of an element: the whole file, and where its content ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct CharacterData<'a> {
    /// The whole file.
    pub(super) bytes: &'a [u8],
    /// The offset where the element's content ends.
    pub(super) close: usize,
}

/// A place in the data: an offset, and where the piece of text that it is in ends.
///
/// A piece that ends before the data does is a CDATA section, and its end is followed by the three bytes that close it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The offset.
    pub at: usize,
    /// Where the piece of text ends.
    pub end: usize,
}

/// A token: where it starts and what comes after it, and its bytes.
#[derive(Debug)]
pub(super) struct TokenWord<'a> {
    pub(super) start: usize,
    pub(super) after: TextPosition,
    pub(super) text: TokenText<'a>,
}

/// The bytes of a token.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "lives on the stack, for the time of reading one token")]
pub(super) enum TokenText<'a> {
    /// Bytes of the file.
    Plain(&'a [u8]),
    /// Bytes from both sides of markup, and how many.
    Joined([u8; MAX_TOKEN_LENGTH], usize),
}

impl TokenText<'_> {
    /// Borrows the bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) => bytes,
            Self::Joined(bytes, length) => bytes.get(..*length).unwrap_or_default(),
        }
    }
}

impl<'a> CharacterData<'a> {
    /// Passes over markup up to the next byte of text and returns it; `None` at the end.
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

    /// Passes over separators and markup up to the first byte of the next token and returns it; `None` at the end.
    #[inline]
    pub(super) fn skip(&self, place: &mut TextPosition) -> Result<Option<u8>, NumberFault> {
        loop {
            match self.peek(place)? {
                Some(byte) if is_separator(byte) => place.at = place.at.saturating_add(1),
                found => return Ok(found),
            }
        }
    }

    /// Passes over a comment or an instruction, or enters a CDATA section.
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

    /// Finds the next token, of at most `longest` bytes.
    pub(super) fn word(&self, mut place: TextPosition, longest: usize) -> Result<TokenWord<'a>, NumberFault> {
        if self.skip(&mut place)?.is_none() {
            return Err(NumberFaultKind::End.at(place.at));
        }
        let start = place.at;
        let piece = self.bytes.get(start..place.end).unwrap_or_default();
        let near = piece.get(..=longest).unwrap_or(piece);
        let ends = |byte: &u8| is_separator(*byte) || (*byte == b'<' && place.end == self.close);
        let length = near.iter().position(ends).unwrap_or(near.len());
        if length > longest {
            return Err(NumberFaultKind::Long.at(start));
        }
        let (text, rest) = piece.split_at_checked(length).unwrap_or((piece, &[]));
        let whole = match rest.first() {
            Some(byte) => is_separator(*byte),
            None => place.end == self.close,
        };
        if whole {
            place.at = start.saturating_add(length);
            return Ok(TokenWord { start, after: place, text: TokenText::Plain(text) });
        }
        self.join(place, longest)
    }

    /// Collects the token that starts here and that markup touches.
    #[cold]
    fn join(&self, mut place: TextPosition, longest: usize) -> Result<TokenWord<'a>, NumberFault> {
        let start = place.at;
        let (mut joined, mut length) = ([0; MAX_TOKEN_LENGTH], 0_usize);
        while let Some(byte) = self.peek(&mut place)?.filter(|byte| !is_separator(*byte)) {
            let free = joined.get_mut(..longest).and_then(|joined| joined.get_mut(length));
            *free.ok_or(NumberFaultKind::Long.at(start))? = byte;
            length = length.saturating_add(1);
            place.at = place.at.saturating_add(1);
        }
        Ok(TokenWord { start, after: place, text: TokenText::Joined(joined, length) })
    }
}
