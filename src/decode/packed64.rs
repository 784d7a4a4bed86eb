//! Three 16-bit integers and 16 bits of padding: x, y, z, padding. Decoding these integers to
//! floats is exact.
//!
//! The vertices of Deus Ex and other Ion Storm games have this encoding, which has a higher
//! resolution than the encoding of Unreal. Authors of Ion Storm meshes scale the integers to x/256,
//! y/256 and z/256. The 16 bits of padding in a vertex are 0 in every known file.
//!
//! The loop that decodes an array and the loop that computes a bounding box are compiled for
//! several SIMD instruction sets, as in [`packed32`](crate::decode::packed32).

use zerocopy::IntoBytes;
use zerocopy::little_endian::I16;

use crate::decode::codec::{Decode, each};
use crate::decode::stream::in_blocks;
use crate::io;
use crate::simd::{self, kernel};

/// Decodes a record of eight bytes to x, y and z.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packed64;

impl Decode for Packed64 {
    type Raw = [I16; 4];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: &[I16; 4]) -> [f32; 3] {
        each(&integers(raw), f32::from)
    }

    fn decode_all(&self, raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        decode_bulk(raw, out);
    }
}

/// Returns the integers x, y and z of an encoded vertex, without the padding.
#[inline]
#[must_use]
pub fn integers([x, y, z, _]: &[I16; 4]) -> [i16; 3] {
    [x.get(), y.get(), z.get()]
}

/// Encodes x, y and z as a record of eight bytes. The padding of the encoded record is 0.
#[cfg(feature = "internals")]
#[must_use]
pub fn encode([x, y, z]: [i16; 3]) -> [I16; 4] {
    [x, y, z, 0].map(I16::new)
}

kernel! {
    /// Decodes the vertices in `raw` to `out`, until one of the two slices ends.
    fn decode_bulk(raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        avx512 => x86::avx512::<Store>(raw, out),
        avx2 => x86::avx2::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, decode_each),
    }
}

#[inline(always)]
fn decode_each(raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = each(&integers(raw), f32::from);
    }
}

/// The number of vertices that one iteration of the bounding-box loop compares. For each of the 16
/// indices in a chunk of vertices, the loop keeps a separate minimum and maximum, which are
/// combined after the loop.
const LANES: usize = 16;

/// Returns the bounding box of encoded vertices (minimum and maximum corner), or `None` if the
/// slice is empty.
///
/// `bounds` takes no longer than reading `raw` from memory.
#[must_use]
pub fn bounds(raw: &[[I16; 4]]) -> Option<[[f32; 3]; 2]> {
    io::prefetch(raw.as_bytes());
    let first = raw.first()?;
    let (chunks, rest) = raw.as_chunks::<LANES>();
    // Repeating a vertex does not change the bounding box, so the last chunk is padded with the
    // first vertex.
    let mut last = [*first; LANES];
    last.iter_mut().zip(rest).for_each(|(last, vertex)| *last = *vertex);
    let [low, high] = widest(chunks, &last);
    let fold = |lanes: [[i16; 4]; LANES], pick: fn(i16, i16) -> i16| {
        lanes.into_iter().reduce(|[x, y, z, pad], [a, b, c, _]| [pick(x, a), pick(y, b), pick(z, c), pad])
    };
    let [[min_x, min_y, min_z, _], [max_x, max_y, max_z, _]] = [fold(low, i16::min)?, fold(high, i16::max)?];
    Some([[min_x, min_y, min_z], [max_x, max_y, max_z]].map(|corner| corner.map(f32::from)))
}

kernel! {
    fn widest(chunks: &[[[I16; 4]; LANES]], last: &[[I16; 4]; LANES]) -> [[[i16; 4]; LANES]; 2] {
        let [mut low, mut high] = [[[i16::MAX; 4]; LANES], [[i16::MIN; 4]; LANES]];
        let distance = simd::prefetch_distance();
        for chunk in chunks {
            simd::prefetch_ahead(chunk, distance);
            widen(&mut low, &mut high, chunk);
        }
        widen(&mut low, &mut high, last);
        [low, high]
    }
}

#[inline(always)]
fn widen(low: &mut [[i16; 4]; LANES], high: &mut [[i16; 4]; LANES], chunk: &[[I16; 4]; LANES]) {
    for ((low, high), raw) in low.iter_mut().zip(high).zip(chunk) {
        for ((low, high), raw) in low.iter_mut().zip(high).zip(raw) {
            *low = raw.get().min(*low);
            *high = raw.get().max(*high);
        }
    }
}

/// Hand-written kernels for x86-64, for which compilers generate slower code from the portable
/// loop.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(in crate::decode) mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256, __m256i, __m512i, _mm256_blend_ps, _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps,
        _mm256_permutevar8x32_ps, _mm512_cvtepi32_ps, _mm512_permutex2var_epi16, _mm512_srai_epi32,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::I16;
    use zerocopy::transmute;

    use crate::decode::packed64::decode_each;
    use crate::decode::stream::in_chunks;
    use crate::simd::StreamingStore;

    /// A permutation of the 64 integers of sixteen points: for each 16-bit half of the 48 output
    /// lanes, the index of the integer that is moved there. An arithmetic right shift by 16 bits
    /// after the permutation removes the low half of each 32-bit lane.
    const INTEGERS: [[[i16; 2]; 16]; 3] = {
        let mut all = [[[0; 2]; 16]; 3];
        let (mut vector, mut lane) = (0, 0);
        #[allow(
            clippy::arithmetic_side_effects,
            clippy::indexing_slicing,
            clippy::as_conversions,
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "checked by the compiler; at most 63"
        )]
        while vector < 3 {
            let float = vector * 16 + lane;
            let (point, coordinate) = (float / 3, float % 3);
            all[vector][lane] = [(point * 4 + coordinate) as i16; 2];
            lane += 1;
            (vector, lane) = (vector + lane / 16, lane % 16);
        }
        all
    };

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn avx512<S: StreamingStore>(raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        let decode = |chunk: &[[I16; 4]; 16]| {
            let [low, high]: [__m512i; 2] = transmute!(*chunk);
            let vectors = INTEGERS.map(|places| {
                let high = _mm512_permutex2var_epi16(low, cast(places), high);
                cast::<_, [f32; 16]>(_mm512_cvtepi32_ps(_mm512_srai_epi32::<16>(high)))
            });
            cast(vectors)
        };
        in_chunks::<S, _, _, 16>(raw, out, decode, decode_each);
    }

    /// Permutations that remove every fourth float, such as the padding of eight vertices. The
    /// input of these permutations is four vectors of two vertices each.
    ///
    /// Permutation *i* (0, 1 or 2) is applied to the input vectors *i* and *i* + 1. The two results
    /// of permutation *i* are blended to output vector *i*.
    const PADLESS: [[i32; 8]; 3] = [[0, 1, 2, 4, 5, 6, 0, 1], [2, 4, 5, 6, 0, 1, 2, 4], [5, 6, 0, 1, 2, 4, 5, 6]];

    /// Returns the first three of every four floats.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::decode) fn without_fourth([a, b, c, d]: [__m256; 4]) -> [__m256; 3] {
        let [places_a, places_b, places_c] = PADLESS.map(cast::<_, __m256i>);
        let pick = |from: __m256, places: __m256i| _mm256_permutevar8x32_ps(from, places);
        [
            _mm256_blend_ps::<0b1100_0000>(pick(a, places_a), pick(b, places_a)),
            _mm256_blend_ps::<0b1111_0000>(pick(b, places_b), pick(c, places_b)),
            _mm256_blend_ps::<0b1111_1100>(pick(c, places_c), pick(d, places_c)),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2<S: StreamingStore>(raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        let decode_half =
            |pairs: [__m128i; 4]| without_fourth(pairs.map(|pair| _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(pair))));
        let decode = |chunk: &[[I16; 4]; 16]| {
            let halves: [[__m128i; 4]; 2] = transmute!(*chunk);
            cast(halves.map(decode_half))
        };
        in_chunks::<S, _, _, 16>(raw, out, decode, decode_each);
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use super::*;
    use crate::array::{Array, Packed};

    #[test]
    fn agrees_with_its_naive_twin() {
        let number = |seed: u32| {
            let [low, high, ..] = seed.wrapping_mul(2_654_435_761).rotate_left(seed).to_le_bytes();
            i16::from_le_bytes([low, high])
        };
        let vertices: Vec<[i16; 3]> = (0..500).map(|at| [at, at + 1000, at + 2000].map(number)).collect();
        let mut bytes = vec![0];
        // Padding that is not 0 does not change the decoded values.
        bytes.extend(vertices.iter().flat_map(|vertex| {
            let mut raw = encode(*vertex);
            raw[3] = I16::new(vertex[0].wrapping_mul(3));
            raw.as_bytes().to_vec()
        }));
        for count in (0..40).chain([100, 499]) {
            let raw: &[[I16; 4]] = zerocopy::FromBytes::ref_from_bytes(&bytes[1..=count * 8]).unwrap();
            let mut out = vec![[0.0; 3]; count];
            Packed::new(raw, Packed64).decode_into(&mut out).unwrap();
            assert_eq!(out, vertices[..count].iter().map(|vertex| vertex.map(f32::from)).collect::<Vec<_>>());
            assert!(raw.iter().map(integers).eq(vertices[..count].iter().copied()));
            let corner = |pick: fn(i16, i16) -> i16| {
                let fold = |a: [i16; 3], b: [i16; 3]| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
                vertices[..count].iter().copied().reduce(fold).map(|corner| corner.map(f32::from))
            };
            assert_eq!(bounds(raw), corner(i16::min).zip(corner(i16::max)).map(|(min, max)| [min, max]), "{count}");
        }
    }
}
