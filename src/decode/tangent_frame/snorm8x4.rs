//! Kernels that decode the normals of tangent frames to four signed bytes, as GPUs read them.
//!
//! The components of eight or sixteen quaternions are in separate vectors, so the normals never
//! become triples of floats.

use zerocopy::little_endian::I16;

use crate::decode::codec::one_by_one;
use crate::decode::snorm8x4::{Snorm8x4, from_float};
use crate::decode::tangent_frame::scalar::frame8;
use crate::simd::kernel;

kernel! {
    /// Decodes the normals of quaternions of eight bytes. The bytes equal those of the decoded
    /// floats. The two slices have the same length.
    pub(crate) fn normals8_to_snorm8x4(raw: &[[I16; 4]], out: &mut [Snorm8x4]) {
        avx512 => avx512::normals8(raw, out),
        avx2 => avx2::normals8(raw, out),
        _ => one_by_one(raw, out, normal8),
    }
}

#[inline(always)]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "a record is passed as `one_by_one` passes it")]
fn normal8(raw: &[I16; 4]) -> Snorm8x4 {
    from_float(frame8(raw).normal())
}

/// The number of a signed byte that represents 1.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const ONE: f32 = 127.0;

/// In each quarter of a vector, changes the order of the bytes of four values of x, y, z and 0 to
/// four normals.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const TRANSPOSED: [i8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(clippy::many_single_char_names, reason = "components of quaternions have one-letter names")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _mm256_cvtps_epi32, _mm256_mul_ps, _mm256_packs_epi16, _mm256_packs_epi32,
        _mm256_permute4x64_epi64, _mm256_set1_ps, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_unpackhi_epi64,
        _mm256_unpacklo_epi64,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::I16;
    use zerocopy::transmute;

    use crate::decode::codec::one_by_one;
    use crate::decode::tangent_frame::avx2::{XY, ZW, normal, scale, unit};
    use crate::decode::tangent_frame::snorm8x4::{ONE, Snorm8x4, TRANSPOSED, normal8};

    /// Returns x, y, z and w of eight quaternions, in the order 0, 1, 4, 5, 2, 3, 6, 7.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn components(raw: &[[I16; 4]; 8]) -> [__m256; 4] {
        let [front, back]: [__m256i; 2] = transmute!(*raw);
        let [a, b] = [_mm256_shuffle_epi8(front, cast(XY)), _mm256_shuffle_epi8(back, cast(XY))];
        let [c, d] = [_mm256_shuffle_epi8(front, cast(ZW)), _mm256_shuffle_epi8(back, cast(ZW))];
        [
            scale(_mm256_unpacklo_epi64(a, b)),
            scale(_mm256_unpackhi_epi64(a, b)),
            scale(_mm256_unpacklo_epi64(c, d)),
            scale(_mm256_unpackhi_epi64(c, d)),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn normals8(raw: &[[I16; 4]], out: &mut [Snorm8x4]) {
        let (chunks, rest) = raw.as_chunks::<8>();
        let (places, last) = out.as_chunks_mut::<8>();
        for (place, chunk) in places.iter_mut().zip(chunks) {
            // The components of a unit normal exceed 1 by rounding errors only, so their bytes are
            // in range without a clamp.
            let [x, y, z] = normal(unit(components(chunk)))
                .map(|part| _mm256_cvtps_epi32(_mm256_mul_ps(part, _mm256_set1_ps(ONE))));
            let pairs = [_mm256_packs_epi32(x, y), _mm256_packs_epi32(z, _mm256_setzero_si256())];
            let bytes = _mm256_shuffle_epi8(_mm256_packs_epi16(pairs[0], pairs[1]), cast([TRANSPOSED; 2]));
            *place = cast(_mm256_permute4x64_epi64::<0b11_01_10_00>(bytes));
        }
        one_by_one(rest, last, normal8);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx512 {
    use std::arch::x86_64::{
        _mm512_cvtps_epi32, _mm512_mul_ps, _mm512_packs_epi16, _mm512_packs_epi32, _mm512_permutexvar_epi32,
        _mm512_set1_ps, _mm512_setzero_si512, _mm512_shuffle_epi8,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::I16;

    use crate::decode::codec::one_by_one;
    use crate::decode::tangent_frame::avx512::{eight, kept, normal, unit};
    use crate::decode::tangent_frame::snorm8x4::{ONE, Snorm8x4, TRANSPOSED, normal8};

    /// Moves the normals from the order of the lanes, in which quaternion 4k + l is in lane 4l + k,
    /// to the order of the file.
    const FILE_ORDER: [i32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn normals8(raw: &[[I16; 4]], out: &mut [Snorm8x4]) {
        let kept = kept();
        let (chunks, rest) = raw.as_chunks::<16>();
        let (places, last) = out.as_chunks_mut::<16>();
        for (place, chunk) in places.iter_mut().zip(chunks) {
            let [x, y, z] = normal(unit(eight(chunk, kept)))
                .map(|part| _mm512_cvtps_epi32(_mm512_mul_ps(part, _mm512_set1_ps(ONE))));
            let pairs = [_mm512_packs_epi32(x, y), _mm512_packs_epi32(z, _mm512_setzero_si512())];
            let bytes = _mm512_shuffle_epi8(_mm512_packs_epi16(pairs[0], pairs[1]), cast([TRANSPOSED; 4]));
            *place = cast(_mm512_permutexvar_epi32(cast(FILE_ORDER), bytes));
        }
        one_by_one(rest, last, normal8);
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::simd::at_each_level;

    #[test]
    fn every_length_and_address_agrees_with_the_floats() {
        let mut bytes = any_bytes(if cfg!(miri) { 400 } else { 100_000 });
        // Quaternions without length, with the greatest components, and along an axis.
        let special: [[i16; 4]; 6] =
            [[0; 4], [-32768; 4], [32767; 4], [0, 0, 0, -1], [1, 0, 0, 0], [0, -32767, 32767, 32]];
        for (place, value) in bytes.as_chunks_mut::<8>().0.iter_mut().skip(3).zip(special) {
            *place = bytemuck::cast(value.map(i16::to_le));
        }
        let count = bytes.len() / 8 - 1;
        at_each_level(|level| {
            for (offset, lengths) in [(0, 0..70), (1, 0..70), (7, count..count + 1), (0, count..count + 1)] {
                for length in lengths.step_by(if cfg!(miri) { 23 } else { 1 }) {
                    let length = length.min(count);
                    let raw = <[[I16; 4]]>::ref_from_bytes(&bytes[offset..offset + length * 8]).unwrap();
                    let expected: Vec<_> = raw.iter().map(normal8).collect();
                    let mut out = vec![[1; 4]; length];
                    normals8_to_snorm8x4(raw, &mut out);
                    assert!(out == expected, "{level:?} {offset} {length}");
                }
            }
        });
    }
}
