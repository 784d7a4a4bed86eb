//! Counts the tokens in a text of numbers, without parsing the tokens.

use std::ops::Range;

use super::character_data::{CharacterData, NumberFault, TextPosition, is_separator};
use crate::simd::kernel;

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
