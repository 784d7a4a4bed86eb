//! A fast scan for consecutive runs that have equal numbers of records.
//!
//! Runs with equal numbers of records start at equal distances. If the next eight runs have equal
//! counts, their byte offsets follow from the count of the first run, and the eight count bytes can
//! be compared at once.

use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkLimits, WalkProgress, step};

/// The number of runs whose count bytes are compared at once.
const RUN_BATCH: usize = 8;

/// Scans groups of eight runs, as long as all runs of a group have the same count as the first run
/// of the group.
pub(crate) fn pass(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
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
