//! Copying three floats and one to three words of each vertex together, such as a position, a
//! normal of four bytes and texture coordinates of two half floats.
//!
//! If the vertices consist of nothing else, a group of them is written with whole vectors.

#![allow(clippy::inline_always, reason = "the loops must be compiled for each number of words")]

use super::output::for_each_place;
use crate::simd::kernel;

/// The number of bytes of three floats.
pub(super) const TRIPLE: usize = 12;

/// Defines a kernel for a number of words. `SIZE` is the number of bytes of the triple and the
/// words.
macro_rules! with_words {
    ($($name:ident: $words:literal, $size:literal;)+) => {$(
        kernel! {
            /// Copies triples and words to each vertex.
            pub(super) fn $name(
                triples: &[u8],
                words: [&[[u8; 4]]; $words],
                vertices: &mut [u8],
                stride: usize,
                offset: usize,
            ) {
                avx512 => x86::avx512::<$words, $size>(triples, words, vertices, stride, offset),
                avx2 => x86::avx2::<$words, $size>(triples, words, vertices, stride, offset),
                _ => portable::<$words, $size>(triples, words, vertices, stride, offset),
            }
        }
    )+};
}

with_words! {
    with_1_word: 1, 16;
    with_2_words: 2, 20;
    with_3_words: 3, 24;
}

#[inline(always)]
fn portable<const WORDS: usize, const SIZE: usize>(
    triples: &[u8],
    words: [&[[u8; 4]]; WORDS],
    vertices: &mut [u8],
    stride: usize,
    offset: usize,
) {
    let triples = triples.as_chunks::<TRIPLE>().0.iter().enumerate();
    for_each_place(vertices, stride, offset, triples, |place: &mut [u8; SIZE], (number, triple)| {
        let Some((first, rest)) = place.split_first_chunk_mut::<TRIPLE>() else { return };
        *first = *triple;
        for (place, word) in rest.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *place = word.get(number).copied().unwrap_or_default();
        }
    });
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_blendv_epi8, _mm256_permutevar8x32_epi32, _mm512_mask_blend_epi32,
        _mm512_movepi32_mask, _mm512_permutexvar_epi32,
    };

    use bytemuck::{Pod, cast};

    use crate::gpu::triple_words::{TRIPLE, portable};

    /// Returns group `number` of `COUNT` words of each column.
    #[inline(always)]
    fn group<'w, const WORDS: usize, const COUNT: usize>(
        words: &[&'w [[[u8; 4]; COUNT]]; WORDS],
        number: usize,
    ) -> Option<[&'w [[u8; 4]; COUNT]; WORDS]> {
        let mut all = [&[[0; 4]; COUNT]; WORDS];
        for (place, column) in all.iter_mut().zip(words) {
            *place = column.get(number)?;
        }
        Some(all)
    }

    /// The greatest number of vectors that a group of vertices has.
    const MAX_VECTORS: usize = 3 + 3;

    /// Says where each 32-bit number of one output vector comes from. A group of vertices without
    /// gaps has as many vertices as a vector has lanes.
    #[derive(Clone, Copy)]
    struct Vector<const LANES: usize> {
        /// The number of the first of `LANES` adjacent floats of the triples. All floats of this
        /// vector are among them.
        first_float: usize,
        /// The float of each lane, counted from `first_float`.
        floats: [i32; LANES],
        /// The vertex of each lane.
        vertices: [i32; LANES],
        /// For each column of words, -1 in the lanes that take a word of it, and 0 in the others.
        masks: [[i32; LANES]; 3],
    }

    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "checked by the compiler; at most 96"
    )]
    const fn vectors<const LANES: usize>(words: usize) -> [Vector<LANES>; MAX_VECTORS] {
        let none = Vector { first_float: 0, floats: [0; LANES], vertices: [0; LANES], masks: [[0; LANES]; 3] };
        let mut all = [none; MAX_VECTORS];
        let size = 3 + words;
        let mut number = 0;
        while number < LANES * size {
            let (vector, lane, vertex, part) = (number / LANES, number % LANES, number / size, number % size);
            let float = vertex * 3 + if part < 3 { part } else { 3 };
            if lane == 0 {
                // A load from a later start would end after the last float of the group.
                all[vector].first_float = if float < 2 * LANES { float } else { 2 * LANES };
            }
            if part < 3 {
                all[vector].floats[lane] = (float - all[vector].first_float) as i32;
            } else {
                all[vector].masks[part - 3][lane] = -1;
            }
            all[vector].vertices[lane] = vertex as i32;
            number += 1;
        }
        all
    }

    /// Writes groups of `LANES` vertices without gaps, and returns the number of vertices that were
    /// written.
    ///
    /// `V` is a vector of `BYTES` bytes. `permute(lanes, numbers)` takes the given lanes of a
    /// vector, and `blend(numbers, others, mask)` replaces the lanes in which the mask is -1.
    #[inline(always)]
    pub(super) fn merge<V: Pod, const LANES: usize, const BYTES: usize, const WORDS: usize, const SIZE: usize>(
        triples: &[[u8; TRIPLE]],
        words: [&[[u8; 4]]; WORDS],
        vertices: &mut [[u8; SIZE]],
        permute: impl Fn(&[i32; LANES], V) -> V,
        blend: impl Fn(V, V, &[i32; LANES]) -> V,
    ) -> usize {
        let vectors = const { vectors::<LANES>(WORDS) };
        let triples = triples.as_chunks::<LANES>().0;
        let words = words.map(|column| column.as_chunks::<LANES>().0);
        let count = words.iter().fold(triples.len(), |least, column| least.min(column.len()));
        let mut done = 0;
        for (number, vertices) in vertices.as_chunks_mut::<LANES>().0.iter_mut().enumerate().take(count) {
            let Some((triples, words)) = triples.get(number).zip(group(&words, number)) else { return done };
            let columns: [V; WORDS] = words.map(|column| load::<V, BYTES>(column.as_flattened(), 0));
            let places = vertices.as_flattened_mut();
            // The number of rounds is constant, so the compiler unrolls the loop.
            for vector in 0..WORDS.wrapping_add(3) {
                let start = vector.wrapping_mul(BYTES);
                let Some(vector) = vectors.get(vector) else { return done };
                let Some(place) = places.get_mut(start..).and_then(<[u8]>::first_chunk_mut::<BYTES>) else {
                    return done;
                };
                let floats = load::<V, BYTES>(triples.as_flattened(), vector.first_float.wrapping_mul(4));
                let mut numbers = permute(&vector.floats, floats);
                for (column, mask) in columns.into_iter().zip(&vector.masks) {
                    numbers = blend(numbers, permute(&vector.vertices, column), mask);
                }
                *place = cast(numbers);
            }
            done = done.wrapping_add(LANES);
        }
        done
    }

    /// Loads the vector that starts at byte `at`.
    #[inline(always)]
    fn load<V: Pod, const BYTES: usize>(bytes: &[u8], at: usize) -> V {
        let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk::<BYTES>);
        bytes.map_or_else(V::zeroed, |bytes| cast(*bytes))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn merge8<const WORDS: usize, const SIZE: usize>(
        triples: &[[u8; TRIPLE]],
        words: [&[[u8; 4]]; WORDS],
        vertices: &mut [[u8; SIZE]],
    ) -> usize {
        let permute = |lanes: &[i32; 8], numbers| _mm256_permutevar8x32_epi32(numbers, cast(*lanes));
        let blend = |numbers, others, mask: &[i32; 8]| _mm256_blendv_epi8(numbers, others, cast(*mask));
        merge::<__m256i, 8, 32, WORDS, SIZE>(triples, words, vertices, permute, blend)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
    fn merge16<const WORDS: usize, const SIZE: usize>(
        triples: &[[u8; TRIPLE]],
        words: [&[[u8; 4]]; WORDS],
        vertices: &mut [[u8; SIZE]],
    ) -> usize {
        let permute = |lanes: &[i32; 16], numbers| _mm512_permutexvar_epi32(cast(*lanes), numbers);
        let blend = |numbers, others, mask: &[i32; 16]| {
            _mm512_mask_blend_epi32(_mm512_movepi32_mask(cast(*mask)), numbers, others)
        };
        merge::<__m512i, 16, 64, WORDS, SIZE>(triples, words, vertices, permute, blend)
    }

    /// Defines the kernel of a SIMD level: vertices without gaps are merged, and others are written
    /// one by one.
    macro_rules! level {
        ($(#[$features:meta] $name:ident: $merge:ident;)+) => {$(
            #[inline]
            #[$features]
            pub(super) fn $name<const WORDS: usize, const SIZE: usize>(
                triples: &[u8],
                words: [&[[u8; 4]]; WORDS],
                vertices: &mut [u8],
                stride: usize,
                offset: usize,
            ) {
                let all = triples.as_chunks::<TRIPLE>().0;
                let done = if (stride, offset) == (SIZE, 0) { $merge(all, words, vertices.as_chunks_mut::<SIZE>().0) } else { 0 };
                let vertices = vertices.get_mut(done.saturating_mul(stride)..).unwrap_or_default();
                let triples = triples.get(done.saturating_mul(TRIPLE)..).unwrap_or_default();
                let words = words.map(|column| column.get(done..).unwrap_or_default());
                portable::<WORDS, SIZE>(triples, words, vertices, stride, offset);
            }
        )+};
    }

    level! {
        #[target_feature(enable = "avx2")]
        avx2: merge8;
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
        avx512: merge16;
    }
}

#[cfg(test)]
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;
    use crate::array::arbitrary::any_bytes;

    /// Merges sixteen vertices at a time with arrays in place of vectors, on any processor.
    #[allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a panic is how a test fails")]
    fn merged<const WORDS: usize, const SIZE: usize>(
        triples: &[u8],
        words: [&[[u8; 4]]; WORDS],
        out: &mut [u8],
    ) -> usize {
        let permute = |lanes: &[i32; 16], numbers: [i32; 16]| lanes.map(|lane| numbers[usize::try_from(lane).unwrap()]);
        let blend = |numbers: [i32; 16], others: [i32; 16], mask: &[i32; 16]| {
            std::array::from_fn(|lane| if mask[lane] == 0 { numbers[lane] } else { others[lane] })
        };
        let places = out.as_chunks_mut::<SIZE>().0;
        x86::merge::<_, 16, 64, WORDS, SIZE>(triples.as_chunks().0, words, places, permute, blend)
    }

    fn check<const WORDS: usize, const SIZE: usize>() {
        let bytes = any_bytes(100 * 24);
        for count in [0, 15, 16, 17, 32, 100] {
            let (triples, rest) = bytes.split_at(count * TRIPLE);
            let words = std::array::from_fn(|word| &rest.as_chunks().0[word * count..][..count]);
            let (mut found, mut expected) = (vec![1; count * SIZE], vec![1; count * SIZE]);
            portable::<WORDS, SIZE>(triples, words, &mut expected, SIZE, 0);
            let done = merged::<WORDS, SIZE>(triples, words, &mut found);
            assert_eq!(done, count / 16 * 16);
            assert_eq!(found[..done * SIZE], expected[..done * SIZE], "{WORDS} {count}");
        }
    }

    #[test]
    fn groups_of_sixteen_vertices_are_merged() {
        check::<1, 16>();
        check::<2, 20>();
        check::<3, 24>();
    }
}
