//! Copying the columns of a block to its vertices.
//!
//! A column contains the bytes of one attribute of each vertex of a block, without gaps. A vertex
//! of the output has `stride` bytes.

#![allow(clippy::inline_always, reason = "the loops must be compiled for each width")]

use super::buffer::Buffer;
use crate::simd::kernel;

/// The greatest number of vertices in a block. The decoded floats of a block, a column and the
/// vertices are in the first-level cache together.
pub(super) const MAX_VERTICES: usize = 128;

/// The memory for a column of at most 16 bytes for each vertex.
pub(super) type ColumnBuffer = Buffer<{ MAX_VERTICES * 16 }>;

/// The memory for a column of at most 4 bytes for each vertex.
pub(super) type PairBuffer = Buffer<{ MAX_VERTICES * 4 }>;

/// The place of an attribute in a vertex, and the bytes of it that a column contains.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexColumn {
    /// The offset of the attribute in a vertex, in bytes.
    pub(super) offset: usize,
    /// The number of bytes of the attribute that the column contains.
    pub(super) width: usize,
    /// The size of the attribute in bytes: the width, or the width and one more number.
    pub(super) size: usize,
    /// The bytes of the number that the column does not contain.
    pub(super) pad: [u8; 4],
}

impl VertexColumn {
    /// Copies the column to each vertex.
    pub(super) fn put(&self, column: &[u8], vertices: &mut [u8], stride: usize) {
        scatter(column, self, vertices, stride);
    }

    /// Returns whether `next` follows this column in a vertex, and [`put_pair`](Self::put_pair) can
    /// copy both.
    pub(super) const fn pairs_with(&self, next: &Self) -> bool {
        self.width == 12
            && self.size == 12
            && next.size == 4
            && next.width >= 3
            && next.offset == self.offset.saturating_add(12)
    }

    /// Copies this column and `next` to each vertex, which must be a [pair](Self::pairs_with).
    pub(super) fn put_pair(&self, column: &[u8], next: (&Self, &[u8]), vertices: &mut [u8], stride: usize) {
        let (next, next_column) = next;
        if next.width == 4 {
            pair4(column, next_column, vertices, stride, self.offset);
        } else {
            pair3(column, next_column, vertices, stride, self.offset);
        }
    }
}

kernel! {
    fn scatter(column: &[u8], place: &VertexColumn, vertices: &mut [u8], stride: usize) {
        scatter_any(column, place, vertices, stride);
    }
}

#[inline(always)]
fn scatter_any(column: &[u8], place: &VertexColumn, vertices: &mut [u8], stride: usize) {
    let [first, second, ..] = place.pad;
    match (place.width, place.size) {
        (2, 2) => each::<2, 2>(column, vertices, stride, place.offset, |bytes| bytes),
        (4, 4) => each::<4, 4>(column, vertices, stride, place.offset, |bytes| bytes),
        (8, 8) => each::<8, 8>(column, vertices, stride, place.offset, |bytes| bytes),
        (12, 12) => each::<12, 12>(column, vertices, stride, place.offset, |bytes| bytes),
        (16, 16) => each::<16, 16>(column, vertices, stride, place.offset, |bytes| bytes),
        (3, 4) => each::<3, 4>(column, vertices, stride, place.offset, |[x, y, z]| [x, y, z, first]),
        (6, 8) => {
            each::<6, 8>(column, vertices, stride, place.offset, |[a, b, c, d, e, f]| {
                [a, b, c, d, e, f, first, second]
            });
        }
        (12, 16) => each::<12, 16>(column, vertices, stride, place.offset, |bytes| {
            let mut all = [0; 16];
            for (all, byte) in all.iter_mut().zip(bytes.into_iter().chain(place.pad)) {
                *all = byte;
            }
            all
        }),
        _ => {}
    }
}

/// Writes `SIZE` bytes at `offset` of each vertex, which `make` makes of `WIDTH` bytes of the
/// column.
#[inline(always)]
fn each<const WIDTH: usize, const SIZE: usize>(
    column: &[u8],
    vertices: &mut [u8],
    stride: usize,
    offset: usize,
    make: impl Fn([u8; WIDTH]) -> [u8; SIZE],
) {
    for (vertex, bytes) in vertices.chunks_exact_mut(stride).zip(column.as_chunks::<WIDTH>().0) {
        if let Some(place) = vertex.get_mut(offset..).and_then(<[u8]>::first_chunk_mut::<SIZE>) {
            *place = make(*bytes);
        }
    }
}

kernel! {
    /// Copies 12 bytes of one column and 4 bytes of another to each vertex.
    fn pair4(column: &[u8], next: &[u8], vertices: &mut [u8], stride: usize, offset: usize) {
        avx512 => x86::pair(column, next.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word)), vertices, stride, offset),
        avx2 => x86::pair(column, next.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word)), vertices, stride, offset),
        _ => pair(column, next.as_chunks().0.iter().copied(), vertices, stride, offset),
    }
}

kernel! {
    /// Copies 12 bytes of one column, 3 bytes of another, and a byte 0 to each vertex.
    fn pair3(column: &[u8], next: &[u8], vertices: &mut [u8], stride: usize, offset: usize) {
        avx512 => x86::pair(column, next.as_chunks().0.iter().map(|word| x86::word3(*word)), vertices, stride, offset),
        avx2 => x86::pair(column, next.as_chunks().0.iter().map(|word| x86::word3(*word)), vertices, stride, offset),
        _ => pair(column, next.as_chunks().0.iter().map(|[x, y, z]| [*x, *y, *z, 0]), vertices, stride, offset),
    }
}

#[inline(always)]
fn pair(column: &[u8], next: impl Iterator<Item = [u8; 4]>, vertices: &mut [u8], stride: usize, offset: usize) {
    let columns = column.as_chunks::<12>().0.iter().zip(next);
    for (vertex, (first, second)) in vertices.chunks_exact_mut(stride).zip(columns) {
        let Some((place, rest)) = vertex.get_mut(offset..).and_then(<[u8]>::split_first_chunk_mut::<12>) else {
            return;
        };
        if let Some(next) = rest.first_chunk_mut::<4>() {
            (*place, *next) = (*first, second);
        }
    }
}

/// The same copies with one store of 16 bytes for each vertex.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{__m128i, _mm_insert_epi32};

    use bytemuck::cast;

    #[inline(always)]
    pub(super) fn word3([x, y, z]: [u8; 3]) -> i32 {
        i32::from_le_bytes([x, y, z, 0])
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn pair(
        column: &[u8],
        next: impl Iterator<Item = i32>,
        vertices: &mut [u8],
        stride: usize,
        offset: usize,
    ) {
        let columns = column.as_chunks::<12>().0.iter().zip(next);
        for (vertex, (first, second)) in vertices.chunks_exact_mut(stride).zip(columns) {
            let Some(place) = vertex.get_mut(offset..).and_then(<[u8]>::first_chunk_mut::<16>) else { return };
            let mut bytes = [0; 16];
            if let Some(start) = bytes.first_chunk_mut::<12>() {
                *start = *first;
            }
            let vector: __m128i = cast(bytes);
            *place = cast(_mm_insert_epi32::<3>(vector, second));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::simd::at_each_level;

    const PAD: [u8; 4] = [7, 8, 9, 10];

    fn naive(column: &[u8], place: &VertexColumn, vertices: &mut [u8], stride: usize) {
        for (vertex, bytes) in vertices.chunks_exact_mut(stride).zip(column.chunks_exact(place.width)) {
            vertex[place.offset..][..place.width].copy_from_slice(bytes);
            vertex[place.offset..][place.width..place.size].copy_from_slice(&PAD[..place.size - place.width]);
        }
    }

    #[test]
    fn each_level_copies_what_a_loop_does() {
        let bytes = any_bytes(200 * 16);
        let widths = [(2, 2), (4, 4), (8, 8), (12, 12), (16, 16), (3, 4), (6, 8), (12, 16)];
        at_each_level(|level| {
            for (width, size) in widths {
                for count in (0..40).chain([200]) {
                    for (stride, offset) in [(size, 0), (size + 1, 1), (20, 4), (61, 44)] {
                        let place = VertexColumn { offset, width, size, pad: PAD };
                        let (mut found, mut expected) = (vec![1; count * stride], vec![1; count * stride]);
                        place.put(&bytes[..count * width], &mut found, stride);
                        naive(&bytes[..count * width], &place, &mut expected, stride);
                        assert_eq!(found, expected, "{level:?} {width} {size} {count} {stride} {offset}");
                    }
                }
            }
        });
    }

    #[test]
    fn each_level_copies_pairs_as_two_columns() {
        let bytes = any_bytes(200 * 16);
        at_each_level(|level| {
            for (width, count, stride) in [(3, 33, 16), (4, 33, 16), (3, 200, 20), (4, 200, 37), (3, 0, 16)] {
                let first = VertexColumn { offset: stride - 16, width: 12, size: 12, pad: [0; 4] };
                let next = VertexColumn { offset: stride - 4, width, size: 4, pad: [0; 4] };
                assert!(first.pairs_with(&next) && !next.pairs_with(&first));
                let (column, other) = (&bytes[..count * 12], &bytes[bytes.len() - count * width..]);
                let (mut found, mut expected) = (vec![1; count * stride], vec![1; count * stride]);
                first.put_pair(column, (&next, other), &mut found, stride);
                first.put(column, &mut expected, stride);
                next.put(other, &mut expected, stride);
                assert_eq!(found, expected, "{level:?} {width} {count} {stride}");
            }
        });
    }
}
