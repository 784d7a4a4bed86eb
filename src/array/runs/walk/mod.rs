//! One walk over runs that start with a count byte: as fast as memory allows, without knowing where the next one starts.
//!
//! Each run says where the next one is, so a plain walk waits for the nearest cache once a run, whatever else the
//! processor could do meanwhile. Four ways pass over runs, each as far as it is sure of what it finds:
//!
//! | way | what it needs | how |
//! |---|---|---|
//! | step by step | nothing | looks at a count, goes to the next: the twin that says what is right |
//! | [`uniform`] | runs of one count | compares the counts eight runs on end that would be there if all were the same |
//! | [`avx512`] | AVX-512 with VBMI | of 64 bytes, finds where a run that starts at any of them leads, before it is known which one does |
//! | [`speculative`] | nothing | walks from five places at once, four of which are guesses that are checked afterwards |
//!
//! The fast ways know only records of four bytes, and the lengths they have seen: a run that is longer than all before it
//! is left to the steps, which note it. Whoever stops has noted nothing that is not so.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) mod avx512;
pub(super) mod kernel;
pub(super) mod speculative;
pub(super) mod uniform;

use crate::array::runs::totals::RunTotals;
use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkKernel, WalkLimits, step};
use crate::io::ReadAhead;
use crate::math::as_u64;

/// Records in a run, at most, as formats have it.
const USUAL_COUNT: u8 = 4;
/// Runs walked step by step before the fast ways are tried again: as many as cost little, and more each time that they got
/// nowhere.
const STEPS: std::ops::RangeInclusive<usize> = 16..=8192;

/// Walks `len` runs of records of `size` bytes.
///
/// # Errors
///
/// The offset of the run that the bytes end in.
pub(super) fn measure(bytes: &[u8], len: usize, size: usize) -> Result<RunTotals, u64> {
    if size == RECORD_SIZE { measure_by(bytes, len, size, fastest()) } else { measure_by(bytes, len, size, &[]) }
}

/// Returns the fast ways of this processor, in the order in which to try them.
pub(super) fn fastest() -> &'static [WalkKernel] {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if avx512::is_supported() {
        return &[uniform::pass, avx512::pass];
    }
    &[uniform::pass, speculative::pass]
}

/// Walks `len` runs, some by steps and, where `ways` get ahead, the others by those.
pub(super) fn measure_by(bytes: &[u8], len: usize, size: usize, ways: &[WalkKernel]) -> Result<RunTotals, u64> {
    let mut walk = RunWalk { bytes, size, left: len, at: 0, records: 0, longest: (0, 0), ahead: ReadAhead::default() };
    if ways.is_empty() {
        walk.step(len)?;
    }
    let mut steps = *STEPS.start();
    while walk.left > 0 {
        walk.step(steps)?;
        let passed = ways.iter().fold(0_usize, |passed, way| passed.saturating_add(walk.pass(*way)));
        steps = if passed > steps { *STEPS.start() } else { steps.saturating_mul(2).min(*STEPS.end()) };
    }
    Ok(RunTotals { bytes: as_u64(walk.at), records: walk.records, longest: walk.longest })
}

/// A walk on its way.
struct RunWalk<'a> {
    bytes: &'a [u8],
    /// Bytes of a record.
    size: usize,
    /// Runs that are still to come.
    left: usize,
    /// Where the next run starts.
    at: usize,
    records: u64,
    longest: (u64, u8),
    ahead: ReadAhead,
}

impl RunWalk<'_> {
    /// Walks some runs, one after another.
    fn step(&mut self, runs: usize) -> Result<(), u64> {
        for _ in 0..runs.min(self.left) {
            self.prefetch();
            let Some(&count) = self.bytes.get(self.at) else { return Err(as_u64(self.at)) };
            let next = step(self.at, count, self.size);
            if next > self.bytes.len() {
                return Err(as_u64(self.at));
            }
            if count > self.longest.1 {
                self.longest = (as_u64(self.at), count);
            }
            self.records = self.records.saturating_add(count.into());
            self.at = next;
            self.left = self.left.saturating_sub(1);
        }
        Ok(())
    }

    /// Asks for the next bytes in time; returns up to where they were asked for.
    #[inline]
    fn prefetch(&mut self) -> usize {
        let (left, size) = (self.left, self.size);
        self.ahead.pass(self.bytes, self.at, || left.saturating_mul(step(0, USUAL_COUNT, size)))
    }

    /// Lets a fast way get ahead, among the bytes that were asked for; returns how many runs it passed.
    fn pass(&mut self, way: WalkKernel) -> usize {
        let until = self.prefetch().min(self.bytes.len());
        let bytes = self.bytes.get(self.at..until).unwrap_or_default();
        let passed = way(bytes, WalkLimits { count: self.longest.1, runs: self.left });
        self.at = self.at.saturating_add(passed.bytes);
        self.left = self.left.saturating_sub(passed.runs);
        let records = passed.bytes.saturating_sub(passed.runs).checked_div(self.size).unwrap_or_default();
        self.records = self.records.saturating_add(as_u64(records));
        passed.runs
    }
}

#[cfg(test)]
mod tests;
