//! Copying the columns of a block to its vertices.
//!
//! A column contains the bytes of one attribute of each vertex of a block, without gaps. A vertex
//! of the output has `stride` bytes.

#![allow(clippy::inline_always, reason = "the loops must be compiled for each width")]

use super::output::{Buffer, for_each_place};
use super::triple_words::{TRIPLE, with_1_word, with_2_words, with_3_words};
use crate::simd::kernel;

/// The greatest number of vertices in a block. The decoded floats of a block, its columns and the
/// vertices are in the first-level cache together.
pub(super) const MAX_VERTICES: usize = 256;

/// The memory for a column of at most 16 bytes for each vertex.
pub(super) type ColumnBuffer = Buffer<{ MAX_VERTICES * 16 }>;

/// The memory for a column of 4 bytes for each vertex.
pub(super) type WordBuffer = Buffer<{ MAX_VERTICES * 4 }>;

/// The greatest number of [words](VertexColumn::is_word) that are copied together with a
/// [triple](VertexColumn::is_triple).
pub(super) const MAX_WORDS: usize = 3;

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
        if self.width == stride && vertices.len() == column.len() {
            vertices.copy_from_slice(column);
        } else {
            scatter(column, self, vertices, stride);
        }
    }

    /// Returns whether the attribute is three floats.
    const fn is_triple(&self) -> bool {
        self.width == TRIPLE && self.size == TRIPLE
    }

    /// Returns whether the attribute has 4 bytes, which are all in the column.
    const fn is_word(&self) -> bool {
        self.width == 4 && self.size == 4
    }

    /// Returns how many of the next columns, in the order of their offsets, are words that follow
    /// this triple without a gap. [`put_with_words`](Self::put_with_words) copies them together.
    pub(super) fn words_after<'c>(&self, next: impl Iterator<Item = &'c Self>) -> usize {
        let mut end = self.offset.saturating_add(TRIPLE);
        let follows = |column: &&Self| {
            let is_next = column.is_word() && column.offset == end;
            end = end.saturating_add(4);
            is_next
        };
        if self.is_triple() { next.take(MAX_WORDS).take_while(follows).count() } else { 0 }
    }

    /// Copies this triple and the words that follow it to each vertex.
    pub(super) fn put_with_words(&self, column: &[u8], words: &[&[[u8; 4]]], vertices: &mut [u8], stride: usize) {
        match *words {
            [a] => with_1_word(column, [a], vertices, stride, self.offset),
            [a, b] => with_2_words(column, [a, b], vertices, stride, self.offset),
            [a, b, c] => with_3_words(column, [a, b, c], vertices, stride, self.offset),
            _ => debug_assert!(false, "a triple has 1 to {MAX_WORDS} words"),
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
        (2, 2) => each::<2, 2>(column, vertices, stride, place.offset, |bytes| *bytes),
        (4, 4) => each::<4, 4>(column, vertices, stride, place.offset, |bytes| *bytes),
        (8, 8) => each::<8, 8>(column, vertices, stride, place.offset, |bytes| *bytes),
        (12, 12) => each::<12, 12>(column, vertices, stride, place.offset, |bytes| *bytes),
        (16, 16) => each::<16, 16>(column, vertices, stride, place.offset, |bytes| *bytes),
        (6, 8) => {
            each::<6, 8>(column, vertices, stride, place.offset, |&[a, b, c, d, e, f]| {
                [a, b, c, d, e, f, first, second]
            });
        }
        (12, 16) => each::<12, 16>(column, vertices, stride, place.offset, |bytes| {
            let mut all = [0; 16];
            for (all, byte) in all.iter_mut().zip(bytes.iter().copied().chain(place.pad)) {
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
    make: impl Fn(&[u8; WIDTH]) -> [u8; SIZE],
) {
    for_each_place(vertices, stride, offset, column.as_chunks::<WIDTH>().0.iter(), |place, bytes| *place = make(bytes));
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
        let widths = [(2, 2), (4, 4), (8, 8), (12, 12), (16, 16), (6, 8), (12, 16)];
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
    fn each_level_copies_words_with_a_triple_as_single_columns() {
        let bytes = any_bytes(200 * 24 + 16);
        at_each_level(|level| {
            for words in 1..=MAX_WORDS {
                let size = TRIPLE + 4 * words;
                for (stride, offset) in [(size, 0), (size + 4, 0), (size + 4, 4), (size + 9, 7), (61, 61 - size)] {
                    let column = |offset, width| VertexColumn { offset, width, size: width, pad: [0; 4] };
                    let triple = column(offset, TRIPLE);
                    let next: Vec<_> = (0..words).map(|word| column(offset + TRIPLE + 4 * word, 4)).collect();
                    assert_eq!(triple.words_after(next.iter()), words);
                    for count in (0..70).chain([128, 200]) {
                        let triples = &bytes[..count * TRIPLE];
                        let words: Vec<&[[u8; 4]]> =
                            (0..words).map(|word| &bytes[count * (12 + 4 * word)..].as_chunks().0[..count]).collect();
                        let (mut found, mut expected) = (vec![1; count * stride], vec![1; count * stride]);
                        triple.put_with_words(triples, &words, &mut found, stride);
                        triple.put(triples, &mut expected, stride);
                        for (place, word) in next.iter().zip(&words) {
                            place.put(word.as_flattened(), &mut expected, stride);
                        }
                        assert_eq!(found, expected, "{level:?} {words:?} {count} {stride} {offset}");
                    }
                }
            }
        });
    }

    #[test]
    fn words_follow_a_triple_without_gaps() {
        let column = |offset, width| VertexColumn { offset, width, size: width, pad: [0; 4] };
        let count = |triple: VertexColumn, next: &[VertexColumn]| triple.words_after(next.iter());
        assert_eq!(count(column(4, 12), &[column(16, 4), column(20, 4), column(24, 8)]), 2);
        assert_eq!(count(column(4, 12), &[column(16, 4), column(24, 4)]), 1);
        assert_eq!(count(column(4, 12), &[column(17, 4)]), 0);
        assert_eq!(count(column(0, 8), &[column(8, 4)]), 0);
        assert_eq!(count(VertexColumn { size: 16, ..column(0, 12) }, &[column(16, 4)]), 0);
        assert_eq!(count(column(0, 12), &[column(12, 4), column(16, 4), column(20, 4), column(24, 4)]), MAX_WORDS);
    }
}
