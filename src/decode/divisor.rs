//! Division of codes by the greatest one, by multiplication where the processor has a fused one. The quotients are the same.

/// What numbers are divided by: itself, its reciprocal as an `f32`, and what that is short of.
pub(crate) struct Divisor {
    number: f32,
    pub(crate) reciprocal: f32,
    pub(crate) rest: f32,
}

/// What codes of 16 bits are divided by.
pub(crate) const BY_65535: Divisor = Divisor::new(65535.0);
/// What components with a sign are divided by.
pub(crate) const BY_32767: Divisor = Divisor::new(32767.0);
/// What codes of 8 bits are divided by.
pub(crate) const BY_255: Divisor = Divisor::new(255.0);

impl Divisor {
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounded to the nearest")]
    #[allow(clippy::cast_lossless, reason = "constants have no other way")]
    const fn new(number: f32) -> Self {
        let reciprocal = 1.0 / number;
        Self { number, reciprocal, rest: (1.0 / number as f64 - reciprocal as f64) as f32 }
    }

    /// Divides as the division itself rounds. Where there is a fused multiplication, one that adds the product with the
    /// rest of the reciprocal; where there is none, calling for it would be slow, and it divides.
    ///
    /// Both products are off by less than 2^-47 of the quotient. A number of 16 bits, divided by one of as many, is no
    /// nearer than 2^-41 of it to where rounding changes, unless it is a float itself. Tests compare all codes.
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
