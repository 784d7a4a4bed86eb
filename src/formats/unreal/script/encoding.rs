//! Scripts in UTF-16, which are converted to UTF-8, and the offsets of converted text in the file.

use crate::error::Result;
use crate::formats::unreal::layout::SCRIPT;
use crate::math::as_u64;
use crate::parse::room;

/// The text of a script in UTF-16.
#[derive(Clone, Debug)]
pub(super) struct WideText {
    /// The text in UTF-8, without the byte order mark. U+FFFD replaces an unpaired surrogate.
    pub(super) text: Box<[u8]>,
    /// The offset of the first character in the file: the size of the byte order mark.
    pub(super) start: u64,
    /// The offset of each command in the file.
    pub(super) commands: Box<[u64]>,
}

impl WideText {
    /// Converts the text of a script. Returns `None` if the script is not in UTF-16.
    ///
    /// A script is in UTF-16 if it starts with a byte order mark, or if many of its first bytes are
    /// NUL, nearly all of them at odd places, or nearly all at even ones. A text in another
    /// encoding has no NUL.
    pub(super) fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        let Some((start, to_unit)) = encoding(bytes) else { return Ok(None) };
        let (pairs, _) = bytes.get(start..).unwrap_or_default().as_chunks::<2>();
        let letters = || {
            let units = pairs.iter().map(|pair| to_unit(*pair));
            char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        };
        let mut text: Vec<u8> = room(SCRIPT, "text", letters().map(char::len_utf8).fold(0, usize::saturating_add))?;
        for letter in letters() {
            // The bytes of a mapped file may change between the two passes.
            if text.capacity().saturating_sub(text.len()) < letter.len_utf8() {
                break;
            }
            text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(Some(Self { text: text.into(), start: as_u64(start), commands: Box::default() }))
    }
}

/// Reads a code unit of UTF-16.
type ReadUnit = fn([u8; 2]) -> u16;

/// Returns the size of the byte order mark, and the function that reads a code unit. Returns `None`
/// if the text is not in UTF-16.
fn encoding(bytes: &[u8]) -> Option<(usize, ReadUnit)> {
    let start = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
    let zeros = |odd: usize| start.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    // A line in Cyrillic letters has the NULs of its blanks and signs.
    let [even, odd] = [zeros(0), zeros(1)];
    let is_often = start.len() >= 8 && even.saturating_add(odd).saturating_mul(16) >= start.len();
    match bytes {
        [0xff, 0xfe, ..] => Some((2, u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Some((2, u16::from_be_bytes)),
        // A letter such as U+0100 has its NUL at the other place.
        _ if is_often && even.saturating_mul(8) < odd => Some((0, u16::from_le_bytes)),
        _ if is_often && odd.saturating_mul(8) < even => Some((0, u16::from_be_bytes)),
        _ => None,
    }
}

/// Converts ascending offsets in a text to offsets in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileOffset {
    /// The offset in the text that was converted last, and its offset in the file.
    text: usize,
    file: u64,
    is_wide: bool,
}

impl FileOffset {
    /// Makes a converter for a text that starts at offset `file`. `is_wide` is whether the text was
    /// converted from UTF-16.
    pub(super) const fn new(file: u64, is_wide: bool) -> Self {
        Self { text: 0, file, is_wide }
    }

    pub(super) const fn is_wide(self) -> bool {
        self.is_wide
    }

    /// Returns the offset in the file of the byte `at` of `text`. The text is read from the last
    /// offset on.
    pub(super) fn of(&mut self, text: &[u8], at: usize) -> u64 {
        let passed = text.get(self.text..at).unwrap_or_default();
        let length = if self.is_wide { wide_length(passed) } else { as_u64(passed.len()) };
        self.file = self.file.saturating_add(length);
        self.text = self.text.saturating_add(passed.len());
        self.file
    }
}

/// Returns the number of bytes that UTF-8 text has in UTF-16. Each character but the continuation
/// bytes is a code unit, and a character of four bytes is two.
fn wide_length(text: &[u8]) -> u64 {
    let units = |byte: &u8| match byte {
        0x80..=0xbf => 0,
        0xf0.. => 4,
        _ => 2,
    };
    text.iter().map(units).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Option<(String, u64)> {
        let found = WideText::decode(bytes).unwrap()?;
        Some((String::from_utf8(found.text.to_vec()).unwrap(), found.start))
    }

    #[test]
    fn recognises_utf_16() {
        let text = "#exec \u{41a}\u{20ac}\u{1f600}";
        let [little, big] = [u16::to_le_bytes, u16::to_be_bytes]
            .map(|to_bytes| text.encode_utf16().flat_map(to_bytes).collect::<Vec<u8>>());
        assert_eq!(decoded(&[&[0xff, 0xfe], &little[..]].concat()), Some((text.to_owned(), 2)));
        assert_eq!(decoded(&[&[0xfe, 0xff], &big[..]].concat()), Some((text.to_owned(), 2)));
        assert_eq!(decoded(&little[..12]), Some(("#exec ".to_owned(), 0)));
        assert_eq!(decoded(&little[..13]), Some(("#exec ".to_owned(), 0)), "an odd byte at the end");
        assert_eq!(decoded(&big[..12]), Some(("#exec ".to_owned(), 0)));
        let comment = "// \u{41a}\u{430}\u{442} \u{2013} \u{201c}\u{42f}\u{201d}\n#exec";
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let wide: Vec<u8> = comment.encode_utf16().flat_map(to_bytes).collect();
            assert_eq!(decoded(&wide), Some((comment.to_owned(), 0)), "without a byte order mark");
        }
        let stray = [comment.as_bytes(), b"\0", &[b' '; 40]].concat();
        assert_eq!(decoded(&stray), None, "a text in UTF-8 with a NUL");
        assert_eq!(decoded(b"\xff\xfe\x00\xd8#\x00"), Some(("\u{fffd}#".to_owned(), 2)));
        for other in [&b""[..], b"#\0", b"#exec MESH", "#exec \u{41a}\u{20ac}".as_bytes(), &[0; 64]] {
            assert_eq!(decoded(other), None, "{other:?}");
        }
    }

    #[test]
    fn finds_offsets_in_the_file() {
        let text = "a\u{41a}\u{20ac}\u{1f600}b".as_bytes();
        let mut offset = FileOffset::new(2, true);
        assert_eq!([0, 1, 3, 6, 10, 11, 99].map(|at| offset.of(text, at)), [2, 4, 6, 8, 12, 14, 14]);
        let mut offset = FileOffset::new(7, false);
        assert_eq!([3, 11].map(|at| offset.of(text, at)), [10, 18]);
    }
}
