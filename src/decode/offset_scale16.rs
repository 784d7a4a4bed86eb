//! Values that are stored as three 16-bit codes in a box. The file stores the minimum and the size
//! of this box.
//!
//! value = min + size × code / 65535, computed in `f64` and rounded once to `f32`. The writer of
//! UNIGINE makes the size 1.0 larger than the extent of the values, so its largest code is below
//! 65535. The decoder uses the size as it is stored.

use zerocopy::little_endian::U16;

use crate::decode::codec::{Decode, one_by_one};
use crate::simd::kernel;

/// Decodes three codes, for x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetScale16 {
    /// The value of code 0 along each axis, which is the minimum of the box.
    pub min: [f32; 3],
    /// The difference between the values of code 65535 and code 0, along each axis.
    ///
    /// The size is not checked: it may be zero, negative, infinite or NaN. Real files have
    /// negative sizes if they store no values.
    pub size: [f32; 3],
}

impl OffsetScale16 {
    /// Decodes a code along one axis.
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

    /// Encodes a value along one axis. The code is truncated toward the minimum of the box, as the
    /// engine does.
    ///
    /// The worst error of an encoded value is size / 65535. Values outside the box are clamped, and
    /// NaN gives the code 0.
    #[must_use]
    pub fn encode(&self, axis: usize, value: f32) -> u16 {
        let (Some(min), Some(size)) = (self.min.get(axis), self.size.get(axis)) else { return 0 };
        let part = (f64::from(value) - f64::from(*min)) / f64::from(*size) * SCALE;
        truncate(part)
    }
}

const SCALE: f64 = 65535.0;
/// Number of codes that are decoded at a time: a whole number of SIMD vectors of any width, and a
/// whole number of points.
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
        // The multiplication that replaces the division in the bulk loop loses infinities and the
        // sign of a zero. The sign of a zero is visible in the result only if `min` is also zero.
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
    /// Decodes codes in bulk. The minimum and the size for the codes repeat every [`LANES`] codes.
    fn decode_bulk(raw: &[U16], out: &mut [f32], least: &[f64; LANES], size: &[f64; LANES]) {
        avx512 | avx2 => decode_each::<true>(raw, out, least, size),
        _ => decode_each::<false>(raw, out, least, size),
    }
}

/// Decodes codes in bulk. The fused quotient is rounded exactly like a division.
///
/// The product of a size and a code has 40 bits, and the reciprocal of 65535 is nearly exact in an
/// `f64`. The rounding error of the product is therefore computed exactly.
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
        // The scale box of a real file that stores no scales.
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
