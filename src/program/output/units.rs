//! Formats numbers with three significant digits, and sizes in bytes with a unit.

// Rule: this file makes text of copies only.

/// Formats a number with three significant digits.
pub fn significant(number: f64) -> String {
    match number {
        ..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}").parse().map_or_else(|_| format!("{number:.0}"), thousands),
    }
}

/// Formats a number with at most `digits` digits after the point, without zeros at the end.
pub fn decimals(number: f32, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Formats a number with at most six significant digits, with an exponent if it is very small or
/// very large.
pub fn short(number: f32) -> String {
    let rounded: f32 = format!("{number:.5e}").parse().unwrap_or(number);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-4..1e9 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// Formats an integer with commas between groups of three digits.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// Formats a size in bytes with the unit B, KB, MB or GB.
pub fn bytes(number: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")];
    match units.iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) => format!("{} {name}", significant(ratio(number, *unit))),
        None => format!("{number} B"),
    }
}

/// Returns the quotient of two integers as a float.
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "three digits of it are shown")]
pub fn ratio(number: u64, unit: u64) -> f64 {
    number as f64 / unit as f64
}

/// Returns the whole part of a number, or the nearest integer that has 64 bits and no sign.
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as intended")]
pub const fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_zeros_at_the_end() {
        assert_eq!([1.0 / 3.0, 0.5, 100.0].map(|number| decimals(number, 3)), ["0.333", "0.5", "100"]);
        assert_eq!(decimals(1200.7, 0), "1201");
    }

    #[test]
    fn short_numbers_have_six_digits() {
        let shown = [-32.219_997, 0.0, -0.0, 1.0, 1.971_069_4e-7, 123_456.79, 2e9].map(short);
        assert_eq!(shown, ["-32.22", "0", "0", "1", "1.97107e-7", "123457", "2e9"]);
        assert_eq!([f32::NAN, f32::INFINITY, -0.000_1].map(short), ["NaN", "inf", "-0.0001"]);
    }

    #[test]
    fn shows_three_digits() {
        let shown = [1.0, 12.34, 123.4, 34_567.8].map(significant);
        assert_eq!(shown, ["1.00", "12.3", "123", "34,568"]);
        assert_eq!([12, 1_000, 1_234_567, 9_876_543_210].map(bytes), ["12 B", "1.00 KB", "1.23 MB", "9.88 GB"]);
    }
}
