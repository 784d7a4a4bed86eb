//! The places of an attribute in the vertices of a block.

#![allow(clippy::inline_always, reason = "the loop must be compiled for each size")]

/// Calls `write` with the `SIZE` bytes at `offset` of each vertex, and with the next of `items`.
#[inline(always)]
pub(super) fn for_each_place<I, const SIZE: usize>(
    vertices: &mut [u8],
    stride: usize,
    offset: usize,
    mut items: impl Iterator<Item = I>,
    write: impl Fn(&mut [u8; SIZE], I),
) {
    // A chunk starts at a place instead of at a vertex, so the compiler checks the length of all
    // chunks once. The last place is in the rest, unless the offset is 0.
    let mut places = vertices.get_mut(offset..).unwrap_or_default().chunks_exact_mut(stride);
    for (place, item) in places.by_ref().zip(items.by_ref()) {
        if let Some(place) = place.first_chunk_mut() {
            write(place, item);
        }
    }
    if let Some((place, item)) = places.into_remainder().first_chunk_mut().zip(items.next()) {
        write(place, item);
    }
}
