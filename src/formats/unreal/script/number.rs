//! Numbers in scripts, read like C's `atof` and `atoi`: the longest prefix of the text that is a
//! number is used.

/// The reason why a text is not exactly one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The text does not start with a number. A text without a number at its start is read as 0.
    Missing,
    /// Other text follows the number at the start of the text.
    Trailing,
    /// The number is too large for `f32` or `i64`. A number that is too large is read as an
    /// infinity (`f32`), or as the minimum or maximum of `i64`, with the sign of the number.
    TooLarge,
}

/// Reads a number with an optional sign, fraction and exponent. The second item of the returned
/// tuple is the fault in the text, or `None` if the whole text is a number.
pub(super) fn float(text: &[u8]) -> (f32, Option<Fault>) {
    let length = float_length(text);
    let number: f32 = spelled(text, length).parse().unwrap_or_default();
    let fault = match length {
        0 => Some(Fault::Missing),
        _ if number.is_infinite() => Some(Fault::TooLarge),
        _ => (length < text.len()).then_some(Fault::Trailing),
    };
    (number, fault)
}

/// Reads a whole number with an optional sign. A fraction after the whole number is dropped. The
/// second item of the returned tuple is the fault in the text, or `None` if the text is a whole
/// number.
pub(super) fn integer(text: &[u8]) -> (i64, Option<Fault>) {
    let sign = sign_length(text);
    let length = sign.saturating_add(digits(text, sign));
    if length == sign {
        return (0, Some(Fault::Missing));
    }
    let extreme = if text.first() == Some(&b'-') { i64::MIN } else { i64::MAX };
    match spelled(text, length).parse() {
        Err(_) => (extreme, Some(Fault::TooLarge)),
        Ok(number) => (number, (!is_whole(text, length)).then_some(Fault::Trailing)),
    }
}

/// Returns whether the text after the first `length` bytes is empty, or is a decimal point followed
/// only by zeros.
fn is_whole(text: &[u8], length: usize) -> bool {
    let rest = text.get(length..).unwrap_or_default();
    rest.strip_prefix(b".").unwrap_or(rest).iter().all(|byte| *byte == b'0')
}

/// Copies the first `length` bytes of a text, which are ASCII, to a string. The copy is necessary
/// because the bytes of a memory-mapped file could change between a check for UTF-8 and the next
/// read.
fn spelled(text: &[u8], length: usize) -> String {
    text.get(..length).unwrap_or_default().iter().copied().map(char::from).collect()
}

fn float_length(text: &[u8]) -> usize {
    let sign = sign_length(text);
    let whole = digits(text, sign);
    let mut end = sign.saturating_add(whole);
    let mut count = whole;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(text, end.saturating_add(1));
        count = count.saturating_add(fraction);
        end = end.saturating_add(1).saturating_add(fraction);
    }
    if count == 0 { 0 } else { end.saturating_add(exponent_length(text, end)) }
}

fn exponent_length(text: &[u8], at: usize) -> usize {
    let Some(b'e' | b'E') = text.get(at) else { return 0 };
    let rest = text.get(at.saturating_add(1)..).unwrap_or_default();
    let sign = sign_length(rest);
    match digits(rest, sign) {
        0 => 0,
        digits => digits.saturating_add(sign).saturating_add(1),
    }
}

fn sign_length(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'+' | b'-')))
}

fn digits(text: &[u8], at: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_c_reads() {
        for (text, number) in [
            ("0.1", 0.1),
            (".15", 0.15),
            ("-64", -64.0),
            ("-60.00", -60.0),
            ("1.00000", 1.0),
            ("+2", 2.0),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1E-1", 0.1),
            ("0.00390625", 0.003_906_25),
        ] {
            assert_eq!(float(text.as_bytes()), (number, None), "{text}");
        }
        for (text, number) in [("1.5x", 1.5), ("1e", 1.0), ("2e+", 2.0), ("3.4.5", 3.4), ("0;", 0.0)] {
            assert_eq!(float(text.as_bytes()), (number, Some(Fault::Trailing)), "{text}");
        }
        for text in ["", "-", ".", "x", "nan", "inf", "e5", "\u{661}"] {
            assert_eq!(float(text.as_bytes()), (0.0, Some(Fault::Missing)), "{text}");
            assert_eq!(integer(text.as_bytes()), (0, Some(Fault::Missing)), "{text}");
        }
        assert_eq!(float(b"-1e99"), (f32::NEG_INFINITY, Some(Fault::TooLarge)));
        assert_eq!(float("9".repeat(9000).as_bytes()).1, Some(Fault::TooLarge));
    }

    #[test]
    fn reads_whole_numbers() {
        assert_eq!(integer(b"+30"), (30, None));
        assert_eq!(integer(b"30.00"), (30, None));
        assert_eq!(integer(b"-1.5"), (-1, Some(Fault::Trailing)));
        assert_eq!(integer(b"99999999999999999999"), (i64::MAX, Some(Fault::TooLarge)));
        assert_eq!(integer(b"-99999999999999999999x"), (i64::MIN, Some(Fault::TooLarge)));
    }
}
