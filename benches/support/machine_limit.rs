//! The best performance of one thread of this machine, to which measured numbers are compared.

use multiversion::multiversion;

/// Reads bytes as fast as one thread can, with the widest available instructions. The simplest loop
/// is the fastest of those that were tried, in cache and in memory. Several separate sums are
/// slower with some instruction sets.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi2", "x86_64+avx2+bmi2"))]
pub fn plain_read(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    words.chain(rest).fold(0, u64::wrapping_add)
}
