//! Inflates an LZ4 block from its first byte to its last byte, without keeping the inflated bytes.
//!
//! A match in an LZ4 block repeats bytes that are at most 65,535 bytes back. A reader that needs
//! only a few of the inflated bytes therefore needs memory for the last 64 KiB, and not for the
//! whole inflated block.

use crate::decode::compact;
use crate::error::Cause;
use crate::math::as_u64;

/// The number of inflated bytes that matches may refer to.
const HISTORY: usize = 64 << 10;
/// The maximum number of bytes in the window: the history, and the bytes that are inflated at once.
const WINDOW: usize = 2 * HISTORY;
/// The length of the shortest match, in bytes.
const MIN_MATCH: usize = 4;

/// Reads the inflated bytes of an LZ4 block in order.
///
/// The methods return `None` if the block is damaged or if no inflated byte is left. They do not
/// describe the damage.
#[derive(Debug)]
pub(super) struct InflateStream<'a> {
    /// The stored bytes after the current sequence.
    stored: &'a [u8],
    /// The part of the current sequence that is not inflated yet.
    sequence: LzSequence<'a>,
    /// Whether the current sequence is the last one, which has no match.
    is_last: bool,
    /// The number of inflated bytes in all sequences after the current one.
    later: usize,
    /// The last inflated bytes.
    window: Vec<u8>,
    /// The index of the first byte in `window` that was not read yet.
    next: usize,
}

/// A part of an LZ4 block: bytes that are copied to the output, followed by a match.
#[derive(Debug, Default)]
struct LzSequence<'a> {
    literals: &'a [u8],
    /// The distance from the end of the output to the bytes that the match repeats, in bytes.
    distance: usize,
    /// The number of bytes that the match adds to the output.
    repeats: usize,
}

impl<'a> InflateStream<'a> {
    /// Creates a reader of the LZ4 block `stored`, which inflates to `size` bytes. The size must be
    /// checked with [`check_size`](super::inflate::check_size).
    pub(super) fn new(stored: &'a [u8], size: usize) -> Result<Self, Cause> {
        let (mut window, capacity) = (Vec::new(), size.min(WINDOW));
        window.try_reserve_exact(capacity).map_err(|_| Cause::OutOfMemory { asked: as_u64(capacity) })?;
        Ok(Self { stored, sequence: LzSequence::default(), is_last: false, later: size, window, next: 0 })
    }

    /// Returns the number of inflated bytes that were not read yet.
    pub(super) fn left(&self) -> u64 {
        as_u64(self.window.len().saturating_sub(self.next).saturating_add(self.pending()))
    }

    /// Returns the number of bytes of the block that are not inflated yet.
    const fn pending(&self) -> usize {
        let LzSequence { literals, repeats, .. } = &self.sequence;
        literals.len().saturating_add(*repeats).saturating_add(self.later)
    }

    /// Reads one inflated byte.
    pub(super) fn byte(&mut self) -> Option<u8> {
        if self.next == self.window.len() {
            self.fill()?;
        }
        let byte = *self.window.get(self.next)?;
        self.next = self.next.saturating_add(1);
        Some(byte)
    }

    /// Reads a variable-length integer (compact int).
    pub(super) fn compact(&mut self) -> Option<i32> {
        let mut bytes = [0; compact::MAX_BYTES];
        for (length, place) in (1..).zip(&mut bytes) {
            *place = self.byte()?;
            if *place & 0x80 == 0 {
                let (value, _) = compact::decode(bytes.get(..length)?).ok()?;
                return Some(value);
            }
        }
        None
    }

    /// Skips inflated bytes.
    pub(super) fn skip(&mut self, count: u64) -> Option<()> {
        let mut count = usize::try_from(count).ok()?;
        while count > 0 {
            if self.next == self.window.len() {
                self.fill()?;
            }
            let now = count.min(self.window.len().saturating_sub(self.next));
            self.next = self.next.saturating_add(now);
            count = count.saturating_sub(now);
        }
        Some(())
    }

    /// Inflates the rest of the block. Returns `None` if the block is damaged or does not inflate
    /// to its declared size.
    pub(super) fn finish(mut self) -> Option<()> {
        self.skip(self.left())?;
        while !self.is_last {
            self.read_sequence()?;
        }
        (self.left() == 0).then_some(())
    }

    /// Replaces the bytes that were read by the next inflated bytes, except for the history.
    fn fill(&mut self) -> Option<()> {
        self.window.drain(..self.window.len().saturating_sub(HISTORY));
        self.next = self.window.len();
        while self.window.len() < WINDOW && self.pending() > 0 {
            self.inflate(WINDOW.saturating_sub(self.window.len()))?;
        }
        (self.next < self.window.len()).then_some(())
    }

    /// Inflates at most `room` bytes of the current sequence, or reads the next sequence if nothing
    /// is left of the current one.
    fn inflate(&mut self, room: usize) -> Option<()> {
        let LzSequence { literals, distance, repeats } = &mut self.sequence;
        if !literals.is_empty() {
            let (now, rest) = literals.split_at_checked(literals.len().min(room))?;
            self.window.extend_from_slice(now);
            *literals = rest;
        } else if *repeats > 0 {
            let start = self.window.len().checked_sub(*distance)?;
            let now = (*repeats).min(*distance).min(room);
            self.window.extend_from_within(start..start.checked_add(now)?);
            *repeats = repeats.saturating_sub(now);
            // The output ends with two copies of the repeated bytes now, so a long match can repeat
            // both at once.
            if now == *distance && now <= HISTORY / 2 {
                *distance = now.saturating_mul(2);
            }
        } else {
            self.read_sequence()?;
        }
        Some(())
    }

    fn read_sequence(&mut self) -> Option<()> {
        let (token, rest) = self.stored.split_first()?;
        let (length, rest) = read_length(token >> 4, rest)?;
        let (literals, mut rest) = rest.split_at_checked(length)?;
        let mut sequence = LzSequence { literals, ..LzSequence::default() };
        self.is_last = rest.is_empty();
        if !self.is_last {
            let (distance, after) = rest.split_first_chunk()?;
            sequence.distance = Some(u16::from_le_bytes(*distance).into()).filter(|distance| *distance > 0)?;
            let (more, after) = read_length(token & 15, after)?;
            sequence.repeats = more.checked_add(MIN_MATCH)?;
            rest = after;
        }
        self.later = self.later.checked_sub(literals.len())?.checked_sub(sequence.repeats)?;
        (self.stored, self.sequence) = (rest, sequence);
        Some(())
    }
}

/// Reads the bytes that extend the four bits of a length. Returns the length and the stored bytes
/// after it.
fn read_length(bits: u8, mut stored: &[u8]) -> Option<(usize, &[u8])> {
    let mut length = usize::from(bits);
    let mut more = bits == 15;
    while more {
        let (byte, rest) = stored.split_first()?;
        length = length.checked_add((*byte).into())?;
        (stored, more) = (rest, *byte == 255);
    }
    Some((length, stored))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads all bytes of a block through windows of 64 KiB.
    fn run(stored: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut stream = InflateStream::new(stored, size).unwrap();
        let mut out = Vec::new();
        while out.len() < size {
            assert_eq!(stream.left(), as_u64(size - out.len()));
            out.push(stream.byte()?);
        }
        assert!(stream.byte().is_none() && stream.window.capacity() <= WINDOW.max(size));
        stream.finish().map(|()| out)
    }

    fn expected(stored: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut out = vec![0; size];
        let found = lz4_flex::block::decompress_into(stored, &mut out);
        found.is_ok_and(|found| found == size).then_some(out)
    }

    /// Returns pseudo-random bytes in which about one of `period` bytes differs from the byte at
    /// the distance `distance`.
    fn content(length: usize, distance: usize, period: u32) -> Vec<u8> {
        let (mut out, mut state) = (Vec::<u8>::new(), 1_u32);
        for at in 0..length {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [.., low, high] = state.to_le_bytes();
            let old = at.checked_sub(distance).map(|at| out[at]);
            out.push(old.filter(|_| !(state >> 8).is_multiple_of(period)).unwrap_or(low ^ high));
        }
        out
    }

    #[test]
    fn inflates_like_the_decoder_of_whole_blocks() {
        for (length, distance, period) in [
            (0, 1, 2),
            (1, 1, 2),
            (5_000, 3, 100),
            (WINDOW, 70_000, 50),
            (WINDOW + 1, 1, u32::MAX),
            (300_000, 65_535, 20),
            (400_000, 40_000, 5),
            (500_000, 5, 40_000),
        ] {
            let content = content(length, distance, period);
            let stored = lz4_flex::block::compress(&content);
            assert_eq!(run(&stored, length).as_ref(), Some(&content), "{length} bytes, distance {distance}");
            for wrong in [length.saturating_sub(1), length + 1] {
                assert_eq!(run(&stored, wrong), expected(&stored, wrong), "{wrong} of {length} bytes");
            }
        }
    }

    #[test]
    fn refuses_what_the_decoder_of_whole_blocks_refuses() {
        let content = content(600, 9, 8);
        let stored = lz4_flex::block::compress(&content);
        for at in 0..stored.len() {
            assert_eq!(run(&stored[..at], 600), expected(&stored[..at], 600), "cut at {at}");
            for byte in [0, 1, 15, 0x0f, 0xf0, 0xff] {
                let mut spoilt = stored.clone();
                spoilt[at] ^= byte;
                assert_eq!(run(&spoilt, 600), expected(&spoilt, 600), "byte {at} with {byte}");
            }
        }
        // A match before the first byte, a match of distance 0, and a sequence after the last byte.
        for (stored, size) in [
            (&[0x10, 7, 2, 0, 0x00][..], 5),
            (&[0x10, 7, 0, 0, 0x00], 5),
            (&[0x10, 7, 1, 0, 0x00], 5),
            (&[0x10, 7, 1, 0], 5),
            (&[0x10, 7, 1, 0, 0x10, 8, 0x00], 6),
            (&[0x00], 0),
            (&[], 0),
        ] {
            assert_eq!(run(stored, size), expected(stored, size), "{stored:?}");
        }
    }

    #[test]
    fn skips_and_reads_numbers() {
        let mut content = content(200_000, 11, 30);
        content[150_000..150_004].copy_from_slice(&[0xbf, 0xff, 0x00, 9]);
        let stored = lz4_flex::block::compress(&content);
        let mut stream = InflateStream::new(&stored, content.len()).unwrap();
        stream.skip(150_000).unwrap();
        assert_eq!((stream.compact(), stream.byte(), stream.left()), (Some(8191), Some(9), 49_996));
        assert!(stream.skip(50_000).is_none());
        let long = lz4_flex::block::compress(&[0xff; 20]);
        assert_eq!(InflateStream::new(&long, 20).unwrap().compact(), None);
    }
}
