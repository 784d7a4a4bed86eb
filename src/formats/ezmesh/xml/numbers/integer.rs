//! Parses integers in text: an optional sign and decimal digits.

/// Parses an integer. Returns `None` if the text is not an integer, or if the integer does not fit
/// in 64 bits.
pub(super) fn parse(text: &[u8]) -> Option<i64> {
    let (negative, digits) = sign(text);
    let first = digits.first()?;
    first.is_ascii_digit().then_some(())?;
    digits.iter().try_fold(0_i64, |value, byte| {
        let digit = i64::from(byte.checked_sub(b'0').filter(|digit| *digit <= 9)?);
        let tens = value.checked_mul(10)?;
        if negative { tens.checked_sub(digit) } else { tens.checked_add(digit) }
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_digits_with_a_sign() {
        let some = |text: &str| parse(text.as_bytes());
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
