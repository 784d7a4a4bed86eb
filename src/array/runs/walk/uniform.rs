//! A fast walk for consecutive runs that have equal counts.
//!
//! Runs with equal counts start at equal distances. So the offsets of the next eight runs are known
//! before any of their counts is read.

use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkLimits, WalkProgress, step};

/// The number of runs whose counts are compared together.
const RUN_BATCH: usize = 8;

/// Walks over runs, eight at a time, while all eight have the same count as the first run.
pub(crate) fn pass(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
    let Some(&count) = bytes.first().filter(|count| **count <= limits.count) else { return WalkProgress::default() };
    let stride = step(0, count, RECORD_SIZE);
    let size = stride.wrapping_mul(RUN_BATCH);
    // Each remaining run takes at least one byte. So all compared bytes belong to runs, no matter
    // which counts the runs have, and no byte after the last run is read.
    let most = limits.runs.saturating_sub(size).div_ceil(RUN_BATCH);
    let differ = |group: &[u8]| {
        let count_of = |run: usize| group.get(run.wrapping_mul(stride)).map_or(1, |other| other ^ count);
        let all: [u8; RUN_BATCH] = std::array::from_fn(count_of);
        all.into_iter().fold(0, |differ, other| differ | other) != 0
    };
    let groups = bytes.chunks_exact(size).take(most).take_while(|group| !differ(group)).count();
    WalkProgress { bytes: groups.wrapping_mul(size), runs: groups.wrapping_mul(RUN_BATCH) }
}
