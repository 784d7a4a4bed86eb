//! What one thread of this machine can do at best: the figure that others are divided by.

use multiversion::multiversion;

/// Reads bytes as fast as one thread can, with the widest instructions that there are. The plainest shape is the fastest
/// of those tried, in cache as in memory: sums kept apart by hand are slower with some instructions.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi2", "x86_64+avx2+bmi2"))]
pub fn plain_read(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    words.chain(rest).fold(0, u64::wrapping_add)
}
