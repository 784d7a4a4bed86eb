//! Bytes and ranges for tests of whole arrays.

/// Makes bytes that look random.
pub(crate) fn any_bytes(length: usize) -> Vec<u8> {
    let mut state = 9_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[6]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Returns where arrays begin, and their lengths: every length up to 200, every place in a line of the cache, and some
/// that are longer than any round.
pub(crate) fn places() -> impl Iterator<Item = (usize, usize)> {
    let lengths = (0..=200).map(|length| (length % 64, length));
    let starts = (0..64).map(|start| (start, 1_000 + start));
    lengths.chain(starts).chain([(0, 1_024), (1, 4_097), (3, 20_000), (5, 70_001)])
}
