//! Finds the start and the end of the next tokens in a text of numbers, many tokens at a time.
//!
//! The text is searched in slices of 256 bytes (`stretch`). Each byte of the text becomes one bit
//! of a mask, which is set if the byte is a separator. A token starts or ends at each bit of the
//! mask that differs from the previous bit. The offsets of all token starts and token ends are
//! stored before any number is parsed. Hence no branch depends on the length of a number, and the
//! processor can start to parse a number before it has finished the previous number.

use super::character_data::is_separator;
use super::notation::{self, WIDTH, Window};
use crate::simd::kernel;

/// Number of bytes in a stretch, the slice of text that is searched for separators at once. An
/// offset within a slice of 256 bytes fits in a byte.
const STRETCH: usize = 256;

/// The slice of text in which tokens were found, with the sixteen bytes before it.
type Stretch = [u8; STRETCH + WIDTH];

/// Number of token offsets that are written in one step. The last step may write meaningless
/// offsets to the array after the last token offset.
const STEP: usize = 8;

/// Capacity of the arrays of token offsets. A token and its separator take at least two bytes, and
/// up to eight meaningless offsets may be written after the last token offset.
const PLACES: usize = STRETCH / 2 + STEP;

/// A list of the tokens in 256 bytes of the file. The tokens are removed from the list in file
/// order, after they have been read.
#[derive(Clone, Debug)]
pub(super) struct TokenSpans {
    /// Offset in the file of the 256 bytes that contain the tokens. The token offsets in `starts`
    /// and `ends` are relative to `base`.
    base: usize,
    next: usize,
    count: usize,
    starts: [u8; PLACES],
    ends: [u8; PLACES],
}

/// The start and the end of a token in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenSpan {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl TokenSpan {
    /// Returns the length of the token, in bytes.
    #[inline]
    pub(super) const fn length(&self) -> usize {
        self.end.wrapping_sub(self.start)
    }
}

impl TokenSpans {
    /// Creates an empty list of found tokens.
    pub(super) const fn new() -> Self {
        Self { base: 0, next: 0, count: 0, starts: [0; PLACES], ends: [0; PLACES] }
    }

    /// Returns the next found token without removing it from the list, or `None` if the list is
    /// empty.
    #[inline]
    pub(super) fn peek(&self) -> Option<TokenSpan> {
        if self.next >= self.count {
            return None;
        }
        let [start, end] = [self.starts.get(self.next)?, self.ends.get(self.next)?];
        let start = self.base.wrapping_add(usize::from(*start));
        let end = self.base.wrapping_add(usize::from(*end));
        Some(TokenSpan { start, end })
    }

    /// Removes the next token from the list of found tokens.
    #[inline]
    pub(super) fn take(&mut self) {
        self.next = self.next.wrapping_add(1);
    }

    /// Parses found tokens as floats into `out`, and returns the number of parsed floats.
    ///
    /// Parsing stops at the first token that is not in the usual decimal notation, such as `-12.5`,
    /// or that ends after the offset `limit`.
    pub(super) fn floats(&mut self, bytes: &[u8], limit: usize, out: &mut [f32]) -> usize {
        self.many(bytes, limit, |spans, stretch, limit| floats(spans, stretch, limit, out))
    }

    /// Parses found tokens as integers of 32 bits into `out`, and returns the number of parsed
    /// integers. Parsing stops at the first token that is not an unsigned integer of at most eight
    /// digits, or that ends after the offset `limit`.
    pub(super) fn indices(&mut self, bytes: &[u8], limit: usize, out: &mut [u32]) -> usize {
        self.many(bytes, limit, |spans, stretch, limit| indices(spans, stretch, limit, out))
    }

    /// Calls `parse` with the 256 bytes in which the tokens were found, and the sixteen bytes
    /// before them in the file: the window of the first token, the sixteen bytes that end with this
    /// token, may start before the 256 bytes. Removes as many tokens as `parse` returns.
    fn many(&mut self, bytes: &[u8], limit: usize, parse: impl FnOnce(&Self, &Stretch, usize) -> usize) -> usize {
        let stretch = self.base.checked_sub(WIDTH).and_then(|start| bytes.get(start..)?.first_chunk());
        let read = stretch.map_or(0, |stretch| parse(self, stretch, limit.saturating_sub(self.base)));
        self.next = self.next.wrapping_add(read);
        read
    }

    /// Returns the offset in the file at which the last removed token ends.
    #[inline]
    pub(super) fn last_end(&self) -> usize {
        let end = self.next.checked_sub(1).and_then(|last| self.ends.get(last));
        self.base.wrapping_add(end.copied().map_or(0, usize::from))
    }

    /// Removes the tokens before a given offset in the file from the list of found tokens, or all
    /// tokens if the offset is inside a token.
    #[inline]
    pub(super) fn forget(&mut self, at: usize) {
        while let Some(span) = self.peek().filter(|span| span.start < at) {
            self.next = if at < span.end { self.count } else { self.next.wrapping_add(1) };
        }
    }

    /// Searches for tokens in the 256 bytes from a given offset in the file on. A token is found
    /// only if a separator follows the token within the 256 bytes; a token that ends at the end of
    /// the file is not found.
    #[cold]
    #[inline(never)]
    pub(super) fn look(&mut self, bytes: &[u8], at: usize) {
        self.base = at;
        self.next = 0;
        let rest = bytes.get(at..).unwrap_or_default();
        if let Some(stretch) = rest.first_chunk() {
            find(self, stretch);
        } else {
            let mut stretch = [0; STRETCH];
            stretch.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            find(self, &stretch);
        }
    }
}

kernel! {
    /// Finds the tokens in a slice of 256 bytes, and stores their positions in `spans`.
    fn find(spans: &mut TokenSpans, stretch: &[u8; STRETCH]) {
        avx2 => find_by(spans, stretch, |block| super::avx2::separators(block)),
        _ => find_by(spans, stretch, separators),
    }
}

kernel! {
    /// Parses found tokens as floats, up to the first token that is not in the usual decimal
    /// notation, such as `-12.5`.
    fn floats(spans: &TokenSpans, stretch: &Stretch, limit: usize, out: &mut [f32]) -> usize {
        avx2 => parse_each(spans, stretch, limit, out, |window, length, negative| {
            Some(notation::signed(super::avx2::fixed(window, length)?, negative))
        }),
        _ => parse_each(spans, stretch, limit, out, |window, length, negative| {
            Some(notation::signed(notation::fixed(window, length)?, negative))
        }),
    }
}

kernel! {
    /// Parses found tokens as integers, up to the first token that is not an unsigned integer of at
    /// most eight digits.
    fn indices(spans: &TokenSpans, stretch: &Stretch, limit: usize, out: &mut [u32]) -> usize {
        avx2 => parse_each(spans, stretch, limit, out, short),
        _ => parse_each(spans, stretch, limit, out, short),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn short(window: &Window, length: usize, negative: bool) -> Option<u32> {
    notation::short(window, length).filter(|_| !negative)
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn find_by(spans: &mut TokenSpans, stretch: &[u8; STRETCH], separators: impl Fn(&[u8; 64]) -> u64) {
    let (blocks, _) = stretch.as_chunks();
    let (mut starts, mut ends, mut base) = (0, 0, 0_u8);
    let mut carry = 1;
    for block in blocks {
        let separators = separators(block);
        let before = separators << 1 | carry;
        carry = separators >> 63;
        starts = write(&mut spans.starts, starts, base, !separators & before);
        ends = write(&mut spans.ends, ends, base, separators & !before);
        base = base.wrapping_add(64);
    }
    spans.count = ends;
}

/// Parses found tokens into `out` until `parse` returns `None`. The arguments of `parse` are the
/// window of a token, the length of the token without a minus sign, and whether it has this sign.
///
/// `parse` has to be made in the function with the target features, to be compiled with them.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn parse_each<T>(
    spans: &TokenSpans,
    stretch: &Stretch,
    limit: usize,
    out: &mut [T],
    parse: impl Fn(&Window, usize, bool) -> Option<T>,
) -> usize {
    let known = spans.next..spans.count;
    let starts = spans.starts.get(known.clone()).unwrap_or_default();
    let ends = spans.ends.get(known).unwrap_or_default();
    let mut read = 0_usize;
    for ((value, start), end) in out.iter_mut().zip(starts).zip(ends) {
        let [start, end] = [usize::from(*start), usize::from(*end)];
        let Some(window) = stretch.get(end..).and_then(<[u8]>::first_chunk) else { break };
        let negative = stretch.get(start.wrapping_add(WIDTH)) == Some(&b'-');
        let parsed = parse(window, end.wrapping_sub(start).wrapping_sub(usize::from(negative)), negative);
        let Some(parsed) = parsed.filter(|_| end <= limit) else { break };
        *value = parsed;
        read = read.wrapping_add(1);
    }
    read
}

/// Writes the position of each set bit, plus `base`, to the array `places` from the index `from`
/// on. Returns the index in `places` after the position of the last set bit.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the number of a bit is at most 64")]
fn write(places: &mut [u8; PLACES], from: usize, base: u8, mut bits: u64) -> usize {
    let count = bits.count_ones() as usize;
    let places = places.get_mut(from..).unwrap_or_default();
    for places in places.as_chunks_mut::<STEP>().0.iter_mut().take(count.div_ceil(STEP).max(1)) {
        for place in places {
            *place = base.wrapping_add(bits.trailing_zeros() as u8);
            bits &= bits.wrapping_sub(1);
        }
    }
    from.wrapping_add(count)
}

/// Returns a bit mask of the separators in 64 bytes: bit `i` is set if byte `i` is a separator.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn separators(block: &[u8; 64]) -> u64 {
    /// A factor for a multiplication that collects the lowest bit of each byte in the highest byte
    /// of the product, in order.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let flags = block.map(|byte| u8::from(is_separator(byte)));
    let (eights, _) = flags.as_chunks::<8>();
    let bytes = std::array::from_fn(|byte| {
        let flags = eights.get(byte).copied().unwrap_or_default();
        let [highest, ..] = u64::from_le_bytes(flags).wrapping_mul(GATHER).to_be_bytes();
        highest
    });
    u64::from_le_bytes(bytes)
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
    use crate::formats::ezmesh::xml::numbers::random;

    #[test]
    fn finds_tokens_as_a_plain_loop_does() {
        let mut random = random(5);
        let mut spans = TokenSpans::new();
        for round in 0..5000_u64 {
            let length = usize::try_from(random(600)).unwrap();
            let token = |often: bool, kind: u64| if often { b"\t\n\r ,"[usize::try_from(kind).unwrap()] } else { b'1' };
            let text: Vec<u8> = (0..length).map(|_| token(random(1 + round % 30) == 0, random(5))).collect();
            let at = length / 5;
            spans.look(&text, at);
            let (mut expected, mut start) = (Vec::new(), at);
            for (end, byte) in text.iter().enumerate().take(at + STRETCH).skip(at) {
                if is_separator(*byte) {
                    if start < end {
                        expected.push((start, end));
                    }
                    start = end + 1;
                }
            }
            for (start, end) in expected {
                assert_eq!(spans.peek().map(|span| (span.start, span.end)), Some((start, end)));
                spans.take();
                assert_eq!(spans.last_end(), end);
            }
            assert!(spans.peek().is_none());
        }
    }

    #[test]
    fn gathers_separators_in_order() {
        let mut random = random(6);
        for _ in 0..1000 {
            let block: [u8; 64] = std::array::from_fn(|_| b"\t\n\r ,.-09<\x0b\x0c\0\x80\xff\x8c"[random(16) as usize]);
            let expected = (0..64).fold(0, |mask, k| mask | u64::from(b"\t\n\r ,".contains(&block[k])) << k);
            assert_eq!(separators(&block), expected);
        }
        for byte in 0..=255 {
            assert_eq!(is_separator(byte), b"\t\n\r ,".contains(&byte));
        }
    }

    #[test]
    fn forgets_what_was_passed_over() {
        let mut text = b" 12 345 6789 ".to_vec();
        text.resize(400, b' ');
        let mut spans = TokenSpans::new();
        spans.look(&text, 0);
        spans.forget(4);
        assert_eq!(spans.peek().map(|span| (span.start, span.end)), Some((4, 7)));
        spans.forget(7);
        assert_eq!(spans.peek().map(|span| (span.start, span.end)), Some((8, 12)));
        spans.forget(9);
        assert!(spans.peek().is_none());
    }
}
