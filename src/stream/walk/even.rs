//! Runs of one count stand at equal distances: where the first eight would start is known before any is looked at.

use super::{Allowed, Passed, RECORD, step};

/// Runs that are compared together.
const TOGETHER: usize = 8;

/// Passes over runs for as long as eight on end have the count of the first.
pub(in super::super) fn pass(bytes: &[u8], allowed: Allowed) -> Passed {
    let Some(&count) = bytes.first().filter(|count| **count <= allowed.count) else { return Passed::default() };
    let stride = step(0, count, RECORD);
    let size = stride.wrapping_mul(TOGETHER);
    // As many runs have so many bytes of their own, whatever their counts, so nothing beyond the last is looked at.
    let most = allowed.runs.saturating_sub(size).div_ceil(TOGETHER);
    let differ = |group: &[u8]| {
        let count_of = |run: usize| group.get(run.wrapping_mul(stride)).map_or(1, |other| other ^ count);
        let all: [u8; TOGETHER] = std::array::from_fn(count_of);
        all.into_iter().fold(0, |differ, other| differ | other) != 0
    };
    let groups = bytes.chunks_exact(size).take(most).take_while(|group| !differ(group)).count();
    Passed { bytes: groups.wrapping_mul(size), runs: groups.wrapping_mul(TOGETHER) }
}
