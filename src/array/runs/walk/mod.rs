//! Scans of runs that start with a count byte, at the speed at which bytes can be read from memory.
//!
//! The count byte of a run determines the start of the next run. A simple scan therefore waits for
//! one read from the first-level cache per run, and the processor has no other work meanwhile. This
//! module contains four scan algorithms, which are called walks: a step-by-step walk, and three
//! fast walks. A fast walk stops before the first run whose size it cannot determine with
//! certainty:
//!
//! | walk | requirement | method |
//! |---|---|---|
//! | step by step | no requirement | reads the count of a run, then moves to the next run; defines the correct result for the other walks |
//! | [`pass_uniform`] | consecutive runs with equal counts | compares the count bytes of the next eight runs, at the offsets that they have if all counts are equal |
//! | [`avx512`] | AVX-512 with VBMI | computes for each of 64 bytes the end of a run that starts there, before it is known which bytes are the start of a run |
//! | [`speculative`] | no requirement | walks from five offsets at the same time; four of these offsets are guesses, which are checked afterwards |
//!
//! The fast scans support only records of four bytes, and runs with no more records than the
//! longest run before them. If a run has more records than all runs before it, the step-by-step
//! scan scans this run, and raises the maximum count for the fast scans. If a fast scan stops
//! early, its results are correct up to the byte at which it stops.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) mod avx512;
pub(super) mod kernel;
pub(super) mod speculative;

use crate::array::runs::checkpoints::RunTotals;
use crate::io::ReadAhead;
use crate::math::as_u64;
use kernel::{RECORD_SIZE, WalkKernel, WalkLimits, WalkProgress, step};

/// The usual maximum number of records in a run, which is used to estimate the number of bytes to
/// prefetch.
const USUAL_COUNT: u8 = 4;
/// The number of runs that are scanned step by step before the fast scans are tried again.
///
/// Scanning the first value of `STEPS`, 16 runs, step by step costs little time. Each time the fast
/// scans advance by no more runs than the step-by-step scan before them, the number of runs that
/// are scanned step by step doubles, up to the last value of `STEPS`.
const STEPS: std::ops::RangeInclusive<usize> = 16..=8192;
/// The number of runs whose count bytes are compared at once.
const RUN_BATCH: usize = 8;

/// Scans `len` runs with records of `size` bytes, and returns their total size and number of
/// records.
///
/// # Errors
///
/// If the bytes end before the end of a run, returns the byte offset of that run.
pub(super) fn measure(bytes: &[u8], len: usize, size: usize) -> Result<RunTotals, u64> {
    if size == RECORD_SIZE { measure_by(bytes, len, size, fastest()) } else { measure_by(bytes, len, size, &[]) }
}

/// Returns the fast scans that are suitable for this processor, in the order in which they are
/// tried.
pub(super) fn fastest() -> &'static [WalkKernel] {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if avx512::is_supported() {
        return &[pass_uniform, avx512::pass];
    }
    &[pass_uniform, speculative::pass]
}

/// Scans groups of eight runs, as long as all runs of a group have the same count as the first run
/// of the group. Such runs start at equal distances, so the eight count bytes can be compared at
/// once.
fn pass_uniform(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
    let Some(&count) = bytes.first().filter(|count| **count <= limits.count) else { return WalkProgress::default() };
    let stride = step(0, count, RECORD_SIZE);
    let size = stride.wrapping_mul(RUN_BATCH);
    // Each remaining run takes at least one byte. All bytes that are compared therefore belong to
    // runs of the list, and no byte after the last run is read.
    let most = limits.runs.saturating_sub(size).div_ceil(RUN_BATCH);
    let differ = |group: &[u8]| {
        let count_of = |run: usize| group.get(run.wrapping_mul(stride)).map_or(1, |other| other ^ count);
        let all: [u8; RUN_BATCH] = std::array::from_fn(count_of);
        all.into_iter().fold(0, |differ, other| differ | other) != 0
    };
    let groups = bytes.chunks_exact(size).take(most).take_while(|group| !differ(group)).count();
    WalkProgress { bytes: groups.wrapping_mul(size), runs: groups.wrapping_mul(RUN_BATCH) }
}

/// Scans `len` runs alternately step by step and with the fast scans in `ways`. If `ways` is empty,
/// all runs are scanned step by step.
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

/// The progress of a scan of runs of records.
struct RunWalk<'a> {
    bytes: &'a [u8],
    /// Size of a record, in bytes.
    size: usize,
    /// The number of runs that were not scanned yet.
    left: usize,
    /// Offset of the next run to scan, in bytes.
    at: usize,
    records: u64,
    longest: (u64, u8),
    ahead: ReadAhead,
}

impl RunWalk<'_> {
    /// Scans the next `runs` runs, one run at a time.
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

    /// Prefetches the bytes that the scan reads next. Returns the byte offset at which the
    /// prefetched bytes end.
    #[inline]
    fn prefetch(&mut self) -> usize {
        let (left, size) = (self.left, self.size);
        self.ahead.pass(self.bytes, self.at, || left.saturating_mul(step(0, USUAL_COUNT, size)))
    }

    /// Calls the fast scan `way` on the prefetched bytes. Returns the number of runs of records
    /// that the fast scan has scanned.
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
