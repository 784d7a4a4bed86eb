//! Three integers of 11, 11 and 10 bits in a 32-bit word.
//!
//! The integer x is in bits 0 to 10, y in bits 11 to 21 and z in bits 22 to 31, each in two's
//! complement. Decoding these integers to floats is exact. The integers x and y are in -1024 to
//! 1023, and z is in -512 to 511.
//!
//! The vertices of Unreal meshes have this encoding. Authors of Unreal meshes scale the integers to
//! x/8, y/8 and z/4. The published code that packs a coordinate, `(int)(x*8) & 0x7ff`, truncates
//! toward zero, and values out of range wrap around.
//!
//! The loop that decodes an array and the loop that computes a bounding box are compiled for
//! several SIMD instruction sets. When a loop starts, the version that is compiled for the current
//! processor is chosen. Decoding a coordinate takes two shifts and one conversion from integer to
//! float. With AVX2 and AVX-512, a permutation first moves the words to the positions of the output
//! floats. In a measurement with all data in the cache and default build options, AVX-512 wrote
//! decoded floats at 1.05 times the rate, in bytes per second, of copying floats.

use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

use crate::decode::codec::Decode;
use crate::decode::stream::in_blocks;
use crate::io;
use crate::simd::{self, kernel};

/// Decodes a 32-bit word to x, y and z.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packed32;

impl Decode for Packed32 {
    type Raw = U32;
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: &U32) -> [f32; 3] {
        decode(*raw)
    }

    fn decode_all(&self, raw: &[U32], out: &mut [[f32; 3]]) {
        decode_bulk(raw, out);
    }
}

/// For each of the integers x, y and z: the number of bits of the 32-bit word that are above the
/// integer.
///
/// A left shift by the entry of `ABOVE` removes the bits above the integer. An arithmetic right
/// shift then moves the integer to the low bits and copies its sign bit into all upper bits.
const ABOVE: [u32; 3] = [21, 10, 0];
/// For each of the integers x, y and z: the number of bits of the 32-bit word that do not belong to
/// the integer.
const BESIDE: [u32; 3] = [21, 21, 22];

#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "a float holds 11 bits exactly")]
fn decode(raw: U32) -> [f32; 3] {
    let [x, y, z] = parts(raw);
    [x as f32, y as f32, z as f32]
}

#[inline(always)]
fn parts(raw: U32) -> [i32; 3] {
    let word = i32::from_le_bytes(raw.to_bytes());
    let [above_x, above_y, above_z] = ABOVE;
    let [x, y, z] = [word.wrapping_shl(above_x), word.wrapping_shl(above_y), word.wrapping_shl(above_z)];
    let [beside_x, beside_y, beside_z] = BESIDE;
    [x.wrapping_shr(beside_x), y.wrapping_shr(beside_y), z.wrapping_shr(beside_z)]
}

/// Returns the integers x, y and z that are packed in a 32-bit word.
#[cfg(any(feature = "cli", feature = "internals"))]
#[must_use]
pub fn integers(raw: &U32) -> [i16; 3] {
    parts(*raw).map(narrow)
}

#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "11 bits fit")]
const fn narrow(part: i32) -> i16 {
    part as i16
}

/// Packs the integers x, y and z in a 32-bit word. Returns `None` if x or y is not in -1024 to
/// 1023, or z is not in -512 to 511.
#[cfg(any(feature = "cli", feature = "internals"))]
#[must_use]
pub fn encode([x, y, z]: [i16; 3]) -> Option<U32> {
    let fits = (-1024..1024).contains(&x) && (-1024..1024).contains(&y) && (-512..512).contains(&z);
    let bits = |value: i16, mask: u32| u32::from(u16::from_le_bytes(value.to_le_bytes())) & mask;
    fits.then(|| U32::new(bits(x, 0x7ff) | bits(y, 0x7ff) << 11 | bits(z, 0x3ff) << 22))
}

kernel! {
    /// Decodes the words in `raw` to `out`, until one of the two slices ends.
    fn decode_bulk(raw: &[U32], out: &mut [[f32; 3]]) {
        avx512 => x86::avx512::<Store>(raw, out),
        avx2 => x86::avx2::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, decode_each),
    }
}

#[inline(always)]
fn decode_each(raw: &[U32], out: &mut [[f32; 3]]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = decode(*raw);
    }
}

/// The number of 32-bit words that one iteration of the bounding-box loop compares: the number of
/// 32-bit lanes in the widest SIMD vector. Each lane has a separate minimum and maximum of x, y and
/// z.
const LANES: usize = 16;

/// Returns the bounding box of encoded vertices (minimum and maximum corner), or `None` if the
/// slice is empty.
///
/// On a processor with AVX2, `bounds` takes no longer than reading `raw` from memory.
#[must_use]
pub fn bounds(raw: &[U32]) -> Option<[[f32; 3]; 2]> {
    io::prefetch(raw.as_bytes());
    let first = raw.first()?;
    let (chunks, rest) = raw.as_chunks::<LANES>();
    // Repeating a vertex does not change the bounding box, so the last chunk is padded with the
    // first word.
    let mut last = [*first; LANES];
    last.iter_mut().zip(rest).for_each(|(last, word)| *last = *word);
    let [low, high] = widest(chunks, &last);
    let ends = [low.map(|lanes| lanes.into_iter().min()), high.map(|lanes| lanes.into_iter().max())];
    Some(ends.map(|corner| {
        let [x, y, z] = corner.map(Option::unwrap_or_default);
        let [beside_x, beside_y, beside_z] = BESIDE;
        [x.wrapping_shr(beside_x), y.wrapping_shr(beside_y), z.wrapping_shr(beside_z)]
            .map(|part| f32::from(narrow(part)))
    }))
}

/// For each SIMD lane, the smallest (or the largest) x, y and z of the vertices that the lane has
/// compared.
///
/// Each minimum or maximum is an integer in the highest bits of a 32-bit lane. The lower bits of
/// the lane affect a comparison only if the two compared integers are equal.
type LaneAxes = [[i32; LANES]; 3];

kernel! {
    fn widest(chunks: &[[U32; LANES]], last: &[U32; LANES]) -> [LaneAxes; 2] {
        let [mut low, mut high] = [[[i32::MAX; LANES]; 3], [[i32::MIN; LANES]; 3]];
        let distance = simd::prefetch_distance();
        for chunk in chunks {
            simd::prefetch_ahead(chunk, distance);
            widen(&mut low, &mut high, chunk);
        }
        widen(&mut low, &mut high, last);
        [low, high]
    }
}

/// Updates the minimum and the maximum x, y and z of each lane with one chunk of words.
///
/// Of the tested variants of the loop in `widen`, only this variant compiles to code that keeps all
/// six vectors (the minima and maxima of x, y and z) in registers.
#[inline(always)]
fn widen([x0, y0, z0]: &mut LaneAxes, [x1, y1, z1]: &mut LaneAxes, chunk: &[U32; LANES]) {
    let [above_x, above_y, above_z] = ABOVE;
    let low = x0.iter_mut().zip(y0).zip(z0);
    let high = x1.iter_mut().zip(y1).zip(z1);
    for ((((x0, y0), z0), ((x1, y1), z1)), raw) in low.zip(high).zip(chunk) {
        let word = i32::from_le_bytes(raw.to_bytes());
        let (x, y, z) = (word.wrapping_shl(above_x), word.wrapping_shl(above_y), word.wrapping_shl(above_z));
        (*x0, *y0, *z0) = (x.min(*x0), y.min(*y0), z.min(*z0));
        (*x1, *y1, *z1) = (x.max(*x1), y.max(*y1), z.max(*z1));
    }
}

/// Hand-written kernels for x86-64, for which compilers generate slower code from the portable
/// loop.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_cvtepi32_ps, _mm256_permutevar8x32_epi32, _mm256_sllv_epi32, _mm256_srav_epi32,
        _mm512_cvtepi32_ps, _mm512_permutexvar_epi32, _mm512_sllv_epi32, _mm512_srav_epi32,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::U32;
    use zerocopy::transmute;

    use crate::decode::packed32::{ABOVE, BESIDE, decode_each};
    use crate::decode::stream::in_chunks;
    use crate::simd::StreamingStore;

    /// For each of the 48 floats of sixteen decoded points: the index of the word that contains the
    /// integer of this float, and the left shift and the right shift that extract this integer.
    const WORDS: [[[i32; 16]; 3]; 3] = {
        let mut all = [[[0; 16]; 3]; 3];
        let (mut vector, mut lane) = (0, 0);
        #[allow(
            clippy::arithmetic_side_effects,
            clippy::indexing_slicing,
            clippy::as_conversions,
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "checked by the compiler; at most 47"
        )]
        while vector < 3 {
            let float = vector * 16 + lane;
            let (point, coordinate) = (float / 3, float % 3);
            all[vector][0][lane] = point as i32;
            all[vector][1][lane] = ABOVE[coordinate] as i32;
            all[vector][2][lane] = BESIDE[coordinate] as i32;
            lane += 1;
            (vector, lane) = (vector + lane / 16, lane % 16);
        }
        all
    };

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn avx512<S: StreamingStore>(raw: &[U32], out: &mut [[f32; 3]]) {
        let decode = |chunk: &[U32; 16]| {
            let words: __m512i = transmute!(*chunk);
            let vectors = WORDS.map(|[word, above, beside]| {
                let words = _mm512_sllv_epi32(_mm512_permutexvar_epi32(cast(word), words), cast(above));
                cast::<_, [f32; 16]>(_mm512_cvtepi32_ps(_mm512_srav_epi32(words, cast(beside))))
            });
            cast(vectors)
        };
        in_chunks::<S, _, _, 16>(raw, out, decode, decode_each);
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2<S: StreamingStore>(raw: &[U32], out: &mut [[f32; 3]]) {
        let [[words, above, beside], [more_words, more_above, more_beside], _] = WORDS;
        let [[words_a, words_b], [above_a, above_b], [beside_a, beside_b]] =
            [words, above, beside].map(cast::<_, [__m256i; 2]>);
        let [words_c, above_c, beside_c] =
            [more_words, more_above, more_beside].map(cast::<_, [__m256i; 2]>).map(|[first, _]| first);
        let tables = [[words_a, above_a, beside_a], [words_b, above_b, beside_b], [words_c, above_c, beside_c]];
        let decode_half = |words: __m256i| {
            tables.map(|[word, above, beside]| {
                let words = _mm256_sllv_epi32(_mm256_permutevar8x32_epi32(words, word), above);
                cast::<_, [f32; 8]>(_mm256_cvtepi32_ps(_mm256_srav_epi32(words, beside)))
            })
        };
        let decode = |chunk: &[U32; 16]| {
            let halves: [__m256i; 2] = transmute!(*chunk);
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

    fn words(count: u32) -> Vec<U32> {
        (0..count).map(|seed| U32::new(seed.wrapping_mul(2_654_435_761).rotate_left(seed))).collect()
    }

    /// Reference decoder: a direct translation of the format description, which the tests compare
    /// with [`Packed32`].
    fn naive(raw: U32) -> [i16; 3] {
        let w = raw.get();
        let part = |bits: u32, sign: u32| i16::try_from(i64::from(bits ^ sign) - i64::from(sign)).unwrap();
        [part(w & 0x7ff, 0x400), part((w >> 11) & 0x7ff, 0x400), part(w >> 22, 0x200)]
    }

    #[test]
    fn extends_signs() {
        for (code, value) in [(0, 0), (0x3ff, 1023), (0x400, -1024), (0x7ff, -1)] {
            assert_eq!(integers(&U32::new(code)), [value, 0, 0]);
            assert_eq!(integers(&U32::new(code << 11)), [0, value, 0]);
        }
        for (code, value) in [(0x1ff, 511), (0x200, -512), (0x3ff, -1)] {
            assert_eq!(integers(&U32::new(code << 22)), [0, 0, value]);
        }
    }

    #[test]
    fn every_code_returns() {
        for code in (0..0x800_u32).step_by(if cfg!(miri) { 31 } else { 1 }) {
            let word = U32::new(code | (code ^ 0x2aa) << 11 | (code & 0x3ff) << 22);
            assert_eq!(encode(integers(&word)), Some(word));
            assert_eq!(integers(&word), naive(word));
            assert_eq!(Packed32.decode(&word), integers(&word).map(f32::from));
        }
        for out in [[1024, 0, 0], [0, -1025, 0], [0, 0, 512], [0, 0, -513], [i16::MIN; 3], [i16::MAX; 3]] {
            assert_eq!(encode(out), None);
        }
    }

    #[test]
    fn agrees_with_its_naive_twin() {
        let bytes: Vec<u8> = std::iter::once(0).chain(words(1000).iter().flat_map(|word| word.to_bytes())).collect();
        for count in (0..70).chain([200, 999]).step_by(if cfg!(miri) { 9 } else { 1 }) {
            // The slice starts one byte after the start of the buffer, so the words are not
            // aligned.
            let raw: &[U32] = zerocopy::FromBytes::ref_from_bytes(&bytes[1..=count * 4]).unwrap();
            let values: Vec<_> = raw.iter().copied().map(naive).collect();
            let mut out = vec![[0.0; 3]; count];
            Packed::new(raw, Packed32).decode_into(&mut out).unwrap();
            assert_eq!(out, values.iter().map(|value| value.map(f32::from)).collect::<Vec<_>>());
            let corner = |pick: fn(i16, i16) -> i16| {
                let fold = |a: [i16; 3], b: [i16; 3]| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
                values.iter().copied().reduce(fold).map(|corner| corner.map(f32::from))
            };
            assert_eq!(bounds(raw), corner(i16::min).zip(corner(i16::max)).map(|(min, max)| [min, max]), "{count}");
        }
    }
}
