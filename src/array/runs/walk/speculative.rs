//! Five walks at once, so that none waits for another: one from where a run starts, four from guesses.
//!
//! A guess is made some way before its stretch, by a walk that takes a byte which is no count that was ever seen for one of a
//! record, and looks at the next; it falls in step with the runs, after a few dozen bytes mostly. Whether it did is seen in the
//! end: where the walk before arrives is where the guess started, or what came of it is thrown away.

use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkLimits, WalkProgress, step};

/// Walks at once.
const CHAINS: usize = 5;
/// Bytes for each.
const STRETCH: usize = 4096;
/// Bytes in which a guess may fall in step.
const BEFORE: usize = 256;
/// Steps that all walks take before any is asked how far it got.
const STEPS: usize = 4;
/// Bytes walked together.
const BATCH_BYTES: usize = CHAINS * STRETCH;

/// One walk over a stretch.
#[derive(Clone, Copy, Default)]
struct Chain {
    /// Where it entered the stretch.
    start: usize,
    /// Where it is.
    at: usize,
    /// Where the stretch ends.
    end: usize,
    runs: usize,
}

/// Passes over runs, five stretches at a time.
pub(crate) fn pass(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
    let mut passed = WalkProgress::default();
    // As many runs have so many bytes of their own, so that nothing beyond the last is looked at.
    while limits.runs.saturating_sub(passed.runs) > BATCH_BYTES.saturating_add(step(0, limits.count, RECORD_SIZE)) {
        let Some(next) = bytes.get(passed.bytes..).and_then(|rest| walk_stretches(rest, limits.count)) else { break };
        passed.bytes = passed.bytes.saturating_add(next.bytes);
        passed.runs = passed.runs.saturating_add(next.runs);
    }
    passed
}

/// Passes over one to five stretches; `None` where the bytes end, or a run is too long.
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

/// Walks from a guess to where the first run of the stretch at `start` should start.
fn fall_in(bytes: &[u8], start: usize, most: u8) -> Option<usize> {
    let mut at = start.wrapping_sub(BEFORE);
    while at < start {
        let count = *bytes.get(at)?;
        at = if count > most { at.wrapping_add(1) } else { next(at, count) };
    }
    Some(at)
}

/// As [`step`], for offsets that are far from overflowing.
#[inline]
fn next(at: usize, count: u8) -> usize {
    at.wrapping_add(usize::from(count).wrapping_mul(RECORD_SIZE)).wrapping_add(1)
}
