//! A fast walk that runs five walks over different stretches of bytes at the same time. No walk
//! waits for the result of another walk.
//!
//! The first walk starts at a known start of a run. The other four walks start at guessed starts of
//! runs.
//!
//! A start is guessed by a short walk that begins 256 bytes before its stretch of bytes. This short
//! walk interprets each byte at its position as the count of a run. A byte above all counts seen
//! before cannot be a count, so the short walk interprets it as a byte of a record and continues at
//! the next byte. The short walk usually reaches a true start of a run after a few dozen bytes.
//! Each guess is checked at the end: the walk over the previous stretch must arrive exactly at the
//! guessed start. If it arrives at another byte, the result of the walk from this guess is
//! discarded.

use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkLimits, WalkProgress, step};

/// The number of walks that run at the same time.
const CHAINS: usize = 5;
/// The number of bytes in the stretch that each walk covers.
const STRETCH: usize = 4096;
/// The number of bytes before a stretch at which the short walk begins that guesses the first start
/// of a run.
const BEFORE: usize = 256;
/// The number of runs that each walk steps over before its position is checked.
const STEPS: usize = 4;
/// The number of bytes that the five walks cover together.
const BATCH_BYTES: usize = CHAINS * STRETCH;

/// The positions of one walk over its stretch of bytes.
#[derive(Clone, Copy, Default)]
struct Chain {
    /// The offset of the first run of the walk, in bytes.
    start: usize,
    /// The offset of the next run of the walk, in bytes.
    at: usize,
    /// The offset of the end of the stretch, in bytes.
    end: usize,
    runs: usize,
}

/// Walks over runs, five stretches of bytes at a time.
pub(crate) fn pass(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
    let mut passed = WalkProgress::default();
    // Each remaining run takes at least one byte. So all bytes of these stretches belong to runs,
    // and no byte after the last run is read.
    while limits.runs.saturating_sub(passed.runs) > BATCH_BYTES.saturating_add(step(0, limits.count, RECORD_SIZE)) {
        let Some(next) = bytes.get(passed.bytes..).and_then(|rest| walk_stretches(rest, limits.count)) else { break };
        passed.bytes = passed.bytes.saturating_add(next.bytes);
        passed.runs = passed.runs.saturating_add(next.runs);
    }
    passed
}

/// Walks over up to five stretches of bytes, and returns the runs that it stepped over. Returns
/// `None` if the bytes end, or if one of the walks finds a count above `most`.
fn walk_stretches(bytes: &[u8], most: u8) -> Option<WalkProgress> {
    let mut chains = [Chain::default(); CHAINS];
    for (chain, number) in chains.iter_mut().zip(0_usize..) {
        let start = number.wrapping_mul(STRETCH);
        chain.start = if number == 0 { 0 } else { fall_in(bytes, start, most)? };
        (chain.at, chain.end) = (chain.start, start.wrapping_add(STRETCH));
    }
    let mut longest = 0_u8;
    let room = step(0, most, RECORD_SIZE).wrapping_mul(STEPS);
    while longest <= most && chains.iter().all(|chain| chain.at.wrapping_add(room) <= chain.end) {
        for _ in 0..STEPS {
            for chain in &mut chains {
                let count = *bytes.get(chain.at)?;
                longest = longest.max(count);
                chain.at = next(chain.at, count);
            }
        }
        for chain in &mut chains {
            chain.runs = chain.runs.wrapping_add(STEPS);
        }
    }
    for chain in &mut chains {
        while longest <= most && chain.at < chain.end {
            let count = *bytes.get(chain.at)?;
            longest = longest.max(count);
            chain.at = next(chain.at, count);
            chain.runs = chain.runs.wrapping_add(1);
        }
    }
    let mut passed = WalkProgress::default();
    for chain in chains.iter().take_while(|chain| longest <= most && chain.at <= bytes.len()) {
        if chain.start != passed.bytes {
            break;
        }
        passed = WalkProgress { bytes: chain.at, runs: passed.runs.wrapping_add(chain.runs) };
    }
    (passed.runs > 0).then_some(passed)
}

/// Guesses the offset of the first run in the stretch at `start`, with a short walk that begins
/// before the stretch.
fn fall_in(bytes: &[u8], start: usize, most: u8) -> Option<usize> {
    let mut at = start.wrapping_sub(BEFORE);
    while at < start {
        let count = *bytes.get(at)?;
        at = if count > most { at.wrapping_add(1) } else { next(at, count) };
    }
    Some(at)
}

/// Returns the offset of the next run, like [`step`], for offsets that are too small to overflow.
#[inline]
fn next(at: usize, count: u8) -> usize {
    at.wrapping_add(usize::from(count).wrapping_mul(RECORD_SIZE)).wrapping_add(1)
}
