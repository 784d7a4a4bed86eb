//! Where the next tokens start and end, found many at a time.
//!
//! Each byte of a stretch becomes one bit: whether it is a separator. Starts and ends of tokens are then the bits that
//! differ from the one before, and are written down before any number is read: how long a number is decides no branch,
//! and no number waits for the one before.

use super::character_data::is_separator;
use super::digits::{self, WIDTH, Window};
use crate::simd::kernel;

/// Bytes looked at together, so that offsets among them fit in a byte.
const STRETCH: usize = 256;

/// Offsets written at a time, some of them too many.
const STEP: usize = 8;

/// Places for offsets: a token and its separator are two bytes, and the last step may write too many.
const PLACES: usize = STRETCH / 2 + STEP;

/// Tokens of a stretch of bytes that were found and not yet taken.
#[derive(Clone, Debug)]
pub(super) struct TokenSpans {
    /// The offset in the file that the others start from.
    base: usize,
    next: usize,
    count: usize,
    starts: [u8; PLACES],
    ends: [u8; PLACES],
}

/// Where a token is in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenSpan {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl TokenSpan {
    /// Returns the number of bytes.
    #[inline]
    pub(super) const fn length(&self) -> usize {
        self.end.wrapping_sub(self.start)
    }
}

impl TokenSpans {
    /// Knows of no token.
    pub(super) const fn new() -> Self {
        Self { base: 0, next: 0, count: 0, starts: [0; PLACES], ends: [0; PLACES] }
    }

    /// Returns the next token, if it is known.
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

    /// Takes the next token.
    #[inline]
    pub(super) fn take(&mut self) {
        self.next = self.next.wrapping_add(1);
    }

    /// Reads floats into `out`, as many of the known tokens as are spelled in the usual way and end at `limit` at most;
    /// returns how many.
    pub(super) fn floats(&mut self, bytes: &[u8], limit: usize, out: &mut [f32]) -> usize {
        let Some(stretch) = self.stretch(bytes) else { return 0 };
        let limit = limit.saturating_sub(self.base);
        let read = floats(self, stretch, limit, out);
        self.next = self.next.wrapping_add(read);
        read
    }

    /// Reads integers of 32 bits into `out`, as [`floats`](Self::floats) does floats.
    pub(super) fn indices(&mut self, bytes: &[u8], limit: usize, out: &mut [u32]) -> usize {
        let Some(stretch) = self.stretch(bytes) else { return 0 };
        let limit = limit.saturating_sub(self.base);
        let read = indices(self, stretch, limit, out);
        self.next = self.next.wrapping_add(read);
        read
    }

    /// Borrows the bytes that the tokens are in, and those before it that a window may hold.
    #[inline]
    fn stretch<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8; STRETCH + WIDTH]> {
        bytes.get(self.base.checked_sub(WIDTH)?..)?.first_chunk()
    }

    /// Returns where the token before the next one ends.
    #[inline]
    pub(super) fn last_end(&self) -> usize {
        let end = self.next.checked_sub(1).and_then(|last| self.ends.get(last));
        self.base.wrapping_add(end.copied().map_or(0, usize::from))
    }

    /// Forgets what lies before an offset of the file.
    #[inline]
    pub(super) fn forget(&mut self, at: usize) {
        while let Some(span) = self.peek().filter(|span| span.start < at) {
            if at < span.end {
                // Of a token that was taken in part, the rest remains.
                if let (Some(start), Ok(at)) =
                    (self.starts.get_mut(self.next), u8::try_from(at.wrapping_sub(self.base)))
                {
                    *start = at;
                }
                return;
            }
            self.take();
        }
    }

    /// Looks for tokens from an offset of the file on; the end of the file ends none.
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
    /// Finds the tokens of a stretch.
    fn find(spans: &mut TokenSpans, stretch: &[u8; STRETCH]) {
        avx2 => find_by(spans, stretch, |block| super::avx2::separators(block)),
        _ => find_by(spans, stretch, separators),
    }
}

kernel! {
    /// Reads tokens as floats, up to the first one that takes more than that.
    fn floats(spans: &TokenSpans, stretch: &[u8; STRETCH + WIDTH], limit: usize, out: &mut [f32]) -> usize {
        avx2 => floats_by(spans, stretch, limit, out, |window, length| super::avx2::fixed(window, length)),
        _ => floats_by(spans, stretch, limit, out, digits::fixed),
    }
}

kernel! {
    /// Reads tokens as integers, up to the first one that takes more than that.
    fn indices(spans: &TokenSpans, stretch: &[u8; STRETCH + WIDTH], limit: usize, out: &mut [u32]) -> usize {
        avx2 => indices_each(spans, stretch, limit, out),
        _ => indices_each(spans, stretch, limit, out),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
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

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
fn floats_by(
    spans: &TokenSpans,
    stretch: &[u8; STRETCH + WIDTH],
    limit: usize,
    out: &mut [f32],
    fixed: impl Fn(&Window, usize) -> Option<f32>,
) -> usize {
    let known = spans.next..spans.count;
    let starts = spans.starts.get(known.clone()).unwrap_or_default();
    let ends = spans.ends.get(known).unwrap_or_default();
    let mut read = 0_usize;
    for ((value, start), end) in out.iter_mut().zip(starts).zip(ends) {
        let [start, end] = [usize::from(*start), usize::from(*end)];
        let Some(window) = stretch.get(end..).and_then(<[u8]>::first_chunk) else { break };
        let negative = stretch.get(start.wrapping_add(WIDTH)) == Some(&b'-');
        let length = end.wrapping_sub(start).wrapping_sub(usize::from(negative));
        let Some(magnitude) = fixed(window, length).filter(|_| end <= limit) else { break };
        *value = digits::signed(magnitude, negative);
        read = read.wrapping_add(1);
    }
    read
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
fn indices_each(spans: &TokenSpans, stretch: &[u8; STRETCH + WIDTH], limit: usize, out: &mut [u32]) -> usize {
    let known = spans.next..spans.count;
    let starts = spans.starts.get(known.clone()).unwrap_or_default();
    let ends = spans.ends.get(known).unwrap_or_default();
    let mut read = 0_usize;
    for ((value, start), end) in out.iter_mut().zip(starts).zip(ends) {
        let [start, end] = [usize::from(*start), usize::from(*end)];
        let Some(window) = stretch.get(end..).and_then(<[u8]>::first_chunk) else { break };
        let number = digits::short(window, end.wrapping_sub(start));
        let Some(number) = number.filter(|_| end <= limit) else { break };
        *value = number;
        read = read.wrapping_add(1);
    }
    read
}

/// Writes the numbers of the bits that are set, each added to `base`, and returns where to write more.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
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

/// Returns a bit for each byte, the first one lowest: whether it is a separator.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
fn separators(block: &[u8; 64]) -> u64 {
    /// Moves the lowest bit of each byte into the highest byte, in order.
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
        spans.forget(5);
        assert_eq!(spans.peek().map(|span| (span.start, span.end)), Some((5, 7)));
        spans.forget(7);
        assert_eq!(spans.peek().map(|span| (span.start, span.end)), Some((8, 12)));
        spans.forget(400);
        assert!(spans.peek().is_none());
    }
}
