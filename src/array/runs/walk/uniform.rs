//! Runs of one count stand at equal distances: where the first eight would start is known before any is looked at.

use crate::array::runs::walk::kernel::{RECORD_SIZE, WalkLimits, WalkProgress, step};

/// Runs that are compared together.
const RUN_BATCH: usize = 8;

/// Passes over runs for as long as eight on end have the count of the first.
pub(crate) fn pass(bytes: &[u8], limits: WalkLimits) -> WalkProgress {
    let Some(&count) = bytes.first().filter(|count| **count <= limits.count) else { return WalkProgress::default() };
    let stride = step(0, count, RECORD_SIZE);
    let size = stride.wrapping_mul(RUN_BATCH);
    // As many runs have so many bytes of their own, whatever their counts, so nothing beyond the last is looked at.
    let most = limits.runs.saturating_sub(size).div_ceil(RUN_BATCH);
    let differ = |group: &[u8]| {
        let count_of = |run: usize| group.get(run.wrapping_mul(stride)).map_or(1, |other| other ^ count);
        let all: [u8; RUN_BATCH] = std::array::from_fn(count_of);
        all.into_iter().fold(0, |differ, other| differ | other) != 0
    };
    let groups = bytes.chunks_exact(size).take(most).take_while(|group| !differ(group)).count();
    WalkProgress { bytes: groups.wrapping_mul(size), runs: groups.wrapping_mul(RUN_BATCH) }
}
