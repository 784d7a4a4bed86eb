//! Walks over runs that start with a count byte, at the speed at which the bytes arrive from
//! memory.
//!
//! The count of a run determines the start of the next run. So a simple walk waits for the
//! first-level cache once per run, and the processor cannot do other work meanwhile. This module
//! has four walks. Each fast walk stops before a run for which its result is not certain:
//!
//! | walk | requirement | method |
//! |---|---|---|
//! | step by step | no requirement | reads the count of a run, then moves to the next run; defines the correct result for the other walks |
//! | [`uniform`] | consecutive runs with equal counts | compares the count bytes of the next eight runs, at the offsets that they have if all counts are equal |
//! | [`avx512`] | AVX-512 with VBMI | computes for each of 64 bytes the end of a run that starts there, before it is known which bytes are the start of a run |
//! | [`speculative`] | no requirement | walks from five offsets at the same time; four of these offsets are guesses, which are checked afterwards |
//!
//! The fast walks support only records of four bytes, and counts up to the largest count seen
//! before. A run that is longer than all runs before it is measured by the step-by-step walk, which
//! records the new greatest count. A fast walk that stops early has recorded only correct results.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) mod avx512;
pub(super) mod kernel;
pub(super) mod speculative;
pub(super) mod uniform;

use crate::array::runs::totals::RunTotals;
use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkKernel, WalkLimits, step};
use crate::io::ReadAhead;
use crate::math::as_u64;

/// The maximum number of records in a run of the supported formats.
const USUAL_COUNT: u8 = 4;
/// The number of runs walked step by step before the fast walks are tried again.
///
/// The first number is small enough to cost little time. The number of steps doubles each time the
/// fast walks make no progress.
const STEPS: std::ops::RangeInclusive<usize> = 16..=8192;

/// Walks over `len` runs of records of `size` bytes, and returns the total sizes of the runs.
///
/// # Errors
///
/// If the bytes end before the end of a run, returns the offset of that run.
pub(super) fn measure(bytes: &[u8], len: usize, size: usize) -> Result<RunTotals, u64> {
    if size == RECORD_SIZE { measure_by(bytes, len, size, fastest()) } else { measure_by(bytes, len, size, &[]) }
}

/// Returns the fast walks for this processor, in the order in which to try them.
pub(super) fn fastest() -> &'static [WalkKernel] {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if avx512::is_supported() {
        return &[uniform::pass, avx512::pass];
    }
    &[uniform::pass, speculative::pass]
}

/// Walks over `len` runs: some runs step by step, and the other runs with those fast walks in
/// `ways` that make progress.
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

/// The progress of a walk over runs.
struct RunWalk<'a> {
    bytes: &'a [u8],
    /// Size of a record, in bytes.
    size: usize,
    /// The number of runs that were not walked yet.
    left: usize,
    /// Offset of the next run, in bytes.
    at: usize,
    records: u64,
    longest: (u64, u8),
    ahead: ReadAhead,
}

impl RunWalk<'_> {
    /// Walks over the next `runs` runs step by step.
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

    /// Prefetches the bytes that the walk reads next. Returns the offset up to which the bytes were
    /// prefetched.
    #[inline]
    fn prefetch(&mut self) -> usize {
        let (left, size) = (self.left, self.size);
        self.ahead.pass(self.bytes, self.at, || left.saturating_mul(step(0, USUAL_COUNT, size)))
    }

    /// Runs a fast walk over the prefetched bytes. Returns the number of runs that the fast walk
    /// stepped over.
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
