//! Values in a box that the file gives by one corner and a size: 16 bits along each axis.
//!
//! value = min + size × code / 65535, computed in `f64` and rounded once. UNIGINE's writer makes the size 1.0 larger
//! than what the values span, so that its greatest code is never 65535; what is stored counts.

use zerocopy::little_endian::U16;

use crate::decode::codec::{Decode, one_by_one};
use crate::simd::kernel;

/// Decodes three codes: x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetScale16 {
    /// What code 0 stands for, along each axis.
    pub min: [f32; 3],
    /// How much more code 65535 stands for. Any number: real files have negative ones where nothing is stored.
    pub size: [f32; 3],
}

impl OffsetScale16 {
    /// Decodes the code of one axis; axes are 0, 1, 2 for x, y, z, and others give 0.
    #[inline]
    #[must_use]
    pub fn component(&self, axis: usize, code: u16) -> f32 {
        match (self.min.get(axis), self.size.get(axis)) {
            (Some(min), Some(size)) => value(*min, *size, code),
            _ => 0.0,
        }
    }

    /// Encodes a value along one axis, truncating toward the box's corner as the engine does: worst error
    /// size / 65535. What lies outside, and NaN, goes to the nearest end.
    #[must_use]
    pub fn encode(&self, axis: usize, value: f32) -> u16 {
        let (Some(min), Some(size)) = (self.min.get(axis), self.size.get(axis)) else { return 0 };
        let part = (f64::from(value) - f64::from(*min)) / f64::from(*size) * SCALE;
        truncate(part)
    }
}

const SCALE: f64 = 65535.0;
/// Codes decoded at a time: whole vectors of any width, and whole points.
const LANES: usize = 24;

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
    reason = "a float-to-integer cast truncates and saturates, which is what is wanted"
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
        // A quotient that is corrected loses an infinity, and the sign of a zero, which shows beside another zero.
        let plain = self.size.iter().all(|size| size.is_finite());
        let shows = self.min.iter().zip(self.size).any(|(min, size)| *min == 0.0 && size.is_sign_negative());
        if raw.len() < LANES || !plain || shows {
            one_by_one(raw, out, |raw| self.decode(raw));
            return;
        }
        let [mut least, mut sizes] = [[0.0; LANES]; 2];
        let axes = self.min.into_iter().zip(self.size).cycle();
        for ((least, sizes), (min, size)) in least.iter_mut().zip(&mut sizes).zip(axes) {
            (*least, *sizes) = (min.into(), size.into());
        }
        decode_bulk(raw.as_flattened(), out.as_flattened_mut(), &least, &sizes);
    }
}

kernel! {
    /// Decodes codes whose boxes repeat after [`LANES`] of them.
    fn decode_bulk(raw: &[U16], out: &mut [f32], least: &[f64; LANES], size: &[f64; LANES]) {
        avx512 | avx2 => decode_each::<true>(raw, out, least, size),
        _ => decode_each::<false>(raw, out, least, size),
    }
}

/// Fused, the quotient rounds as a division does: the product of a size and a code has 40 bits, and `f64` nearly holds the
/// reciprocal of 65535, so the error of the product is exact.
#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[U16], out: &mut [f32], least: &[f64; LANES], size: &[f64; LANES]) {
    let (chunks, rest) = raw.as_chunks::<LANES>();
    let (values, values_left) = out.as_chunks_mut::<LANES>();
    for (values, chunk) in values.iter_mut().zip(chunks) {
        some::<FUSED>(chunk, values, least, size);
    }
    some::<FUSED>(rest, values_left, least, size);
}

#[inline(always)]
fn some<const FUSED: bool>(raw: &[U16], out: &mut [f32], least: &[f64; LANES], size: &[f64; LANES]) {
    for (((value, raw), least), size) in out.iter_mut().zip(raw).zip(least).zip(size) {
        let part = size * f64::from(raw.get());
        let part = if FUSED {
            let near = part * (1.0 / SCALE);
            (-near).mul_add(SCALE, part).mul_add(1.0 / SCALE, near)
        } else {
            part / SCALE
        };
        *value = narrow(least + part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: OffsetScale16 = OffsetScale16 { min: [-1.0, 0.0, 2.5], size: [2.0, 65535.0, 0.0] };

    #[test]
    fn golden_vectors() {
        let raw = [65535, 7, 9].map(U16::new);
        assert_eq!(BOX.decode(&raw).map(f32::to_bits), [1.0_f32, 7.0, 2.5].map(f32::to_bits));
        assert_eq!(BOX.component(3, 1).to_bits(), 0.0_f32.to_bits());
        // A corner of a real file: the scale box where nothing is stored.
        let empty = OffsetScale16 { min: [1e9; 3], size: [-2e9; 3] };
        assert_eq!(empty.component(0, 65535).to_bits(), (-1e9_f32).to_bits());
    }

    #[test]
    fn returns_every_code() {
        let of_file = OffsetScale16 { min: [-0.066_347_22, 0.1, -3.0], size: [4.793_492_3, 40.295_475, 1.0] };
        for axis in 0..3 {
            for code in 0..=u16::MAX {
                let again = of_file.encode(axis, of_file.component(axis, code));
                assert!(code.abs_diff(again) <= 1, "axis {axis}: {code} {again}");
            }
        }
        assert_eq!(BOX.encode(0, f32::NAN), 0);
        assert_eq!((BOX.encode(0, -9.0), BOX.encode(0, 9.0)), (0, 65535));
        assert_eq!(BOX.encode(2, 2.5), 0);
    }
}
