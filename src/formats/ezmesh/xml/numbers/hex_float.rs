//! Parses floats in hexadecimal notation, such as `0x1.8p3`, like `strtod` in C.

use super::integer::{digit, sign};

/// The exponent bias of an `f32`: the exponent field of 1.0.
const BIAS: i64 = 127;

/// Number of bits of an `f32` after its leading 1 bit.
const FRACTION: u32 = f32::MANTISSA_DIGITS - 1;

/// Parses the text after `0x`. The value is rounded to the nearest `f32`, ties to even. Returns
/// `None` if the text is not a number.
pub(super) fn parse(text: &[u8]) -> Option<f32> {
    let exponent_at = memchr::memchr2(b'p', b'P', text).unwrap_or(text.len());
    let (digits, exponent) = text.split_at_checked(exponent_at)?;
    let power = power(exponent)?;
    let (mut bits, mut dropped, mut scale) = (0_u64, 0_i64, 0_i64);
    let (mut seen, mut point) = (false, false);
    for byte in digits {
        if *byte == b'.' && !point {
            point = true;
            continue;
        }
        let digit = u64::from(digit(*byte)?);
        seen = true;
        if bits >> 56 == 0 {
            bits = bits << 4 | digit;
        } else {
            // A hexadecimal digit after the first 15 significant digits is far below the last
            // mantissa bit of an `f32`. The rounding depends only on whether such a digit is zero.
            bits |= u64::from(digit != 0);
            dropped = dropped.saturating_add(4);
        }
        scale = scale.saturating_sub(if point { 4 } else { 0 });
    }
    seen.then(|| round(bits, power.saturating_add(dropped).saturating_add(scale)))
}

/// Parses the exponent of two, which starts with the letter `p`. An exponent without digits is 0.
fn power(text: &[u8]) -> Option<i64> {
    let Some((_, text)) = text.split_first() else { return Some(0) };
    let (negative, digits) = sign(text);
    let power = digits.iter().try_fold(0_i64, |power, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        Some(power.saturating_mul(10).saturating_add(digit.into()))
    })?;
    Some(if negative { power.saturating_neg() } else { power })
}

/// Returns the float nearest to `bits` times a power of two. Ties round to even.
fn round(bits: u64, power: i64) -> f32 {
    let Some(top) = bits.checked_ilog2() else { return 0.0 };
    // The exponent of the leading 1 bit, and the exponent of the last bit of a float of this
    // magnitude.
    let exponent = power.saturating_add(top.into());
    let field = exponent.saturating_add(BIAS).max(1);
    let last = field.saturating_sub(BIAS).saturating_sub(FRACTION.into());
    let drop = last.saturating_sub(power);
    let kept = match u32::try_from(drop) {
        Ok(0) => bits,
        Ok(drop @ 1..=63) => {
            let rest = bits & !(u64::MAX << drop);
            let half = 1 << drop.wrapping_sub(1);
            let kept = bits >> drop;
            kept.wrapping_add(u64::from(rest > half || (rest == half && kept & 1 == 1)))
        }
        Ok(_) => 0,
        Err(_) => u32::try_from(drop.saturating_neg()).ok().and_then(|by| bits.checked_shl(by)).unwrap_or_default(),
    };
    // The leading 1 bit adds 1 to the exponent field, also if rounding up created this bit.
    let field = u32::try_from(field.saturating_sub(1)).unwrap_or(u32::MAX).min(255);
    let kept = u32::try_from(kept).unwrap_or(u32::MAX);
    f32::from_bits((field << FRACTION).saturating_add(kept).min(f32::INFINITY.to_bits()))
}

#[cfg(test)]
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "numbers made up for a test"
)]
mod tests {
    use super::*;
    use crate::formats::ezmesh::xml::numbers::random;

    #[test]
    fn reads_hexadecimal_floats() {
        let smallest = f32::from_bits(1);
        for (text, value) in [
            ("1p3", 8.0),
            ("1P+3", 8.0),
            ("1p-3", 0.125),
            ("1.8", 1.5),
            (".8", 0.5),
            ("8.", 8.0),
            ("1p", 1.0),
            ("1p-", 1.0),
            ("0", 0.0),
            ("0p99999999999999999999", 0.0),
            ("AbC", 2748.0),
            ("1p127", 1.701_411_8e38),
            ("1p128", f32::INFINITY),
            ("1.fffffep127", f32::MAX),
            ("1.fffffefp127", f32::MAX),
            ("1.ffffffp127", f32::INFINITY),
            ("1p99999999999999999999", f32::INFINITY),
            ("1p-99999999999999999999", 0.0),
            ("1p-149", smallest),
            ("1p-150", 0.0),
            ("1.0000000000000000000001p-150", smallest),
            ("1.8p-149", f32::from_bits(2)),
            ("1p-126", f32::MIN_POSITIVE),
            ("1.fffffcp-127", f32::from_bits(0x007f_ffff)),
            ("1.ffffffp-127", f32::MIN_POSITIVE),
            ("1000001", 16_777_216.0),
            ("1000003", 16_777_220.0),
            ("1000001.00000000000000000000001", 16_777_218.0),
            ("0.000000000000000000000000000000000000000000001p180", 1.0),
            ("100000000000000000000000000000000000000000000p-176", 1.0),
        ] {
            assert_eq!(parse(text.as_bytes()).map(f32::to_bits), Some(value.to_bits()), "{text}");
        }
        for text in ["", ".", "p3", ".p3", "1..8", "1.8.", "1p3.0", "1p3x", "1p+-3", "g", "1p3p3", "-1"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    /// Integers below 2^53 are exact in `f64`, and the conversion of `f64` to `f32` rounds once.
    #[test]
    fn rounds_as_a_cast_does() {
        let mut random = random(3);
        for _ in 0..100_000 {
            let bits = random(1 << 53) >> random(53);
            let power = i32::try_from(random(330)).unwrap() - 220;
            let wide = (bits as f64) * 2_f64.powi(power);
            let found = parse(format!("{bits:x}p{power}").as_bytes()).unwrap();
            assert_eq!(found.to_bits(), (wide as f32).to_bits(), "{bits:x}p{power}");
        }
    }
}
