//! Kernels that decode the normals of tangent frames to four signed bytes, as GPUs read them.
//!
//! The components of eight or sixteen quaternions are in separate vectors, so the normals never
//! become triples of floats.

use zerocopy::little_endian::I16;

use crate::decode::codec::one_by_one;
use crate::decode::snorm8x4::{Snorm8x4, from_float};
use crate::decode::tangent_frame::scalar::frame8;
use crate::simd::kernel;

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) use avx2::{EightNormals, eight_from_floats};

kernel! {
    /// Decodes the normals of quaternions of eight bytes. The bytes equal those of the decoded
    /// floats. The two slices have the same length.
    pub(crate) fn normals8_to_snorm8x4(raw: &[[I16; 4]], out: &mut [Snorm8x4]) {
        avx512 => avx512::normals8(raw, out),
        avx2 => avx2::normals8(raw, out),
        _ => one_by_one(raw, out, normal8_to_snorm8x4),
    }
}

/// Decodes the normal of one quaternion of eight bytes.
#[inline(always)]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "a record is passed as `one_by_one` passes it")]
pub(crate) fn normal8_to_snorm8x4(raw: &[I16; 4]) -> Snorm8x4 {
    from_float(frame8(raw).normal())
}

/// The number of a signed byte that represents 1.
#[cfg(any(test, all(target_arch = "x86_64", not(miri))))]
const ONE: f32 = 127.0;

/// In each quarter of a vector, changes the order of the bytes of four values of x, y, z and 0 to
/// four normals.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const TRANSPOSED: [i8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// Kernels for vectors of 256 bits.
///
/// The kernels compute the bytes of a normal from the integers of its quaternion, without scaling
/// the quaternion to unit length. If `s` is the sum of the squares of x, y, z and w, the normal is
/// `2 (xz + yw) / s`, `2 (yz - xw) / s`, `(zz + ww - xx - yy) / s`. The results are fixed-point
/// numbers with 16 bits after the point. Before rounding to a byte, such a result and the decoded
/// float times 127 differ by less than 21 units of 2^-16:
///
/// - The decoded floats differ from the exact normal by at most 33 units of 2^-24. Each component
///   of the scaled quaternion has a relative error of 7 units, and each product one of 15. A sum of
///   two products has an error of 8 units, because it does not exceed 1/2, and the sum of the
///   squares of x and y has an error of 16. The last operations double the sum and round. Times
///   127, this is less than 17 units of 2^-16.
/// - The integer products and their sums are exact. Rounding them to floats, adding them, the
///   division and the last product have an error of 6 units of 2^-24. Rounding to an integer has an
///   error of 1/2. Together, this is less than 4 units of 2^-16.
///
/// If a result is within 32 units of the middle between two bytes, its group of eight normals is
/// computed from floats. This happens to one group in 43 if the normals are random.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(clippy::many_single_char_names, reason = "components of quaternions have one-letter names")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_EQ_OQ, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256, _mm256_castps_si256,
        _mm256_cmp_ps, _mm256_cmpeq_epi16, _mm256_cmpgt_epi32, _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_div_ps,
        _mm256_madd_epi16, _mm256_min_epu16, _mm256_movemask_epi8, _mm256_mul_ps, _mm256_or_si256, _mm256_packs_epi16,
        _mm256_packs_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps,
        _mm256_setzero_ps, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_shuffle_ps, _mm256_sign_epi16,
        _mm256_sub_ps, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::I16;
    use zerocopy::transmute;

    use crate::decode::codec::one_by_one;
    use crate::decode::tangent_frame::avx2::{XY, ZW, normal, scale, unit};
    use crate::decode::tangent_frame::snorm8x4::{ONE, Snorm8x4, TRANSPOSED, normal8_to_snorm8x4};

    /// The number of a fixed-point number that represents 1.
    const POINT: f32 = 65536.0;
    /// The greatest distance from the middle between two bytes at which the byte is not certain.
    const DISTANCE: i32 = 32;

    /// Moves the 64-bit lanes of a vector from the order 0, 2, 1, 3 to 0, 1, 2, 3. Instructions
    /// that combine two vectors of four quaternions leave the order 0, 1, 4, 5, 2, 3, 6, 7.
    const IN_ORDER: i32 = 0b11_01_10_00;
    /// Changes the order of x, y, z and w to z, w, y and x.
    const ZWYX: [[i8; 16]; 2] = [[4, 5, 6, 7, 2, 3, 0, 1, 12, 13, 14, 15, 10, 11, 8, 9]; 2];
    /// Negates the fourth of four integers.
    const LAST_NEGATED: [[i16; 4]; 4] = [[1, 1, 1, -1]; 4];
    /// Moves the third byte of each lane to the first, the second or the third byte.
    const FIRST: [[i8; 16]; 2] = [[2, -1, -1, -1, 6, -1, -1, -1, 10, -1, -1, -1, 14, -1, -1, -1]; 2];
    const SECOND: [[i8; 16]; 2] = [[-1, 2, -1, -1, -1, 6, -1, -1, -1, 10, -1, -1, -1, 14, -1, -1]; 2];
    const THIRD: [[i8; 16]; 2] = [[-1, -1, 2, -1, -1, -1, 6, -1, -1, -1, 10, -1, -1, -1, 14, -1]; 2];

    /// Returns `xz + yw` and `yz - xw` of four quaternions, and `xx + yy` and `zz + ww`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn products(four: __m256i) -> [__m256; 2] {
        let others = _mm256_sign_epi16(_mm256_shuffle_epi8(four, cast(ZWYX)), cast(LAST_NEGATED));
        [others, four].map(|others| _mm256_cvtepi32_ps(_mm256_madd_epi16(four, others)))
    }

    /// Eight normals: the bytes as fixed-point numbers, plus a half and [`DISTANCE`], and the lanes
    /// in which they may be wrong.
    ///
    /// The two steps of a conversion are separate functions, because the compiler does not inline
    /// one long function.
    pub(crate) struct EightNormals {
        parts: [__m256i; 3],
        may_be_wrong: __m256i,
    }

    impl EightNormals {
        /// Computes the normals of eight quaternions. The first vector contains the first four.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn new([front, back]: [__m256i; 2]) -> Self {
            let ([a, b], [c, d]) = (products(front), products(back));
            let (x, y) = (_mm256_shuffle_ps::<0b10_00_10_00>(a, c), _mm256_shuffle_ps::<0b11_01_11_01>(a, c));
            let (xy, zw) = (_mm256_shuffle_ps::<0b10_00_10_00>(b, d), _mm256_shuffle_ps::<0b11_01_11_01>(b, d));
            let sum = _mm256_add_ps(xy, zw);
            let scale = _mm256_div_ps(_mm256_set1_ps(ONE * POINT), sum);
            let twice = _mm256_add_ps(scale, scale);
            let parts = [_mm256_mul_ps(twice, x), _mm256_mul_ps(twice, y), _mm256_mul_ps(scale, _mm256_sub_ps(zw, xy))];
            let half = _mm256_set1_epi32((1 << 15) + DISTANCE);
            let is_zero = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(sum, _mm256_setzero_ps()));
            // The products overflow only with the component -32768.
            let lowest = _mm256_set1_epi16(i16::MIN);
            let is_lowest = _mm256_or_si256(_mm256_cmpeq_epi16(front, lowest), _mm256_cmpeq_epi16(back, lowest));
            Self {
                parts: parts.map(|part| _mm256_add_epi32(_mm256_cvtps_epi32(part), half)),
                may_be_wrong: _mm256_or_si256(is_zero, is_lowest),
            }
        }

        /// Returns the bytes of the normals, or `None` if one of them may be wrong.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn bytes(self) -> Option<[Snorm8x4; 8]> {
            let [x, y, z] = self.parts;
            // The byte is the third byte of the lane. The first two say how far the middle between
            // two bytes is.
            let least = _mm256_and_si256(_mm256_min_epu16(_mm256_min_epu16(x, y), z), _mm256_set1_epi32(0xffff));
            let is_near = _mm256_cmpgt_epi32(_mm256_set1_epi32(2 * DISTANCE), least);
            if _mm256_movemask_epi8(_mm256_or_si256(is_near, self.may_be_wrong)) != 0 {
                return None;
            }
            let [x, y, z] =
                [(x, FIRST), (y, SECOND), (z, THIRD)].map(|(part, place)| _mm256_shuffle_epi8(part, cast(place)));
            let bytes = _mm256_or_si256(_mm256_or_si256(x, y), z);
            Some(cast(_mm256_permute4x64_epi64::<IN_ORDER>(bytes)))
        }
    }

    /// Decodes eight normals with the operations of the decoder of floats.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    pub(crate) fn eight_from_floats([front, back]: [__m256i; 2]) -> [Snorm8x4; 8] {
        let [a, b] = [_mm256_shuffle_epi8(front, cast(XY)), _mm256_shuffle_epi8(back, cast(XY))];
        let [c, d] = [_mm256_shuffle_epi8(front, cast(ZW)), _mm256_shuffle_epi8(back, cast(ZW))];
        let components = [
            _mm256_unpacklo_epi64(a, b),
            _mm256_unpackhi_epi64(a, b),
            _mm256_unpacklo_epi64(c, d),
            _mm256_unpackhi_epi64(c, d),
        ];
        // The components of a unit normal exceed 1 by rounding errors only, so their bytes are in
        // range without a clamp.
        let [x, y, z] = normal(unit(components.map(|part| scale(part))))
            .map(|part| _mm256_cvtps_epi32(_mm256_mul_ps(part, _mm256_set1_ps(ONE))));
        let pairs = [_mm256_packs_epi32(x, y), _mm256_packs_epi32(z, _mm256_setzero_si256())];
        let bytes = _mm256_shuffle_epi8(_mm256_packs_epi16(pairs[0], pairs[1]), cast([TRANSPOSED; 2]));
        cast(_mm256_permute4x64_epi64::<IN_ORDER>(bytes))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn normals8(raw: &[[I16; 4]], out: &mut [Snorm8x4]) {
        let (chunks, rest) = raw.as_chunks::<8>();
        let (places, last) = out.as_chunks_mut::<8>();
        for (place, chunk) in places.iter_mut().zip(chunks) {
            let raw = transmute!(*chunk);
            *place = EightNormals::new(raw).bytes().unwrap_or_else(|| eight_from_floats(raw));
        }
        one_by_one(rest, last, normal8_to_snorm8x4);
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
    use crate::decode::tangent_frame::snorm8x4::{ONE, Snorm8x4, TRANSPOSED, normal8_to_snorm8x4};

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
        one_by_one(rest, last, normal8_to_snorm8x4);
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
        let mut bytes = any_bytes(if cfg!(miri) { 400 } else { 1_000_000 });
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
                    let expected: Vec<_> = raw.iter().map(normal8_to_snorm8x4).collect();
                    let mut out = vec![[1; 4]; length];
                    normals8_to_snorm8x4(raw, &mut out);
                    assert!(out == expected, "{level:?} {offset} {length}");
                }
            }
        });
    }

    /// The kernel for AVX2 takes a byte that is computed in another way if the decoded float, times
    /// 127, is not within 32 / 65536 of the middle between two bytes.
    #[test]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the exact normal is compared")]
    fn decoded_floats_are_near_the_exact_normal() {
        let bytes = any_bytes(if cfg!(miri) { 400 } else { 1_000_000 });
        let raw = <[[I16; 4]]>::ref_from_bytes(&bytes).unwrap();
        let mut greatest = 0.0_f64;
        for raw in raw.iter().filter(|raw| raw.iter().any(|part| part.get() != 0)) {
            let [x, y, z, w] = raw.map(|part| f64::from(part.get()));
            let sum = x * x + y * y + z * z + w * w;
            let exact = [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), z * z + w * w - x * x - y * y];
            for (found, exact) in frame8(raw).normal().into_iter().zip(exact) {
                let difference = f64::from(found * ONE) - exact / sum * f64::from(ONE);
                greatest = greatest.max(difference.abs() * 65536.0);
            }
        }
        assert!(greatest < 17.0, "{greatest}");
    }
}
