//! Decoder of unsigned 16-bit codes that represent the values of an interval (the *domain*): `u /
//! 65535 * (max - min) + min`.
//!
//! The result of each operation in the formula is rounded to `f32`. Second Life viewers compute `u
//! / 65535 * (max - min) + min` in the same order of operations, without a fused multiply-add.
//! Because of rounding, the decoded value of code 65535 may differ slightly from `max`. The values
//! of neighbouring codes differ by `(max - min) / 65535`, which is called a step here. Rounding a
//! value to the nearest code has an error of at most half a step, `(max - min) / 131070`. If all
//! neighbouring codes have different values in `f32`, encoding a decoded value returns the original
//! code. If the interval lies between -0.5 and 0.5, it must be at least 0.004 long to make the
//! values of all codes different. Second Life viewers truncate instead of rounding, with an error
//! of up to one step, `(max - min) / 65535`. If values that were decoded are encoded by truncation
//! again, one code in ten changes.

use half::f16;
use zerocopy::IntoBytes;
use zerocopy::little_endian::U16;

use crate::decode::codec::{Decode, each, one_by_one};
use crate::decode::divisor::{BY_65535, round};
use crate::decode::narrow::narrow;
use crate::decode::stream::in_places;
use crate::io;
use crate::simd::{self, StreamingStore, kernel};

/// The largest 16-bit code, as a float.
const TOP: f32 = 65535.0;
/// Arrays with fewer points than `MIN_BULK_POINTS` are decoded one point at a time.
const MIN_BULK_POINTS: usize = 24;
/// The number of 16-bit codes that one iteration of the bulk loop processes. `LANES` is a multiple
/// of the lane count of every SIMD vector type, and of 2 and 3 (the number of codes in a point).
const LANES: usize = 48;

/// Decodes `N` adjacent 16-bit codes, such as the x, y and z of a position. Each component has a
/// separate interval of values.
///
/// ```
/// use meshpeek::decode::{Decode, MinMax16};
/// use zerocopy::little_endian::U16;
/// let decoder = MinMax16::new([-0.5; 3], [0.5; 3]);
/// assert_eq!(decoder.decode(&[0, 65535, 13107].map(U16::new)), [-0.5, 0.5, -0.3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinMax16<const N: usize> {
    min: [f32; N],
    max: [f32; N],
}

impl<const N: usize> MinMax16<N> {
    /// Creates a decoder from the minimum and the maximum of each component's interval.
    ///
    /// The values of `min` and `max` are not checked. If `min` or `max` is NaN, or if `min` is
    /// greater than `max`, decoding still computes `u / 65535 * (max - min) + min`.
    #[must_use]
    pub const fn new(min: [f32; N], max: [f32; N]) -> Self {
        Self { min, max }
    }

    /// Returns the value that code 0 decodes to, for each component.
    #[must_use]
    pub const fn min(&self) -> [f32; N] {
        self.min
    }

    /// Returns the value that code 65535 decodes to, for each component, without the rounding error
    /// of decoding.
    #[must_use]
    pub const fn max(&self) -> [f32; N] {
        self.max
    }

    /// Encodes each component of a point as the nearest 16-bit code.
    ///
    /// Components outside their interval are clamped to the nearest end of the interval. A
    /// component that is NaN, or whose interval has the length 0, gets the code 0.
    #[must_use]
    pub fn encode(&self, point: [f32; N]) -> [U16; N] {
        let mut codes = [U16::ZERO; N];
        for (code, ((value, min), max)) in codes.iter_mut().zip(point.into_iter().zip(self.min).zip(self.max)) {
            if max.total_cmp(&min).is_eq() {
                continue;
            }
            let part = (f64::from(value) - f64::from(min)) / (f64::from(max) - f64::from(min));
            *code = U16::new(round(part * f64::from(TOP)));
        }
        codes
    }
}

impl<const N: usize> Decode for MinMax16<N> {
    type Raw = [U16; N];
    type Value = [f32; N];

    #[inline]
    fn decode(&self, raw: &[U16; N]) -> [f32; N] {
        let mut point = each(raw, |code| f32::from(code.get()) / TOP);
        let (mut least, mut most) = (self.min.iter(), self.max.iter());
        for value in &mut point {
            if let (Some(min), Some(max)) = (least.next(), most.next()) {
                *value = *value * (max - min) + min;
            }
        }
        point
    }

    fn decode_all(&self, raw: &[[U16; N]], out: &mut [[f32; N]]) {
        // For only a few points, preparing the arrays for bulk decoding takes longer than bulk
        // decoding saves.
        if raw.len() < MIN_BULK_POINTS {
            one_by_one(raw, out, |raw| self.decode(raw));
            return;
        }
        let [mut least, mut extent] = [[0.0; LANES]; 2];
        let mut size = self.max;
        size.iter_mut().zip(self.min).for_each(|(size, min)| *size -= min);
        for (least, extent) in least.as_chunks_mut::<N>().0.iter_mut().zip(extent.as_chunks_mut::<N>().0) {
            (*least, *extent) = (self.min, size);
        }
        let count = raw.len().min(out.len());
        let (raw, out) = (raw.get(..count).unwrap_or_default(), out.get_mut(..count).unwrap_or_default());
        if LANES.is_multiple_of(N) {
            decode_bulk(raw.as_flattened(), out.as_flattened_mut(), &least, &extent);
        } else {
            one_by_one(raw, out, |raw| self.decode(raw));
        }
    }
}

kernel! {
    /// Decodes an array of 16-bit codes. Element *i* of `least` and of `extent` applies to the
    /// codes with the indices *i*, *i* + [`LANES`], and so on.
    fn decode_bulk(raw: &[U16], out: &mut [f32], least: &[f32; LANES], extent: &[f32; LANES]) {
        avx512 | avx2 => decode_each::<true, Store>(raw, out, least, extent),
        _ => decode_each::<false, Store>(raw, out, least, extent),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool, S: StreamingStore>(
    raw: &[U16],
    out: &mut [f32],
    least: &[f32; LANES],
    extent: &[f32; LANES],
) {
    let some = |raw: &[U16], out: &mut [f32]| {
        for (((value, raw), extent), least) in out.iter_mut().zip(raw).zip(extent).zip(least) {
            *value = BY_65535.divide::<FUSED>(f32::from(raw.get())) * extent + least;
        }
    };
    in_places::<S, _, _, LANES>(raw, out, |chunk, values| some(chunk, values), some);
}

impl MinMax16<2> {
    /// Decodes pairs of codes and rounds the values to half floats. The results equal those of
    /// decoding to floats first. The two slices have the same length.
    pub(crate) fn decode_to_half(&self, raw: &[[U16; 2]], out: &mut [[f16; 2]]) {
        pairs_to_half(raw, out, *self);
    }

    #[inline(always)]
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "a record is passed as `one_by_one` passes it")]
    fn half(&self, raw: &[U16; 2]) -> [f16; 2] {
        self.decode(raw).map(narrow)
    }
}

kernel! {
    fn pairs_to_half(raw: &[[U16; 2]], out: &mut [[f16; 2]], decode: MinMax16<2>) {
        avx512 | avx2 => x86::pairs_to_half(raw, out, decode),
        _ => one_by_one(raw, out, |raw| decode.half(raw)),
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m128i, _MM_FROUND_TO_NEAREST_INT, _mm256_add_ps, _mm256_cvtepi32_ps, _mm256_cvtepu16_epi32, _mm256_cvtps_ph,
        _mm256_fmadd_ps, _mm256_mul_ps, _mm256_set_ps, _mm256_set1_ps,
    };

    use bytemuck::cast;
    use half::f16;
    use zerocopy::little_endian::U16;
    use zerocopy::transmute;

    use crate::decode::codec::one_by_one;
    use crate::decode::divisor::BY_65535;
    use crate::decode::min_max16::MinMax16;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    pub(super) fn pairs_to_half(raw: &[[U16; 2]], out: &mut [[f16; 2]], decode: MinMax16<2>) {
        let ([x, y], [far_x, far_y]) = (decode.min, decode.max);
        let start = _mm256_set_ps(y, x, y, x, y, x, y, x);
        let (width, height) = (far_x - x, far_y - y);
        let extent = _mm256_set_ps(height, width, height, width, height, width, height, width);
        let (chunks, rest) = raw.as_chunks::<4>();
        let (places, last) = out.as_chunks_mut::<4>();
        for (place, chunk) in places.iter_mut().zip(chunks) {
            let codes: __m128i = transmute!(*chunk);
            let number = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(codes));
            // The quotient is the one of `Divisor::divide`.
            let rest = _mm256_mul_ps(number, _mm256_set1_ps(BY_65535.rest));
            let part = _mm256_fmadd_ps(number, _mm256_set1_ps(BY_65535.reciprocal), rest);
            let value = _mm256_add_ps(_mm256_mul_ps(part, extent), start);
            *place = cast(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(value));
        }
        one_by_one(rest, last, |raw| decode.half(raw));
    }
}

/// Returns the bounding box of encoded points. `bounds` compares the 16-bit codes, and decodes only
/// the smallest and the largest code of each axis.
///
/// Returns `None` if the slice is empty, or if a corner of the bounding box decodes to NaN.
pub(crate) fn bounds(raw: &[[U16; 3]], decode: MinMax16<3>) -> Option<[[f32; 3]; 2]> {
    io::prefetch(raw.as_bytes());
    raw.first()?;
    let [low, high] = widest(raw.as_flattened());
    let fold = |lanes: [u16; LANES], pick: fn(u16, u16) -> u16| {
        let points = lanes.as_chunks::<3>().0.iter().copied();
        points.reduce(|[x, y, z], [a, b, c]| [pick(x, a), pick(y, b), pick(z, c)]).unwrap_or_default()
    };
    let [low, high] = [fold(low, u16::min), fold(high, u16::max)].map(|codes| decode.decode(&codes.map(U16::new)));
    // If the interval of an axis is reversed (`min` > `max`), the largest code has the smallest
    // value.
    let [mut least, mut most] = [low, high];
    for ((least, most), (low, high)) in least.iter_mut().zip(&mut most).zip(low.into_iter().zip(high)) {
        (*least, *most) = (low.min(high), low.max(high));
    }
    least.iter().zip(&most).all(|(least, most)| least <= most).then_some([least, most])
}

kernel! {
    /// Returns an array of minima and an array of maxima: element *i* is the smallest (or the
    /// largest) code among the codes with the indices *i*, *i* + [`LANES`], and so on.
    fn widest(raw: &[U16]) -> [[u16; LANES]; 2] {
        let [mut low, mut high] = [[u16::MAX; LANES], [0; LANES]];
        let (chunks, rest) = raw.as_chunks::<LANES>();
        let distance = simd::prefetch_distance();
        for chunk in chunks {
            simd::prefetch_ahead(chunk, distance);
            for ((low, high), raw) in low.iter_mut().zip(&mut high).zip(chunk) {
                (*low, *high) = (raw.get().min(*low), raw.get().max(*high));
            }
        }
        for ((low, high), raw) in low.iter_mut().zip(&mut high).zip(rest) {
            (*low, *high) = (raw.get().min(*low), raw.get().max(*high));
        }
        [low, high]
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the formula is exact")]
mod tests {
    use super::*;
    use crate::array::{Array, Packed};
    use crate::decode::equivalence_tests::every_code;
    use crate::simd::at_each_level;

    const BOX: MinMax16<3> = MinMax16::new([-0.5, -0.25, 0.1], [0.5, 0.254_558_74, 0.1]);

    fn codes(count: u16) -> Vec<[U16; 3]> {
        let code = |seed: u16| U16::new(seed.wrapping_mul(40_503).rotate_left(3));
        (0..count).map(|at| [code(at), code(at.wrapping_add(9_000)), code(at.wrapping_add(31_000))]).collect()
    }

    #[test]
    fn golden_vectors() {
        // The value of code 65535 differs from the maximum of the interval in its last bits.
        assert_eq!(BOX.decode(&[65535, 65535, 65535].map(U16::new)), [0.5, 0.254_558_74, 0.1]);
        let short = MinMax16::new([-0.480_107_87], [0.254_558_74]);
        assert!((short.decode(&[U16::new(65535)])[0] - 0.254_558_74).abs() < 1e-7);
        assert_eq!(MinMax16::new([-0.5], [0.5]).decode(&[U16::new(8998)]), [-0.362_699_33]);
    }

    #[test]
    fn all_at_once_agrees_with_one_by_one() {
        for count in [0, 1, 15, 16, 17, 47, 48, 49, if cfg!(miri) { 50 } else { 1000 }] {
            let raw = codes(count);
            let mut out = vec![[0.0; 3]; raw.len()];
            Packed::new(&raw, BOX).decode_into(&mut out).unwrap();
            assert!(out.iter().copied().eq(raw.iter().map(|raw| BOX.decode(raw))), "{count}");
            let fold = |pick: fn(f32, f32) -> f32| {
                let both = |a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
                out.iter().copied().reduce(both)
            };
            let naive = fold(f32::min).zip(fold(f32::max)).map(|(min, max)| [min, max]);
            assert_eq!(bounds(&raw, BOX), naive, "{count}");
        }
        let pairs: Vec<[U16; 2]> = codes(100).iter().map(|[x, y, _]| [*x, *y]).collect();
        let decode = MinMax16::new([-3.0, 1.0], [7.0, 2.0]);
        let mut out = vec![[0.0; 2]; pairs.len()];
        decode.decode_all(&pairs, &mut out);
        assert!(out.iter().copied().eq(pairs.iter().map(|raw| decode.decode(raw))));
        let fives: Vec<[U16; 5]> = codes(10).iter().map(|[x, y, z]| [*x, *y, *z, *x, *y]).collect();
        let decode = MinMax16::new([0.0; 5], [1.0; 5]);
        let mut out = vec![[0.0; 5]; 10];
        decode.decode_all(&fives, &mut out);
        assert!(out.iter().copied().eq(fives.iter().map(|raw| decode.decode(raw))));
    }

    #[test]
    fn half_floats_are_those_of_the_floats() {
        let raw: Vec<[U16; 2]> =
            every_code().map(|code| [U16::new(code), U16::new(code.wrapping_mul(40_503))]).collect();
        for decode in [
            MinMax16::new([-3.0, 1.0], [7.0, 2.0]),
            MinMax16::new([0.0; 2], [1.0, 0.001]),
            MinMax16::new([5.0, f32::NAN], [-1e9, 1.0]),
        ] {
            let expected: Vec<_> = raw.iter().map(|raw| decode.decode(raw).map(f16::from_f32)).collect();
            at_each_level(|level| {
                for count in (0..12).chain([raw.len()]) {
                    let mut out = vec![[f16::ONE; 2]; count];
                    decode.decode_to_half(&raw[..count], &mut out);
                    let bits =
                        |all: &[[f16; 2]]| all.as_flattened().iter().map(|half| half.to_bits()).collect::<Vec<_>>();
                    assert!(bits(&out) == bits(&expected[..count]), "{level:?} {count}");
                }
            });
        }
    }

    #[test]
    fn every_code_returns() {
        for (min, max) in [(-0.5, 0.5), (0.0, 1.0), (-0.13, 0.004), (0.496, 0.5), (-20.0, 300.0)] {
            let decode = MinMax16::new([min], [max]);
            for code in every_code() {
                let value = decode.decode(&[U16::new(code)]);
                assert_eq!(decode.encode(value), [U16::new(code)], "{min}..{max}");
            }
        }
    }

    #[test]
    fn encodes_whatever_comes() {
        let decode = MinMax16::new([-1.0], [1.0]);
        let codes = [-1.0, 1.0, 0.0, -7.0, 7.0, f32::NAN, f32::INFINITY].map(|value| decode.encode([value])[0].get());
        assert_eq!(codes, [0, 65535, 32768, 0, 65535, 0, 65535]);
        assert_eq!(MinMax16::new([2.0], [2.0]).encode([2.0]), [U16::ZERO]);
        assert_eq!(MinMax16::new([0.0; 3], [0.0; 3]).encode([1.0, -1.0, 0.0]), [U16::ZERO; 3]);
        assert_eq!(MinMax16::new([2.0], [1.0]).encode([1.5]), [U16::new(32768)]);
    }

    #[test]
    fn a_domain_that_is_none_still_decodes() {
        let raw = codes(20);
        let flipped = MinMax16::new([0.5; 3], [-0.5; 3]);
        let [min, max] = bounds(&raw, flipped).unwrap();
        assert!(min.iter().zip(&max).all(|(min, max)| min < max));
        assert_eq!(bounds(&raw, MinMax16::new([f32::NAN; 3], [0.5; 3])), None);
        assert_eq!(bounds(&[], BOX), None);
    }
}
