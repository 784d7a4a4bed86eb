//! Kernels that convert normals to four signed bytes: x, y, z and 0, as GPUs read them.
//!
//! A byte is the component times 127, rounded to the nearest integer, as
//! [`Snorm<i8>`](crate::decode::convert::Snorm) converts it. The kernels write the fourth byte too,
//! so the bytes of a normal are one 32-bit word.

use zerocopy::little_endian::{F32, U16};
use zerocopy::transmute;

use crate::decode::codec::one_by_one;
use crate::decode::convert::{OutputFormat, Snorm};
use crate::simd::kernel;

/// The bytes of a normal: x, y, z and 0.
pub(crate) type Snorm8x4 = [i8; 4];

/// Converts the floats of one normal.
#[inline(always)]
pub(super) fn from_float(normal: [f32; 3]) -> Snorm8x4 {
    let [x, y, z] = Snorm::<i8>::new().convert(normal);
    [x, y, z, 0]
}

kernel! {
    /// Converts normals of three floats. The two slices have the same length.
    pub(crate) fn from_floats(normals: &[[f32; 3]], out: &mut [Snorm8x4]) {
        avx512 => avx512::from_floats(normals, out),
        avx2 => avx2::from_floats(normals, out),
        _ => one_by_one(normals, out, |normal| from_float(*normal)),
    }
}

kernel! {
    /// Converts normals of three 16-bit codes ([`Unit16`](crate::decode::Unit16)). The two slices
    /// have the same length.
    pub(crate) fn from_unit16(raw: &[[U16; 3]], out: &mut [Snorm8x4]) {
        avx512 | avx2 => avx2::from_unit16(raw, out),
        _ => one_by_one(raw, out, from_codes),
    }
}

kernel! {
    /// Converts normals of three little-endian floats, which are `stride` bytes apart.
    ///
    /// `fields` starts with the first normal. Normals of which bytes are missing are left out.
    pub(crate) fn from_fields(fields: &[u8], stride: usize, out: &mut [Snorm8x4]) {
        avx512 | avx2 => each_field(fields, stride, out, |bytes: &[u8; 16]| avx2::from_field(bytes)),
        _ => each_field(fields, stride, out, from_bytes),
    }
}

/// Converts the first `BYTES` bytes of each field. If the last field is shorter, it is converted
/// with [`from_bytes`].
#[inline(always)]
fn each_field<const BYTES: usize>(
    fields: &[u8],
    stride: usize,
    out: &mut [Snorm8x4],
    convert: impl Fn(&[u8; BYTES]) -> Snorm8x4,
) {
    let mut fields = fields.chunks_exact(stride);
    let mut places = out.iter_mut();
    if stride >= BYTES {
        for (field, place) in fields.by_ref().zip(places.by_ref()) {
            if let Some(bytes) = field.first_chunk() {
                *place = convert(bytes);
            }
        }
    }
    let rest = fields.remainder();
    for (field, place) in fields.chain(std::iter::once(rest)).zip(places) {
        if let Some(bytes) = field.first_chunk() {
            *place = from_bytes(bytes);
        }
    }
}

/// Converts the little-endian floats of one normal.
#[inline(always)]
fn from_bytes(bytes: &[u8; 12]) -> Snorm8x4 {
    let floats: [F32; 3] = transmute!(*bytes);
    from_float(floats.map(F32::get))
}

/// Converts the codes of one normal with integers only.
///
/// A code `u` represents `u / 65535 * 2 - 1`, so its byte is `u * 254 / 65535`, rounded, minus 127.
/// The result equals the rounded float for all codes.
#[inline(always)]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "a record is passed as `one_by_one` passes it")]
fn from_codes(raw: &[U16; 3]) -> Snorm8x4 {
    let [x, y, z] = raw.map(|code| {
        let steps = u32::from(code.get()).wrapping_mul(254).wrapping_add(32767) / 65535;
        i8::try_from(i64::from(steps).wrapping_sub(127)).unwrap_or_default()
    });
    [x, y, z, 0]
}

/// Hand-written kernels for vectors of 256 bits.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx2 {
    use std::arch::x86_64::{
        __m128, __m128i, __m256, __m256i, _mm_and_ps, _mm_cmpord_ps, _mm_cvtps_epi32, _mm_max_ps, _mm_min_ps,
        _mm_mul_ps, _mm_packs_epi16, _mm_packs_epi32, _mm_set_ps, _mm_set1_ps, _mm256_add_epi16, _mm256_adds_epu16,
        _mm256_mulhi_epu16, _mm256_mullo_epi16, _mm256_or_si256, _mm256_packs_epi16, _mm256_packs_epi32,
        _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_set_m128i, _mm256_set1_epi16,
        _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_sub_epi8,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::U16;
    use zerocopy::transmute_ref;

    use crate::decode::codec::one_by_one;
    use crate::decode::quantize::x86::nearest256;
    use crate::decode::snorm8x4::{Snorm8x4, from_codes, from_float};

    /// Converts a normal of three floats, and ignores the last four bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn from_field(bytes: &[u8; 16]) -> Snorm8x4 {
        let floats: __m128 = cast(*bytes);
        let clamped = _mm_min_ps(_mm_max_ps(floats, _mm_set1_ps(-1.0)), _mm_set1_ps(1.0));
        let number = _mm_and_ps(_mm_cmpord_ps(floats, floats), clamped);
        let steps = _mm_cvtps_epi32(_mm_mul_ps(number, _mm_set_ps(0.0, 127.0, 127.0, 127.0)));
        let words = _mm_packs_epi32(steps, steps);
        let [normal, _, _, _]: [Snorm8x4; 4] = cast(_mm_packs_epi16(words, words));
        normal
    }

    /// Moves the bytes of the normals 0 to 3 to the first half of a vector and those of the normals
    /// 4 to 7 to the second half, after packing instructions interleaved the halves of three
    /// vectors.
    const HALVES: [i32; 8] = [0, 4, 1, 0, 5, 2, 6, 0];
    /// In each half of a vector, moves twelve bytes apart: a byte 0 follows each triple.
    const TRIPLES: [[i8; 16]; 2] = [[0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1]; 2];

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn from_floats(normals: &[[f32; 3]], out: &mut [Snorm8x4]) {
        let (chunks, rest) = normals.as_chunks::<8>();
        let (places, last) = out.as_chunks_mut::<8>();
        for (place, chunk) in places.iter_mut().zip(chunks) {
            let [a, b, c] = cast::<_, [__m256; 3]>(*chunk).map(|value| nearest256(value, -1.0, 127.0));
            let bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, c));
            let halves = _mm256_permutevar8x32_epi32(bytes, cast(HALVES));
            *place = cast(_mm256_shuffle_epi8(halves, cast(TRIPLES)));
        }
        one_by_one(rest, last, |normal| from_float(*normal));
    }

    /// Moves the low bytes of six 16-bit integers to the first or the last eight bytes of each half
    /// of a vector, with a byte 0 after each triple. The integers of a half begin at byte 0, or at
    /// byte 4.
    const FIRST: [[i8; 16]; 2] = [[0, 2, 4, -1, 6, 8, 10, -1, -1, -1, -1, -1, -1, -1, -1, -1]; 2];
    const LAST: [[i8; 16]; 2] = [
        [-1, -1, -1, -1, -1, -1, -1, -1, 0, 2, 4, -1, 6, 8, 10, -1],
        [-1, -1, -1, -1, -1, -1, -1, -1, 4, 6, 8, -1, 10, 12, 14, -1],
    ];
    /// The byte that represents 0, in the three components of each normal.
    const ZERO: [[i8; 4]; 8] = [[127, 127, 127, 0]; 8];

    /// Loads sixteen bytes from byte `at`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8; 48], at: usize) -> __m128i {
        cast(bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()).copied().unwrap_or_default())
    }

    /// Computes `code * 254 / 65535`, rounded to the nearest integer.
    ///
    /// If the product has the halves `high` and `low`, the quotient is `high`, or `high + 1` if
    /// `high + low` is at least 32768.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn steps(codes: __m256i) -> __m256i {
        let (high, low) =
            (_mm256_mulhi_epu16(codes, _mm256_set1_epi16(254)), _mm256_mullo_epi16(codes, _mm256_set1_epi16(254)));
        _mm256_add_epi16(high, _mm256_srli_epi16::<15>(_mm256_adds_epu16(high, low)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn from_unit16(raw: &[[U16; 3]], out: &mut [Snorm8x4]) {
        let (chunks, rest) = raw.as_chunks::<8>();
        let (places, last) = out.as_chunks_mut::<8>();
        for (place, chunk) in places.iter_mut().zip(chunks) {
            let bytes: &[u8; 48] = transmute_ref!(chunk);
            // Each half holds two normals: 0, 1 and 2, 3 in one vector, 4, 5 and 6, 7 in the other.
            // The last load begins four bytes early, because it would exceed the bytes otherwise.
            let front = steps(_mm256_set_m128i(load(bytes, 12), load(bytes, 0)));
            let back = steps(_mm256_set_m128i(load(bytes, 32), load(bytes, 24)));
            let pairs = _mm256_or_si256(_mm256_shuffle_epi8(front, cast(FIRST)), _mm256_shuffle_epi8(back, cast(LAST)));
            let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(pairs);
            *place = cast(_mm256_sub_epi8(ordered, cast(ZERO)));
        }
        one_by_one(rest, last, from_codes);
    }
}

/// Hand-written kernels for vectors of 512 bits.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx512 {
    use std::arch::x86_64::{
        __m512, _mm512_packs_epi16, _mm512_packs_epi32, _mm512_permutexvar_epi32, _mm512_shuffle_epi8,
    };

    use bytemuck::cast;

    use crate::decode::codec::one_by_one;
    use crate::decode::quantize::x86::nearest512;
    use crate::decode::snorm8x4::{Snorm8x4, from_float};

    /// Moves the bytes of the normals 4k to 4k + 3 to quarter k of a vector, after packing
    /// instructions interleaved the quarters of three vectors.
    const QUARTERS: [i32; 16] = [0, 4, 8, 0, 12, 1, 5, 0, 9, 13, 2, 0, 6, 10, 14, 0];
    /// In each quarter of a vector, moves twelve bytes apart: a byte 0 follows each triple.
    const TRIPLES: [[i8; 16]; 4] = [[0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1]; 4];

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) fn from_floats(normals: &[[f32; 3]], out: &mut [Snorm8x4]) {
        let (chunks, rest) = normals.as_chunks::<16>();
        let (places, last) = out.as_chunks_mut::<16>();
        for (place, chunk) in places.iter_mut().zip(chunks) {
            let [a, b, c] = cast::<_, [__m512; 3]>(*chunk).map(|value| nearest512(value, -1.0, 127.0));
            let bytes = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, c));
            let quarters = _mm512_permutexvar_epi32(cast(QUARTERS), bytes);
            *place = cast(_mm512_shuffle_epi8(quarters, cast(TRIPLES)));
        }
        one_by_one(rest, last, |normal| from_float(*normal));
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::decode::equivalence_tests::every_code;
    use crate::decode::{Decode, Unit16};
    use crate::simd::at_each_level;

    #[test]
    fn every_code_is_the_rounded_float() {
        let raw: Vec<[U16; 3]> =
            every_code().map(|code| [code, code.wrapping_add(1), code.wrapping_mul(3)].map(U16::new)).collect();
        let expected: Vec<_> = raw.iter().map(|raw| from_float(Unit16.decode(raw))).collect();
        at_each_level(|level| {
            let mut out = vec![[1; 4]; raw.len()];
            from_unit16(&raw, &mut out);
            assert!(out == expected, "{level:?}");
        });
    }

    #[test]
    fn every_length_and_address_agrees() {
        let bytes = any_bytes(64 * 6 + 16);
        let floats: Vec<[f32; 3]> = any_bytes(64 * 12)
            .as_chunks::<12>()
            .0
            .iter()
            .map(|bytes| bytemuck::cast::<_, [f32; 3]>(*bytes))
            .chain([[f32::NAN, 1.5, -1.5], [f32::INFINITY, f32::NEG_INFINITY, -0.0], [1.0, -1.0, 0.5]])
            .chain((0..61_u8).map(|step| [0.0, 0.25, -0.5].map(|offset| f32::from(step) / 61.0 + offset)))
            .collect();
        at_each_level(|level| {
            for count in 0..if cfg!(miri) { 20 } else { 64 } {
                for offset in 0..if cfg!(miri) { 2 } else { 16 } {
                    let raw = <[[U16; 3]]>::ref_from_bytes(&bytes[offset..offset + count * 6]).unwrap();
                    let expected: Vec<_> = raw.iter().map(from_codes).collect();
                    let mut out = vec![[1; 4]; count];
                    from_unit16(raw, &mut out);
                    assert_eq!(out, expected, "{level:?} {count} {offset}");
                }
                let normals = &floats[floats.len() - count * 2..];
                let mut out = vec![[1; 4]; count * 2];
                from_floats(normals, &mut out);
                assert!(out.iter().zip(normals).all(|(out, normal)| *out == from_float(*normal)), "{level:?} {count}");
            }
            for (stride, at) in [(12, 0), (16, 0), (16, 4), (20, 5), (36, 24)] {
                let bytes = &bytemuck::cast_slice::<_, u8>(&floats)[at..];
                for count in (0..=bytes.len() / stride).step_by(if cfg!(miri) { 41 } else { 1 }) {
                    let expected: Vec<_> =
                        (0..count).map(|field| from_bytes(bytes[field * stride..].first_chunk().unwrap())).collect();
                    let end = count.saturating_sub(1) * stride + if count > 0 { 12 } else { 0 };
                    for bytes in [bytes, &bytes[..end]] {
                        let mut out = vec![[1; 4]; count];
                        from_fields(bytes, stride, &mut out);
                        assert_eq!(out, expected, "{level:?} {stride} {at} {count}");
                    }
                }
            }
            let mut out = vec![[1; 4]; floats.len()];
            from_floats(&floats, &mut out);
            assert!(out.iter().zip(&floats).all(|(out, normal)| *out == from_float(*normal)), "{level:?}");
        });
    }
}
