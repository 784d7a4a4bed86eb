//! The influence of a bone on a vertex, stored in four bytes: a bone index (`i16`) and a weight
//! (`u16`, divided by 65535).
//!
//! When the UNIGINE engine encodes a weight, it rounds `weight * 65535` toward zero. A truncated
//! weight has an absolute error of up to 1.6e-5, and the stored weights of one vertex add up to
//! 65532 to 65535, because each weight may be truncated.

use zerocopy::little_endian::{I16, U16};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::codec::Decode;
#[cfg(any(feature = "cli", feature = "internals"))]
use crate::decode::divisor::truncate;
use crate::decode::influence3::{Influence, weight};
use crate::decode::stream::in_blocks;
use crate::simd::kernel;

/// The four bytes of a stored influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawInfluence4 {
    /// Index of the bone in the array of bones in the file.
    pub bone: I16,
    /// The weight, multiplied by 65535.
    pub weight: U16,
}

/// Decodes an influence that is stored in four bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Influence4;

impl Decode for Influence4 {
    type Raw = RawInfluence4;
    type Value = Influence;

    #[inline]
    fn decode(&self, raw: &RawInfluence4) -> Influence {
        Influence { bone: raw.bone.get().into(), weight: f32::from(raw.weight.get()) / 65535.0 }
    }

    fn decode_all(&self, raw: &[RawInfluence4], out: &mut [Influence]) {
        decode_bulk(raw, out);
    }
}

kernel! {
    /// Decodes the influences in `raw` to `out`, until one of the two slices ends.
    fn decode_bulk(raw: &[RawInfluence4], out: &mut [Influence]) {
        avx512 => x86::avx512::<Store>(raw, out),
        avx2 => x86::avx2::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 32>(raw, out, decode_each::<false>),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[RawInfluence4], out: &mut [Influence]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = Influence { bone: raw.bone.get().into(), weight: weight::<FUSED>(raw.weight) };
    }
}

/// Encodes an influence to the same four bytes as the UNIGINE engine: the weight is clamped to 0..1
/// and truncated to a 16-bit code.
///
/// ```
/// use meshpeek::decode::{Influence, influence4::encode};
/// assert_eq!(encode(Influence { bone: 7, weight: 1.0 / 3.0 }).weight.get(), 21845);
/// ```
#[cfg(any(feature = "cli", feature = "internals"))]
#[must_use]
pub fn encode(influence: Influence) -> RawInfluence4 {
    let weight = u16::try_from(truncate(influence.weight, 65535.0)).unwrap_or_default();
    // A bone index that does not fit in 16 bits becomes -1, which is not the index of a bone.
    let bone = i16::try_from(influence.bone).unwrap_or(-1);
    RawInfluence4 { bone: I16::new(bone), weight: U16::new(weight) }
}

/// Hand-written kernels for x86-64, for which compilers generate slower code from the portable
/// loop.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_castsi256_ps, _mm256_cvtepi32_ps, _mm256_fmadd_ps, _mm256_mul_ps,
        _mm256_permute4x64_epi64, _mm256_set1_ps, _mm256_slli_epi32, _mm256_srai_epi32, _mm256_srli_epi32,
        _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm512_castsi512_ps, _mm512_cvtepi32_ps, _mm512_fmadd_ps,
        _mm512_mul_ps, _mm512_permutex2var_ps, _mm512_set1_ps, _mm512_slli_epi32, _mm512_srai_epi32, _mm512_srli_epi32,
    };

    use bytemuck::cast;
    use zerocopy::transmute;

    use crate::decode::divisor::BY_65535;
    use crate::decode::influence3::Influence;
    use crate::decode::influence4::{RawInfluence4, decode_each};
    use crate::decode::stream::in_chunks;
    use crate::simd::StreamingStore;

    /// Two permutations that interleave a vector of bone indices and a vector of weights.
    const PAIRS: [[i32; 16]; 2] = [
        [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23],
        [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31],
    ];

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn avx512<S: StreamingStore>(raw: &[RawInfluence4], out: &mut [Influence]) {
        let (reciprocal, rest) = (_mm512_set1_ps(BY_65535.reciprocal), _mm512_set1_ps(BY_65535.rest));
        let decode = |chunk: &[RawInfluence4; 16]| {
            let records: __m512i = transmute!(*chunk);
            let bones = _mm512_castsi512_ps(_mm512_srai_epi32::<16>(_mm512_slli_epi32::<16>(records)));
            let code = _mm512_cvtepi32_ps(_mm512_srli_epi32::<16>(records));
            let weights = _mm512_fmadd_ps(code, reciprocal, _mm512_mul_ps(code, rest));
            cast(PAIRS.map(|places| _mm512_permutex2var_ps(bones, cast(places), weights)))
        };
        in_chunks::<S, _, _, 16>(raw, out, decode, decode_each::<true>);
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2<S: StreamingStore>(raw: &[RawInfluence4], out: &mut [Influence]) {
        let (reciprocal, rest) = (_mm256_set1_ps(BY_65535.reciprocal), _mm256_set1_ps(BY_65535.rest));
        let influences = |records: __m256i| {
            // The instructions that interleave work in each half of a vector.
            let records = _mm256_permute4x64_epi64::<0b11_01_10_00>(records);
            let bones = _mm256_castsi256_ps(_mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(records)));
            let code = _mm256_cvtepi32_ps(_mm256_srli_epi32::<16>(records));
            let weights = _mm256_fmadd_ps(code, reciprocal, _mm256_mul_ps(code, rest));
            [_mm256_unpacklo_ps(bones, weights), _mm256_unpackhi_ps(bones, weights)]
        };
        let decode = |chunk: &[RawInfluence4; 16]| {
            let halves: [__m256i; 2] = transmute!(*chunk);
            cast(halves.map(influences))
        };
        in_chunks::<S, _, _, 16>(raw, out, decode, decode_each::<true>);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::equivalence_tests::every_code;

    #[test]
    fn golden_vectors() {
        let weight = |weight| encode(Influence { bone: -1, weight }).weight.get();
        assert_eq!([0.0, 1.0, 0.5, 0.999_99, 2.0, -1.0, f32::NAN].map(weight), [0, 65535, 32767, 65534, 65535, 0, 0]);
    }

    #[test]
    fn every_code_is_within_one_of_itself() {
        for code in every_code() {
            let value = Influence4.decode(&RawInfluence4 { bone: I16::new(3), weight: U16::new(code) });
            let again = encode(value);
            assert_eq!(again.bone.get(), 3);
            assert!(code - again.weight.get() <= 1, "{code}");
            assert!((0.0..=1.0).contains(&value.weight));
        }
    }
}
