//! Parses all notations of numbers in the format: integers, and floats in the notations of `strtod`
//! in C, as bits after a `$`, and as words such as `fltmax` and `true`. Decimal digits are parsed
//! sixteen bytes at a time, in general-purpose registers.

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

/// Number of bytes in a window: the maximum length of a number that is parsed at once, without its
/// sign.
pub(super) const WIDTH: usize = 16;

/// The window: the sixteen bytes of the file that end with the last byte of a number.
pub(super) type Window = [u8; WIDTH];

/// The value of the byte `.` when it is treated as a digit: the lowest four bits of the byte.
const POINT: u64 = 14;

/// Masks that select the last bytes of a window of sixteen bytes, one mask for each number of
/// selected bytes.
pub(super) static LAST: [Window; WIDTH + 1] = {
    let mut masks = [[0; WIDTH]; WIDTH + 1];
    let mut length = 0;
    while length <= WIDTH {
        #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "checked by the compiler")]
        {
            let mut byte = WIDTH - length;
            while byte < WIDTH {
                masks[length][byte] = 0xff;
                byte += 1;
            }
            length += 1;
        }
    }
    masks
};

/// The scale factor of a number, indexed by the number of digits after the decimal point. The last
/// entry is for numbers without a decimal point.
#[rustfmt::skip]
pub(super) static SCALES: [f64; WIDTH + 1] =
    [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e0];

/// Constants that depend on the number of digits after the decimal point.
struct Fraction {
    /// The byte `.` after an XOR with the byte `0`, at the position of the point in the window. All
    /// other bytes of `point` are 0.
    point: [u64; 2],
    /// The value that is added to each byte of the window to check the byte. The top bit of the sum
    /// of `excess` and a byte is set if the byte is not a digit. For the byte at the position of
    /// the decimal point, the top bit of the sum is set if the byte is not a point.
    excess: [u64; 2],
    /// 2^64 divided by `10 * one`, rounded up: `10 * one` is the weight of the last digit before
    /// the point while the point is treated as a digit.
    before: u64,
    /// The correct weight of the last digit before the decimal point.
    one: u64,
}

/// The constants for each number of digits after the decimal point. The last entry is for decimal
/// numbers without a decimal point.
static FRACTIONS: [Fraction; WIDTH + 1] = {
    const NONE: Fraction = Fraction { point: [0; 2], excess: [0x7676_7676_7676_7676; 2], before: 0, one: 0 };
    let mut fractions = [NONE; WIDTH + 1];
    let mut after = 0;
    let mut one = 1;
    while after < WIDTH {
        #[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "checked by the compiler")]
        {
            let byte = WIDTH - 1 - after;
            let fraction = &mut fractions[after];
            fraction.point[byte / 8] = 0x1e << (byte % 8 * 8);
            fraction.excess[byte / 8] |= 0x7f << (byte % 8 * 8);
            fraction.before = u64::MAX / (one * 10) + 1;
            fraction.one = one;
            one *= 10;
            after += 1;
        }
    }
    fractions
};

/// Returns the last `length` bytes of a window of sixteen bytes as digit values, in two integers of
/// eight bytes each. All earlier bytes of the window become zero in the returned integers.
///
/// Returns `None` if `length` exceeds the length of the window.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn values(window: &Window, length: usize) -> Option<[u64; 2]> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    let [low, high] = halves(u128::from_le_bytes(*window));
    let [first, last] = halves(u128::from_le_bytes(*LAST.get(length)?));
    Some([(low ^ ZEROS) & first, (high ^ ZEROS) & last])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "takes the halves apart")]
const fn halves(wide: u128) -> [u64; 2] {
    [wide as u64, (wide >> 64) as u64]
}

/// Returns the number that eight decimal digits form. The first digit is in the lowest byte of
/// `values`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
const fn eight(values: u64) -> u64 {
    const PAIRS: u64 = 0x0000_00ff_0000_00ff;
    // In `pairs`, two adjacent digits form a number from 0 to 99. The products `odd` and `even`
    // combine the four numbers of two digits. The upper half of the sum of `odd` and `even` is the
    // number that all eight digits form.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let odd = (pairs & PAIRS).wrapping_mul(0x000f_4240_0000_0064);
    let even = (pairs >> 16 & PAIRS).wrapping_mul(0x0000_2710_0000_0001);
    odd.wrapping_add(even) >> 32
}

/// Parses the last `length` bytes of a window of sixteen bytes as an unsigned decimal float.
///
/// Returns `None` if the bytes are not digits with at most one decimal point, or if the correct
/// rounding of the value is uncertain.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the upper half of a product")]
pub(super) fn fixed(window: &Window, length: usize) -> Option<f32> {
    /// Selects the bit of each byte that, after the XOR with the byte `0`, is set for a decimal
    /// point and clear for a digit. `DIGIT` selects the four bits of each byte that hold the value
    /// of a digit.
    const BIT: u64 = 0x1010_1010_1010_1010;
    const DIGIT: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const TOP: u64 = 0x8080_8080_8080_8080;
    let [low, high] = values(window, length)?;
    let in_high = (high & BIT).leading_zeros();
    let in_low = (low & BIT).leading_zeros();
    // The number of digits after the last byte that may be a point, or 16 if no byte may be a
    // point.
    let after = if high & BIT == 0 { in_low | 64 } else { in_high };
    let after = if (low | high) & BIT == 0 { 16 } else { after / 8 };
    let fraction = FRACTIONS.get(after as usize)?;
    let [low_rest, high_rest] = [low ^ fraction.point[0], high ^ fraction.point[1]];
    let wrong = low_rest.wrapping_add(fraction.excess[0]) | high_rest.wrapping_add(fraction.excess[1]);
    if (wrong | low_rest | high_rest) & TOP != 0 || length <= usize::from(after < 16) {
        return None;
    }
    let all = eight(low & DIGIT).wrapping_mul(100_000_000).wrapping_add(eight(high & DIGIT));
    let before = (u128::from(all).wrapping_mul(u128::from(fraction.before)) >> 64) as u64;
    let extra = before.wrapping_mul(9).wrapping_add(POINT - 9);
    narrow(all.wrapping_sub(extra.wrapping_mul(fraction.one)), *SCALES.get(after as usize)?)
}

/// Returns the product of `digits` and `scale`, rounded to `f32`.
///
/// Returns `None` if the product is so near to the middle between two `f32` values that the correct
/// rounding is uncertain.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounds")]
pub(super) fn narrow(digits: u64, scale: f64) -> Option<f32> {
    /// The mask of the low bits of an `f64` that an `f32` cannot hold. `MIDDLE` is the value of
    /// these bits for a number in the middle between two `f32` values.
    const DROPPED: u64 = 0x1fff_ffff;
    const MIDDLE: u64 = 0x1000_0000;
    /// An upper bound for the sum of three rounding errors, in units in the last place of an `f64`:
    /// the rounding of the integer, of the scale factor and of the product.
    const ERROR: u64 = 4;
    let wide = digits.cast_signed() as f64 * scale;
    let near = (wide.to_bits() & DROPPED).wrapping_sub(MIDDLE.wrapping_sub(ERROR)) <= 2 * ERROR;
    (!near).then_some(wide as f32)
}

/// Returns the float with a minus sign if `negative` is set. A zero becomes a negative zero.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
pub(super) fn signed(magnitude: f32, negative: bool) -> f32 {
    f32::from_bits(magnitude.to_bits() | u32::from(negative) << 31)
}

/// Parses the last `length` bytes of a window of sixteen bytes as an unsigned integer of at most
/// eight digits.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "eight digits need 27 bits")]
pub(super) fn short(window: &Window, length: usize) -> Option<u32> {
    let [_, values] = values(window, length)?;
    let wrong = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    (wrong == 0 && length <= 8).then(|| eight(values) as u32)
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
