//! Decoder of vectors that are stored as three 16-bit codes relative to a box. The file stores the
//! minimum corner and the size of the box that the codes are relative to.
//!
//! The formula is value = min + size × code / 65535, computed in `f64` and rounded once to `f32`.
//! UNIGINE writes a box size that is 1.0 larger than the extent of the values, so all codes in its
//! files are less than 65535. The decoder uses the stored box size unchanged, and does not subtract
//! the 1.0 that UNIGINE adds.

use zerocopy::little_endian::U16;

use crate::decode::codec::{Decode, one_by_one};
use crate::decode::stream::in_places;
use crate::simd::{StreamingStore, kernel};

/// Decodes three 16-bit codes to a vector x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetScale16 {
    /// The value that code 0 decodes to along each axis: the minimum corner of the box.
    pub min: [f32; 3],
    /// The size of the box: the difference between the values of code 65535 and code 0, along each
    /// axis.
    ///
    /// The box size is not checked: it may be zero, negative, infinite or NaN. In real files, the
    /// box size is negative if the file stores no vectors relative to this box.
    pub size: [f32; 3],
}

impl OffsetScale16 {
    /// Decodes one 16-bit code to a coordinate along one axis.
    ///
    /// The axes 0, 1 and 2 are x, y and z. For any other axis, the result is 0.
    #[inline]
    #[must_use]
    pub fn component(&self, axis: usize, code: u16) -> f32 {
        match (self.min.get(axis), self.size.get(axis)) {
            (Some(min), Some(size)) => value(*min, *size, code),
            _ => 0.0,
        }
    }

    /// Encodes a value along one axis. Like the UNIGINE engine, `encode` truncates the code toward
    /// the minimum corner of the box.
    ///
    /// The difference between a value and its decoded code is at most size / 65535. Values outside
    /// the box are clamped, and NaN gives the code 0.
    #[must_use]
    pub fn encode(&self, axis: usize, value: f32) -> u16 {
        let (Some(min), Some(size)) = (self.min.get(axis), self.size.get(axis)) else { return 0 };
        let part = (f64::from(value) - f64::from(*min)) / f64::from(*size) * SCALE;
        truncate(part)
    }
}

const SCALE: f64 = 65535.0;
/// The number of 16-bit codes that one iteration of the bulk loop decodes. `LANES` is a multiple of
/// 3 (the codes of a point) and of the lane count of every SIMD vector type.
const LANES: usize = 48;

#[inline]
fn value(min: f32, size: f32, code: u16) -> f32 {
    narrow(f64::from(min) + f64::from(size) * f64::from(code) / SCALE)
}

#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounded once, to the nearest f32")]
fn narrow(value: f64) -> f32 {
    value as f32
}

#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast truncates and saturates, as intended"
)]
fn truncate(part: f64) -> u16 {
    part as u16
}

impl Decode for OffsetScale16 {
    type Raw = [U16; 3];
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: &[U16; 3]) -> [f32; 3] {
        let mut codes = raw.iter().enumerate().map(|(axis, code)| self.component(axis, code.get()));
        std::array::from_fn(|_| codes.next().unwrap_or_default())
    }

    fn decode_all(&self, raw: &[[U16; 3]], out: &mut [[f32; 3]]) {
        // The bulk loop replaces the division by 65535 with multiplications. For an infinite box
        // size or a quotient of -0, the result of these multiplications differs from the result of
        // a division by 65535. A quotient of -0 changes the decoded value only if `min` is also
        // zero.
        let plain = self.size.iter().all(|size| size.is_finite());
        let shows = self.min.iter().zip(self.size).any(|(min, size)| *min == 0.0 && size.is_sign_negative());
        if raw.len() < LANES || !plain || shows {
            one_by_one(raw, out, |raw| self.decode(raw));
            return;
        }
        let [min, size] = [self.min, self.size].map(|axes| axes.map(f64::from));
        let step = size.map(|size| size / SCALE);
        let mut step_error = size;
        for (error, step) in step_error.iter_mut().zip(step) {
            *error = (-step).mul_add(SCALE, *error) / SCALE;
        }
        let [min, size, step, step_error] = [min, size, step, step_error].map(each_lane);
        decode_bulk(raw.as_flattened(), out.as_flattened_mut(), &BoxLanes { min, size, step, step_error });
    }
}

/// Repeats the values of the three axes for all lanes.
fn each_lane(axes: [f64; 3]) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    lanes.as_chunks_mut().0.fill(axes);
    lanes
}

/// The box of each lane: element *i* applies to the codes with the indices *i*, *i* + [`LANES`],
/// and so on.
struct BoxLanes {
    min: [f64; LANES],
    size: [f64; LANES],
    /// The size divided by 65535, rounded.
    step: [f64; LANES],
    /// The rounding error of `step`.
    step_error: [f64; LANES],
}

kernel! {
    /// Decodes an array of 16-bit codes.
    fn decode_bulk(raw: &[U16], out: &mut [f32], lanes: &BoxLanes) {
        avx512 | avx2 => decode_each::<true, Store>(raw, out, lanes),
        _ => decode_each::<false, Store>(raw, out, lanes),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool, S: StreamingStore>(raw: &[U16], out: &mut [f32], lanes: &BoxLanes) {
    let decode = |chunk: &[U16; LANES], values: &mut [f32; LANES]| some::<FUSED>(chunk, values, lanes);
    in_places::<S, _, _, LANES>(raw, out, decode, |raw, out| some::<FUSED>(raw, out, lanes));
}

/// Decodes up to [`LANES`] codes. If `FUSED` is true, the quotient by 65535 is computed with a
/// fused multiply-add, and equals the result of a division.
///
/// The sum of `step` and `step_error` differs from the exact size / 65535 by less than 2^-105 of
/// it. The fused multiply-add therefore rounds a number that differs from the exact quotient by
/// less than 2^-104 of the quotient. The exact quotient of a product of at most 40 bits and 65535
/// is either representable as an `f64`, or its distance from the nearest rounding boundary is at
/// least 2^-70 of the quotient.
#[inline(always)]
fn some<const FUSED: bool>(raw: &[U16], out: &mut [f32], lanes: &BoxLanes) {
    let BoxLanes { min, size, step, step_error } = lanes;
    let boxes = min.iter().zip(size).zip(step.iter().zip(step_error));
    for ((value, raw), ((min, size), (step, step_error))) in out.iter_mut().zip(raw).zip(boxes) {
        let code = f64::from(raw.get());
        let part = if FUSED { code.mul_add(*step, code * step_error) } else { size * code / SCALE };
        *value = narrow(min + part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::equivalence_tests::every_code;

    const BOX: OffsetScale16 = OffsetScale16 { min: [-1.0, 0.0, 2.5], size: [2.0, 65535.0, 0.0] };

    #[test]
    fn golden_vectors() {
        let raw = [65535, 7, 9].map(U16::new);
        assert_eq!(BOX.decode(&raw).map(f32::to_bits), [1.0_f32, 7.0, 2.5].map(f32::to_bits));
        assert_eq!(BOX.component(3, 1).to_bits(), 0.0_f32.to_bits());
        // The minimum corner and the size of the box for scale vectors, from a real file that
        // stores no scale vectors.
        let empty = OffsetScale16 { min: [1e9; 3], size: [-2e9; 3] };
        assert_eq!(empty.component(0, 65535).to_bits(), (-1e9_f32).to_bits());
    }

    #[test]
    fn returns_every_code() {
        let of_file = OffsetScale16 { min: [-0.066_347_22, 0.1, -3.0], size: [4.793_492_3, 40.295_475, 1.0] };
        for axis in 0..3 {
            for code in every_code() {
                let again = of_file.encode(axis, of_file.component(axis, code));
                assert!(code.abs_diff(again) <= 1, "axis {axis}: {code} {again}");
            }
        }
        assert_eq!(BOX.encode(0, f32::NAN), 0);
        assert_eq!((BOX.encode(0, -9.0), BOX.encode(0, 9.0)), (0, 65535));
        assert_eq!(BOX.encode(2, 2.5), 0);
    }
}
