//! Division of integer codes by the largest code, such as 65535, and rounding of scaled values to
//! codes.
//!
//! On processors with a fused multiply-add instruction, the division is replaced by two
//! multiplications. The results of the two multiplications are bit for bit equal to the results of
//! an `f32` division.

/// A divisor, with its reciprocal as an `f32` and the rounding error of this reciprocal.
pub(crate) struct Divisor {
    number: f32,
    pub(crate) reciprocal: f32,
    pub(crate) rest: f32,
}

/// The divisor for unsigned 16-bit codes: 65535, the largest code.
pub(crate) const BY_65535: Divisor = Divisor::new(65535.0);
/// The divisor for signed 16-bit components of quaternions: 32767, the largest signed 16-bit
/// integer.
pub(crate) const BY_32767: Divisor = Divisor::new(32767.0);
/// The divisor for unsigned 8-bit codes: 255, the largest code.
pub(crate) const BY_255: Divisor = Divisor::new(255.0);

impl Divisor {
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounded to the nearest")]
    #[allow(clippy::cast_lossless, reason = "`f64::from` is not const")]
    const fn new(number: f32) -> Self {
        let reciprocal = 1.0 / number;
        Self { number, reciprocal, rest: (1.0 / number as f64 - reciprocal as f64) as f32 }
    }

    /// Divides `number` by the divisor. The result of `divide` is bit for bit equal to the quotient
    /// of an `f32` division.
    ///
    /// If `FUSED` is true, `divide` multiplies `number` by the reciprocal of the divisor, and adds
    /// the product of `number` and the rounding error of the reciprocal. If `FUSED` is false,
    /// `divide` uses an `f32` division, because a processor without a fused multiply-add
    /// instruction computes a fused multiply-add slowly, in software.
    ///
    /// The sum of the two products (`number` times the reciprocal, and `number` times the rounding
    /// error) differs from the exact quotient by less than 2^-47 of the quotient. The exact
    /// quotient of two 16-bit integers is either representable as an `f32`, or its distance from
    /// the nearest rounding boundary is at least 2^-41 of the quotient. Tests compare the result of
    /// `divide` with the `f32` quotient, for all integer codes of each divisor.
    #[inline(always)]
    pub(crate) fn divide<const FUSED: bool>(&self, number: f32) -> f32 {
        if FUSED { number.mul_add(self.reciprocal, number * self.rest) } else { number / self.number }
    }
}

/// Multiplies a value by `scale` and truncates the product toward zero, to an integer code.
///
/// A product of the value and `scale` outside `-scale..=scale` is clamped to this range.
///
/// NaN is converted to the code 0.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a float-to-integer cast truncates and saturates, as intended"
)]
#[cfg(any(feature = "cli", feature = "internals"))]
pub(super) fn truncate(value: f32, scale: f32) -> i32 {
    let scaled = value * scale;
    if scaled.is_nan() { 0 } else { scaled.clamp(-scale, scale) as i32 }
}

/// Rounds a value to the nearest 16-bit code. Values outside 0..65535 are clamped, and the code of
/// NaN is 0.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast truncates and saturates, and turns NaN into 0"
)]
pub(super) fn round(code: f64) -> u16 {
    code.round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_as_division_does() {
        for (divisor, last) in [(BY_65535, 65535), (BY_32767, 32768), (BY_255, 255)] {
            for code in (0..=last).step_by(if cfg!(miri) { 1021 } else { 1 }) {
                let number = f32::from(u16::try_from(code).unwrap());
                for number in [number, -number] {
                    let found = divisor.divide::<true>(number);
                    assert!(found.to_bits() == (number / divisor.number).to_bits() || number == 0.0, "{number}");
                }
            }
        }
    }
}
