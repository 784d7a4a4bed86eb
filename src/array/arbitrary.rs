//! Test data for functions that decode whole arrays: pseudo-random bytes, and start offsets and
//! lengths of arrays.

/// Returns a vector of `length` pseudo-random bytes.
pub(crate) fn any_bytes(length: usize) -> Vec<u8> {
    let mut state = 9_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[6]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Returns pairs of a start offset in bytes and a number of items, one pair for each test array.
///
/// The pairs cover all lengths up to 200, all offsets within a cache line of 64 bytes, and some
/// lengths that exceed the number of items that any kernel processes in one loop iteration.
pub(crate) fn places() -> impl Iterator<Item = (usize, usize)> {
    let lengths = (0..=200).map(|length| (length % 64, length));
    let starts = (0..64).map(|start| (start, 1_000 + start));
    lengths.chain(starts).chain([(0, 1_024), (1, 4_097), (3, 20_000), (5, 70_001)])
}
