//! A fast scan of runs that scans five adjacent byte ranges of 4,096 bytes in one interleaved loop,
//! because the scan of one byte range does not wait for the result of another scan.
//!
//! The scan of the first byte range starts at the known start of a run. The scans of the second to
//! the fifth byte range start at guessed starts of runs.
//!
//! The start of the first run in a byte range is guessed by a trial scan, which begins 256 bytes
//! before the byte range. The trial scan interprets the byte at its position as the count byte of a
//! run and moves to the next run. If this byte is greater than the counts of all runs before, the
//! trial scan moves to the next byte instead. The trial scan usually reaches the true start of a
//! run after a few dozen bytes. Each guess is verified afterwards: the scan of the previous byte
//! range must end exactly at the guessed start. If it ends at another byte, the results of the scan
//! from the guessed start are discarded.

use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkLimits, WalkProgress, step};

/// The number of contiguous byte ranges that are scanned in one interleaved loop.
const CHAINS: usize = 5;
/// Size of each byte range that is scanned from a separate start, in bytes.
const STRETCH: usize = 4096;
/// The distance from the start of a trial scan to the byte range whose first run the trial scan
/// guesses, in bytes.
const BEFORE: usize = 256;
/// The number of runs that are scanned in each byte range before the loop checks whether one of the
/// five scans is near the end of its byte range.
const STEPS: usize = 4;
/// The total size of the five byte ranges, in bytes.
const BATCH_BYTES: usize = CHAINS * STRETCH;

/// The progress of the scan of one of the five byte ranges.
#[derive(Clone, Copy, Default)]
struct Chain {
    /// The offset of the first run in the scanned byte range, in bytes.
    start: usize,
    /// The offset of the next run to scan, in bytes.
    at: usize,
    /// The offset of the end of the scanned byte range, in bytes.
    end: usize,
    runs: usize,
}

/// Scans runs of records, in groups of five byte ranges of 4,096 bytes each.
pub(crate) fn pass(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
    let mut passed = WalkProgress::default();
    // Each remaining run takes at least one byte. All bytes of the five byte ranges therefore
    // belong to runs of the list, and no byte after the last run is read.
    while limits.runs.saturating_sub(passed.runs) > BATCH_BYTES.saturating_add(step(0, limits.count, RECORD_SIZE)) {
        let Some(next) = bytes.get(passed.bytes..).and_then(|rest| walk_stretches(rest, limits.count)) else { break };
        passed.bytes = passed.bytes.saturating_add(next.bytes);
        passed.runs = passed.runs.saturating_add(next.runs);
    }
    passed
}

/// Scans five adjacent byte ranges, and returns the number of runs up to the first wrong guess and
/// their size in bytes.
///
/// Returns `None` if `bytes` ends within one of the five byte ranges, or if one of the five scans
/// finds a count greater than `most`.
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

/// Guesses the byte offset of the first run in the byte range that begins at `start`, by a trial
/// scan that begins 256 bytes before `start`.
fn fall_in(bytes: &[u8], start: usize, most: u8) -> Option<usize> {
    let mut at = start.wrapping_sub(BEFORE);
    while at < start {
        let count = *bytes.get(at)?;
        at = if count > most { at.wrapping_add(1) } else { next(at, count) };
    }
    Some(at)
}

/// Returns the byte offset of the run after the run at `at`, like [`step`], for offsets that are
/// too small to overflow.
#[inline]
fn next(at: usize, count: u8) -> usize {
    at.wrapping_add(usize::from(count).wrapping_mul(RECORD_SIZE)).wrapping_add(1)
}
