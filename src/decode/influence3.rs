//! The influence of a bone on a vertex, stored in three bytes: a bone index (`u8`) and a weight
//! (`u16`, divided by 65535).
//!
//! When a Second Life viewer encodes a weight, it rounds `weight * 65535` toward zero. A truncated
//! weight has an absolute error of up to 1.6e-5, and the stored weights of one vertex add up to
//! 65532 to 65535, because each weight may be truncated.

use bytemuck::{Pod, Zeroable};
use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::codec::Decode;
use crate::decode::divisor::BY_65535;
#[cfg(feature = "internals")]
use crate::decode::divisor::round;
use crate::decode::stream::in_blocks;
use crate::simd::kernel;

/// The influence of one bone on a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Influence {
    /// Index of the bone in the array of bones in the file. The bone index is not checked: in a
    /// damaged file, it may be negative or too large.
    pub bone: i32,
    /// The weight with which the bone moves the vertex, 0 to 1.
    pub weight: f32,
}

/// Decodes a stored 16-bit weight to a float in 0 to 1.
#[inline(always)]
pub(super) fn weight<const FUSED: bool>(raw: U16) -> f32 {
    BY_65535.divide::<FUSED>(f32::from(raw.get()))
}

/// The three bytes of a stored influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawInfluence3 {
    /// Index of the bone in the joint names of the skin, 0 to 254.
    pub bone: u8,
    /// The weight, multiplied by 65535.
    pub weight: U16,
}

/// Decodes an influence that is stored in three bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Influence3;

impl Decode for Influence3 {
    type Raw = RawInfluence3;
    type Value = Influence;

    #[inline]
    fn decode(&self, raw: &RawInfluence3) -> Influence {
        Influence { bone: raw.bone.into(), weight: f32::from(raw.weight.get()) / 65535.0 }
    }

    fn decode_all(&self, raw: &[RawInfluence3], out: &mut [Influence]) {
        decode_bulk(raw, out);
    }
}

kernel! {
    /// Decodes the influences in `raw` to `out`, until one of the two slices ends.
    fn decode_bulk(raw: &[RawInfluence3], out: &mut [Influence]) {
        avx512 => x86::avx512::<Store>(raw, out),
        avx2 => x86::avx2::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 32>(raw, out, decode_each::<false>),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[RawInfluence3], out: &mut [Influence]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = Influence { bone: raw.bone.into(), weight: weight::<FUSED>(raw.weight) };
    }
}

/// Encodes the influence of a bone in three bytes. The weight is clamped to 0..1 and rounded to the
/// nearest 16-bit code.
///
/// Returns `None` if the bone index is not 0 to 254.
///
/// ```
/// use meshpeek::decode::{Influence, influence3::encode};
/// assert_eq!(encode(Influence { bone: 7, weight: 0.5 }).unwrap().weight.get(), 32768);
/// assert_eq!(encode(Influence { bone: 255, weight: 0.5 }), None);
/// ```
#[cfg(feature = "internals")]
#[must_use]
pub fn encode(influence: Influence) -> Option<RawInfluence3> {
    let bone = u8::try_from(influence.bone).ok().filter(|bone| *bone < u8::MAX)?;
    let weight = round(f64::from(influence.weight) * 65535.0);
    Some(RawInfluence3 { bone, weight: U16::new(weight) })
}

/// Hand-written kernels for x86-64, for which compilers generate slower code from the portable
/// loop.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m512i, _mm256_blend_ps, _mm256_broadcastsi128_si256, _mm256_castsi256_ps, _mm256_cvtepi32_ps,
        _mm256_fmadd_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_shuffle_epi8, _mm512_castsi256_si512,
        _mm512_castsi512_ps, _mm512_cvtepi32_ps, _mm512_fmadd_ps, _mm512_mask_blend_ps, _mm512_maskz_permutexvar_epi8,
        _mm512_mul_ps, _mm512_set1_ps,
    };

    use bytemuck::cast;
    use zerocopy::transmute_ref;

    use crate::decode::divisor::BY_65535;
    use crate::decode::influence3::{Influence, RawInfluence3, decode_each};
    use crate::decode::stream::in_chunks;
    use crate::simd::StreamingStore;

    /// A byte permutation that expands eight records of three bytes to eight decoded records of
    /// eight bytes. Each entry of `JOINTS` is the index of an input byte (0 to 23).
    ///
    /// In the output of the permutation `JOINTS`, the bone index and the code of the weight take
    /// four bytes each. For each output byte that a mask sets to 0, `JOINTS` contains the entry 0.
    const JOINTS: [[u8; 8]; 8] = {
        let mut all = [[0; 8]; 8];
        let mut at = 0;
        #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "checked by the compiler")]
        #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "at most 23")]
        while at < 8 {
            let first = at as u8 * 3;
            all[at] = [first, 0, 0, 0, first + 1, first + 2, 0, 0];
            at += 1;
        }
        all
    };

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub(super) fn avx512<S: StreamingStore>(raw: &[RawInfluence3], out: &mut [Influence]) {
        let (reciprocal, rest) = (_mm512_set1_ps(BY_65535.reciprocal), _mm512_set1_ps(BY_65535.rest));
        // Each call of `influences` converts eight of the sixteen records of a chunk: 24 of the 32
        // bytes that it loads. The first eight records are the first 24 of the first 32 bytes of
        // the chunk. The last eight records are the last 24 of the last 32 bytes of the chunk.
        let influences = |bytes: [u8; 32], places: __m512i| {
            let bytes = _mm512_castsi256_si512(cast(bytes));
            let codes = _mm512_maskz_permutexvar_epi8(0x3131_3131_3131_3131, places, bytes);
            let code = _mm512_cvtepi32_ps(codes);
            let weight = _mm512_fmadd_ps(code, reciprocal, _mm512_mul_ps(code, rest));
            _mm512_mask_blend_ps(0xaaaa, _mm512_castsi512_ps(codes), weight)
        };
        let (front, back): (__m512i, __m512i) =
            (cast(JOINTS), cast(JOINTS.map(|places| places.map(|place| place.wrapping_add(8)))));
        let decode = |chunk: &[RawInfluence3; 16]| {
            let bytes: &[u8; 48] = transmute_ref!(chunk);
            let low = *bytes.first_chunk().unwrap_or(&[0; 32]);
            let high = *bytes.last_chunk().unwrap_or(&[0; 32]);
            cast([influences(low, front), influences(high, back)])
        };
        in_chunks::<S, _, _, 16>(raw, out, decode, decode_each::<true>);
    }

    /// Returns a byte shuffle that expands four records of three bytes to four decoded records of
    /// eight bytes. The first record begins at byte `at` of the sixteen bytes that are shuffled.
    #[allow(clippy::arithmetic_side_effects, reason = "checked by the compiler; at most 15")]
    const fn four(at: i8) -> [[i8; 8]; 4] {
        [record(at), record(at + 3), record(at + 6), record(at + 9)]
    }

    #[allow(clippy::arithmetic_side_effects, reason = "checked by the compiler; at most 15")]
    const fn record(at: i8) -> [i8; 8] {
        [at, -1, -1, -1, at + 1, at + 2, -1, -1]
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2<S: StreamingStore>(raw: &[RawInfluence3], out: &mut [Influence]) {
        let (reciprocal, rest) = (_mm256_set1_ps(BY_65535.reciprocal), _mm256_set1_ps(BY_65535.rest));
        let influences = |bytes: [u8; 16], places: [[i8; 8]; 4]| {
            let codes = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(cast(bytes)), cast(places));
            let code = _mm256_cvtepi32_ps(codes);
            let weight = _mm256_fmadd_ps(code, reciprocal, _mm256_mul_ps(code, rest));
            _mm256_blend_ps::<0b1010_1010>(_mm256_castsi256_ps(codes), weight)
        };
        let decode = |chunk: &[RawInfluence3; 16]| {
            let bytes: &[u8; 48] = transmute_ref!(chunk);
            // The last four records are taken from the last sixteen of the 48 bytes, because a load
            // of sixteen bytes from their start would exceed the 48 bytes.
            cast([(0, four(0)), (12, four(0)), (24, four(0)), (32, four(4))].map(|(at, places)| {
                let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
                influences(bytes, places)
            }))
        };
        in_chunks::<S, _, _, 16>(raw, out, decode, decode_each::<true>);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::equivalence_tests::every_code;

    #[test]
    fn every_code_returns() {
        for code in every_code() {
            let raw = RawInfluence3 { bone: 33, weight: U16::new(code) };
            assert_eq!(encode(Influence3.decode(&raw)), Some(raw));
        }
        let code = |weight| encode(Influence { bone: 0, weight }).unwrap().weight.get();
        assert_eq!([-1.0, 2.0, f32::NAN].map(code), [0, 65535, 0]);
        assert_eq!(encode(Influence { bone: -1, weight: 1.0 }), None);
        assert!(encode(Influence { bone: 254, weight: 1.0 }).is_some());
    }
}
