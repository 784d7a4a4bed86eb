//! Parses all float notations of the format: the notations of `strtod` in C, the bits of a float
//! after a `$`, and words such as `fltmax` and `true`.

// Rule: this file makes text of copies only.

use super::hex_float;
use super::integer::{digit, sign};

/// Parses a float. The value is rounded to the nearest `f32`, ties to even. Returns `None` if the
/// text is not a float.
pub(super) fn parse(text: &[u8]) -> Option<f32> {
    if let Some(dollar) = memchr::memchr(b'$', text) {
        return bits(text.get(dollar..)?.get(1..)?);
    }
    if let Some(value) = word(text) {
        return Some(value);
    }
    let (negative, magnitude) = sign(text);
    let value = match magnitude {
        [b'0', b'x' | b'X', rest @ ..] => hex_float::parse(rest),
        [b'i' | b'I' | b'n' | b'N', ..] => name(magnitude),
        _ => decimal(magnitude),
    }?;
    Some(if negative { -value } else { value })
}

/// Parses the bits of a float, written with one to eight hexadecimal digits.
fn bits(digits: &[u8]) -> Option<f32> {
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits.iter().try_fold(0, |bits, byte| Some(bits << 4 | digit(*byte)?)).map(f32::from_bits)
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

/// Parses an unsigned decimal number.
fn decimal(text: &[u8]) -> Option<f32> {
    let text = match text {
        [digits @ .., b'e' | b'E'] | [digits @ .., b'e' | b'E', b'+' | b'-'] => digits,
        _ => text,
    };
    // The first byte must be a digit or a point, as in `strtod`. The float parser of the Rust
    // standard library would also accept a sign and names such as `inf` at the start.
    if !matches!(text.first()?, b'0'..=b'9' | b'.') {
        return None;
    }
    // The text is copied, because the bytes of a mapped file may change after the check for UTF-8.
    let mut room = [0; 32];
    let long;
    let copy: &[u8] = if let Some(short) = room.get_mut(..text.len()) {
        short.copy_from_slice(text);
        short
    } else {
        long = text.to_vec();
        &long
    };
    std::str::from_utf8(copy).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(text: &str, value: f32) {
        let found = parse(text.as_bytes()).unwrap();
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
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
