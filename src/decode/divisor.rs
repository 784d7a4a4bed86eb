//! Division of integer codes by the largest code, such as 65535.
//!
//! If the processor has a fused multiply-add instruction, the code multiplies instead of dividing.
//! The quotients are the same.

/// A divisor: the number itself, its reciprocal as an `f32`, and the rounding error of this
/// reciprocal.
pub(crate) struct Divisor {
    number: f32,
    pub(crate) reciprocal: f32,
    pub(crate) rest: f32,
}

/// The divisor of unsigned 16-bit codes.
pub(crate) const BY_65535: Divisor = Divisor::new(65535.0);
/// The divisor of signed 16-bit components.
pub(crate) const BY_32767: Divisor = Divisor::new(32767.0);
/// The divisor of unsigned 8-bit codes.
pub(crate) const BY_255: Divisor = Divisor::new(255.0);

impl Divisor {
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounded to the nearest")]
    #[allow(clippy::cast_lossless, reason = "`f64::from` is not const")]
    const fn new(number: f32) -> Self {
        let reciprocal = 1.0 / number;
        Self { number, reciprocal, rest: (1.0 / number as f64 - reciprocal as f64) as f32 }
    }

    /// Divides `number` by the divisor. The result is rounded exactly like a division.
    ///
    /// If `FUSED` is true, the method multiplies the number by the reciprocal, and adds the product
    /// of the number and the rounding error of the reciprocal. Without a fused multiply-add
    /// instruction, this operation would be computed slowly in software, so the method divides.
    ///
    /// The sum of both products differs from the quotient by less than 2^-47 of the quotient. A
    /// quotient of two 16-bit numbers either is a float, or its distance from a rounding boundary
    /// is at least 2^-41 of the quotient. Tests compare the results for all codes.
    #[inline(always)]
    pub(crate) fn divide<const FUSED: bool>(&self, number: f32) -> f32 {
        if FUSED { number.mul_add(self.reciprocal, number * self.rest) } else { number / self.number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_as_division_does() {
        for (divisor, last) in [(BY_65535, 65535), (BY_32767, 32768), (BY_255, 255)] {
            for code in 0..=last {
                let number = f32::from(u16::try_from(code).unwrap());
                for number in [number, -number] {
                    let found = divisor.divide::<true>(number);
                    assert!(found.to_bits() == (number / divisor.number).to_bits() || number == 0.0, "{number}");
                }
            }
        }
    }
}
