//! Parses all notations of numbers in the format: integers, and floats in the notations of `strtod`
//! in C, as bits after a `$`, and as words such as `fltmax` and `true`.

// Rule: this file makes text of copies only.

use std::str::FromStr;

use super::character_data::MAX_TOKEN_LENGTH;

/// Parses a float. The value is rounded to the nearest `f32`, ties to even. Returns `None` if the
/// text is not a float.
pub(super) fn parse_float(text: &[u8]) -> Option<f32> {
    if let Some(dollar) = memchr::memchr(b'$', text) {
        let digits = text.get(dollar..)?.get(1..)?;
        return hexadecimal(digits).filter(|_| !digits.is_empty() && digits.len() <= 8).map(f32::from_bits);
    }
    if let Some(value) = word(text) {
        return Some(value);
    }
    let (negative, magnitude) = sign(text);
    let value = match magnitude {
        [b'0', b'x' | b'X', rest @ ..] => hexadecimal_float(rest),
        [b'i' | b'I' | b'n' | b'N', ..] => name(magnitude),
        // The first byte must be a digit or a point, as in `strtod`. The float parser of the Rust
        // standard library would also accept a sign and names such as `inf` at the start.
        [b'0'..=b'9' | b'.', ..] => match magnitude {
            [digits @ .., b'e' | b'E'] | [digits @ .., b'e' | b'E', b'+' | b'-'] => parse_copy(digits),
            _ => parse_copy(magnitude),
        },
        _ => None,
    }?;
    Some(if negative { -value } else { value })
}

/// Parses an integer. Returns `None` if the text is not an integer, or if the integer does not fit
/// in 64 bits.
pub(super) fn parse_integer(text: &[u8]) -> Option<i64> {
    parse_copy(text)
}

/// Parses a number in a notation of the Rust standard library, from a copy of its text: the bytes
/// of a mapped file may change after the check for UTF-8.
fn parse_copy<T: FromStr>(text: &[u8]) -> Option<T> {
    let mut copy = [0; MAX_TOKEN_LENGTH];
    let copy = copy.get_mut(..text.len())?;
    copy.copy_from_slice(text);
    std::str::from_utf8(copy).ok()?.parse().ok()
}

/// Parses a word that represents a float: the names `fltmax` and `fltmin`, and words for true and
/// false.
fn word(text: &[u8]) -> Option<f32> {
    let is = |words: [&[u8]; 2]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match text.first()? {
        b'f' | b'F' if is([b"fltmax", b"fmax"]) => Some(f32::MAX),
        b'f' | b'F' if is([b"fltmin", b"fmin"]) => Some(f32::MIN_POSITIVE),
        b'f' | b'F' => Some(0.0),
        b't' | b'T' => Some(1.0),
        _ => None,
    }
}

/// Parses the name of an infinity or of NaN. A text in parentheses after NaN has no effect.
fn name(text: &[u8]) -> Option<f32> {
    if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") {
        return Some(f32::INFINITY);
    }
    let (name, rest) = text.split_at_checked(3)?;
    let payload = match rest {
        [] => true,
        [b'(', payload @ .., b')'] => payload.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
        _ => false,
    };
    (name.eq_ignore_ascii_case(b"nan") && payload).then_some(f32::NAN)
}

/// Parses the text after `0x`. The value is rounded to the nearest `f32`, ties to even. Returns
/// `None` if the text is not a number.
#[allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "52 bits are exact in an `f64`, and only the last conversion rounds"
)]
fn hexadecimal_float(text: &[u8]) -> Option<f32> {
    let exponent_at = memchr::memchr2(b'p', b'P', text).unwrap_or(text.len());
    let (digits, exponent) = text.split_at_checked(exponent_at)?;
    let mut power = power(exponent)?;
    let (mut bits, mut seen, mut point) = (0_u64, false, false);
    for byte in digits {
        if *byte == b'.' && !point {
            point = true;
            continue;
        }
        let digit = u64::from(digit(*byte)?);
        seen = true;
        if bits >> 48 == 0 {
            bits = bits << 4 | digit;
            power = power.saturating_sub(if point { 4 } else { 0 });
        } else {
            // A hexadecimal digit after the first 13 significant digits is far below the last
            // mantissa bit of an `f32`. The rounding depends only on whether such a digit is zero.
            bits |= u64::from(digit != 0);
            power = power.saturating_add(if point { 0 } else { 4 });
        }
    }
    // The power of two in the notation of an `f64`. A number with a power beyond 300 is 0 or an
    // infinity as an `f32`.
    let power = u64::try_from(power.clamp(-300, 300).saturating_add(1023)).ok()?;
    seen.then(|| (bits as f64 * f64::from_bits(power << 52)) as f32)
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

/// Returns the lowest 32 bits of an integer, or `None` if the integer does not fit in 32 bits,
/// signed or unsigned.
pub(super) fn wrap(value: i64) -> Option<u32> {
    u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(i32::cast_unsigned))
}

/// Removes a leading sign from a text. Returns whether the sign is a minus, and the text after the
/// sign.
pub(super) fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Returns the value of a hexadecimal digit, or `None` if the byte is not such a digit.
pub(super) fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}

/// Returns the number that at most eight hexadecimal digits form, or `None` if a byte is not such a
/// digit.
pub(super) fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, byte| Some(value << 4 | digit(*byte)?))
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

    #[track_caller]
    fn is(text: &str, value: f32) {
        let found = parse_float(text.as_bytes()).unwrap();
        assert_eq!(found.to_bits(), value.to_bits(), "{text}: {found}");
    }

    #[test]
    fn reads_what_strtod_reads() {
        for (text, value) in [
            ("1.5", 1.5),
            ("+1.5", 1.5),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("5.e1", 50.0),
            ("-0", -0.0),
            ("0e999", 0.0),
            ("1e999", f32::INFINITY),
            ("-1e999", f32::NEG_INFINITY),
            ("1e-999", 0.0),
            ("-1e-999", -0.0),
            ("1e99999999999999999999999", f32::INFINITY),
            ("-1e-99999999999999999999999", -0.0),
            ("1e-45", f32::from_bits(1)),
            ("340282356779733661637539395458142568447", f32::MAX),
            ("340282356779733661637539395458142568448", f32::INFINITY),
            ("+.5e", 0.5),
            ("1e+", 1.0),
            ("1E-", 1.0),
            ("inf", f32::INFINITY),
            ("-Infinity", f32::NEG_INFINITY),
            ("NaN", f32::NAN),
            ("nan(0x12_z)", f32::NAN),
            ("nan()", f32::NAN),
            ("-nan", -f32::NAN),
            ("0x1p3", 8.0),
            ("-0x1.8", -1.5),
        ] {
            is(text, value);
        }
    }

    #[test]
    fn reads_the_words_of_the_format() {
        for (text, value) in [
            ("fltmax", f32::MAX),
            ("FMAX", f32::MAX),
            ("FltMin", f32::MIN_POSITIVE),
            ("fmin", f32::MIN_POSITIVE),
            ("f", 0.0),
            ("false", 0.0),
            ("fltmaxx", 0.0),
            ("FALSE", 0.0),
            ("t", 1.0),
            ("True", 1.0),
            ("$3f800000", 1.0),
            ("0.1235$3dfcd6e9", f32::from_bits(0x3dfc_d6e9)),
            ("nonsense$80000000", -0.0),
            ("f$7FC00001", f32::from_bits(0x7fc0_0001)),
            ("$1", f32::from_bits(1)),
        ] {
            is(text, value);
        }
    }

    #[test]
    fn refuses_what_has_something_left_over() {
        for text in [
            "",
            "+",
            "-",
            ".",
            "-.",
            "e5",
            ".e5",
            "--1",
            "+-1",
            "-+1",
            "1.5f",
            "1..5",
            "1.2.3",
            "1e5.0",
            "1e+x",
            "1ee",
            "1e++",
            "1;",
            "1&",
            "1\0",
            "infinit",
            "infinityy",
            "nan(",
            "nan(-)",
            "nanx",
            "+f",
            "-t",
            "-fltmax",
            "0x",
            "0x.",
            "0xg",
            "0x1p3x",
            "$",
            "1$",
            "$123456789",
            "$12g",
            "$$1",
            "$1$2",
            "$-1",
            "1e5$",
            "\u{e9}",
            "1\u{e9}",
            "in",
            "na",
            "-",
            "+inf+",
        ] {
            assert_eq!(parse_float(text.as_bytes()), None, "{text}");
        }
    }

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
            assert_eq!(hexadecimal_float(text.as_bytes()).map(f32::to_bits), Some(value.to_bits()), "{text}");
        }
        for text in ["", ".", "p3", ".p3", "1..8", "1.8.", "1p3.0", "1p3x", "1p+-3", "g", "1p3p3", "-1"] {
            assert_eq!(hexadecimal_float(text.as_bytes()), None, "{text}");
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
            let found = hexadecimal_float(format!("{bits:x}p{power}").as_bytes()).unwrap();
            assert_eq!(found.to_bits(), (wide as f32).to_bits(), "{bits:x}p{power}");
        }
    }

    #[test]
    fn reads_digits_with_a_sign() {
        let some = |text: &str| parse_integer(text.as_bytes());
        assert_eq!(some("0"), Some(0));
        assert_eq!(some("+17"), Some(17));
        assert_eq!(some("-0017"), Some(-17));
        assert_eq!(some("9223372036854775807"), Some(i64::MAX));
        assert_eq!(some("-9223372036854775808"), Some(i64::MIN));
        for text in ["", "-", "+", "--1", "1.0", "0x1", "1e3", "1;", "9223372036854775808", "-9223372036854775809", "a"]
        {
            assert_eq!(some(text), None, "{text}");
        }
    }

    #[test]
    fn wraps_32_bits_only() {
        assert_eq!(wrap(4_294_967_295), Some(u32::MAX));
        assert_eq!(wrap(-1), Some(u32::MAX));
        assert_eq!(wrap(-2_147_483_648), Some(0x8000_0000));
        assert_eq!(wrap(4_294_967_296), None);
        assert_eq!(wrap(-2_147_483_649), None);
    }
}
