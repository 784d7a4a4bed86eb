//! A tangent that is stored as four 16-bit codes: x, y, z and w.
//!
//! The codes of x, y and z have the same encoding as the components of a normal
//! ([`unit`](mod@crate::decode::unit)). Of the decoded w, only the sign is used, as the handedness
//! of the tangent.

use zerocopy::little_endian::U16;

use crate::decode::codec::Decode;
use crate::decode::stream::in_blocks;
use crate::decode::unit;
use crate::simd::kernel;

/// Decodes the direction x, y, z of a tangent and its handedness.
///
/// The handedness is 1 or -1. The bitangent is the cross product of the normal and the tangent,
/// times the handedness. The direction x, y, z is not scaled to unit length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tangent16;

impl Decode for Tangent16 {
    type Raw = [U16; 4];
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: &[U16; 4]) -> [f32; 4] {
        let [x, y, z, w] = raw.map(|code| unit::decode(code.get()));
        [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }]
    }

    fn decode_all(&self, raw: &[[U16; 4]], out: &mut [[f32; 4]]) {
        decode_bulk(raw.as_flattened(), out.as_flattened_mut());
    }
}

/// The number of 16-bit codes that one iteration of the bulk loop decodes: the codes of four
/// tangents, which fill one vector of the widest SIMD type.
const LANES: usize = 16;
/// Two bit masks for each lane of four decoded tangents: the bits of the decoded float that are
/// kept, and the bits that are then set.
///
/// In the lanes of w, only the sign bit is kept, and the other bits become the bits of the float 1.
/// The masks leave the lanes of x, y and z unchanged.
const PARTS: [[u32; LANES]; 2] = {
    const ALL: u32 = u32::MAX;
    const SIGN: u32 = 1 << 31;
    const ONE: u32 = 1.0_f32.to_bits();
    [
        [ALL, ALL, ALL, SIGN, ALL, ALL, ALL, SIGN, ALL, ALL, ALL, SIGN, ALL, ALL, ALL, SIGN],
        [0, 0, 0, ONE, 0, 0, 0, ONE, 0, 0, 0, ONE, 0, 0, 0, ONE],
    ]
};

kernel! {
    /// Decodes the tangents in `raw` to `out`, until one of the two slices ends.
    fn decode_bulk(raw: &[U16], out: &mut [f32]) {
        avx512 => x86::avx512::<Store>(raw, out),
        avx2 => x86::avx2::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, LANES>(raw, out, decode_each::<false>),
    }
}

/// Decodes an array of tangents. No 16-bit code decodes to 0, so the sign bit of the decoded w is
/// the sign of the handedness.
#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[U16], out: &mut [f32]) {
    let (chunks, rest) = raw.as_chunks::<LANES>();
    let (values, last) = out.as_chunks_mut::<LANES>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        some::<FUSED>(chunk, values);
    }
    some::<FUSED>(rest, last);
}

#[inline(always)]
fn some<const FUSED: bool>(raw: &[U16], out: &mut [f32]) {
    let [kept, put] = PARTS;
    for (((value, raw), kept), put) in out.iter_mut().zip(raw).zip(&kept).zip(&put) {
        *value = f32::from_bits(unit::component::<FUSED>(raw.get()).to_bits() & kept | put);
    }
}

/// Encodes the direction and the handedness of a tangent. The components x, y and z are rounded to
/// the nearest 16-bit code.
///
/// An encoded x, y or z has an absolute error of at most 1.6e-5.
#[cfg(feature = "internals")]
#[must_use]
pub fn encode([x, y, z, w]: [f32; 4]) -> [U16; 4] {
    [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }].map(|value| U16::new(unit::encode_rounding(value)))
}

/// Hand-written kernels for x86-64, for which compilers generate slower code from the portable
/// loop.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256, __m256i, __m512i, _mm256_and_ps, _mm256_cvtepi32_ps, _mm256_cvtepu16_epi32, _mm256_fmadd_ps,
        _mm256_fmsub_ps, _mm256_mul_ps, _mm256_or_ps, _mm256_set1_ps, _mm512_and_si512, _mm512_castps_si512,
        _mm512_cvtepi32_ps, _mm512_cvtepu16_epi32, _mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_mul_ps, _mm512_or_si512,
        _mm512_set1_ps,
    };

    use bytemuck::cast;
    use zerocopy::little_endian::U16;
    use zerocopy::transmute;

    use crate::decode::divisor::BY_65535;
    use crate::decode::stream::in_chunks;
    use crate::decode::tangent16::{LANES, PARTS, decode_each};
    use crate::simd::StreamingStore;

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn avx512<S: StreamingStore>(raw: &[U16], out: &mut [f32]) {
        let [kept, put] = PARTS.map(cast::<_, __m512i>);
        let (reciprocal, rest) = (_mm512_set1_ps(BY_65535.reciprocal), _mm512_set1_ps(BY_65535.rest));
        let decode = |chunk: &[U16; LANES]| {
            let codes: __m256i = transmute!(*chunk);
            let code = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(codes));
            let part = _mm512_fmadd_ps(code, reciprocal, _mm512_mul_ps(code, rest));
            let value = _mm512_fmsub_ps(part, _mm512_set1_ps(2.0), _mm512_set1_ps(1.0));
            cast(_mm512_or_si512(_mm512_and_si512(_mm512_castps_si512(value), kept), put))
        };
        in_chunks::<S, _, _, LANES>(raw, out, decode, decode_each::<true>);
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2<S: StreamingStore>(raw: &[U16], out: &mut [f32]) {
        let [kept, put] = PARTS.map(|bits| cast::<_, [__m256; 2]>(bits)[0]);
        let (reciprocal, rest) = (_mm256_set1_ps(BY_65535.reciprocal), _mm256_set1_ps(BY_65535.rest));
        let decode = |chunk: &[U16; LANES]| {
            let halves: [__m128i; 2] = transmute!(*chunk);
            cast(halves.map(|codes| {
                let code = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(codes));
                let part = _mm256_fmadd_ps(code, reciprocal, _mm256_mul_ps(code, rest));
                let value = _mm256_fmsub_ps(part, _mm256_set1_ps(2.0), _mm256_set1_ps(1.0));
                _mm256_or_ps(_mm256_and_ps(value, kept), put)
            }))
        };
        in_chunks::<S, _, _, LANES>(raw, out, decode, decode_each::<true>);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vectors() {
        let raw = [0, 65535, 32768, 32767].map(U16::new);
        let [x, y, z, w] = Tangent16.decode(&raw);
        assert_eq!([x, y, w].map(f32::to_bits), [-1.0_f32, 1.0, -1.0].map(f32::to_bits));
        assert!(z > 0.0 && z < 2e-5);
        assert_eq!(encode([x, y, z, w]), [0, 65535, 32768, 0].map(U16::new));
    }
}
