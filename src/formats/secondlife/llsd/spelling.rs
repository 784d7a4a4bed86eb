//! Spells UUIDs and dates.

use crate::parse::hex;

/// Spells a UUID in lower case.
#[must_use]
pub fn uuid(bytes: &[u8; 16]) -> String {
    let digits = hex(bytes);
    let part = |range: std::ops::Range<usize>| digits.get(range).unwrap_or_default().to_owned();
    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
}

/// Formats a date in the years 0 to 9999 as ISO 8601, with a precision of one second.
#[must_use]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the range is tested")]
pub fn utc(seconds: f64) -> Option<String> {
    const DAY: i64 = 86_400;
    if !(-62_167_219_200.0..253_402_300_800.0).contains(&seconds) {
        return None;
    }
    let seconds = seconds.floor() as i64;
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // The date is computed from the number of days since 0000-03-01. The computation of the date
    // uses years that start in March, because the leap day is then the last day of a year. The
    // number of days is divided into periods of 400 years.
    let days = days.checked_add(719_468)?;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leaps = (day / 1_460).checked_sub(day / 36_524)?.checked_add(day / 146_096)?;
    let year = day.checked_sub(leaps)? / 365;
    let day_of_year = day.checked_sub(year.checked_mul(365)?.checked_add(year / 4)?.checked_sub(year / 100)?)?;
    let month = day_of_year.checked_mul(5)?.checked_add(2)? / 153;
    let day = day_of_year.checked_sub(month.checked_mul(153)?.checked_add(2)? / 5)?.checked_add(1)?;
    let month = if month < 10 { month.checked_add(3)? } else { month.checked_sub(9)? };
    let year = year.checked_add(era.checked_mul(400)?)?.checked_add(i64::from(month <= 2))?;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_dates() {
        assert_eq!(utc(1_511_941_196.162).as_deref(), Some("2017-11-29T07:39:56Z"));
        assert_eq!(utc(0.0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(utc(-0.5).as_deref(), Some("1969-12-31T23:59:59Z"));
        assert_eq!(utc(951_782_400.0).as_deref(), Some("2000-02-29T00:00:00Z"));
        assert_eq!(utc(253_402_300_799.0).as_deref(), Some("9999-12-31T23:59:59Z"));
        assert_eq!(utc(-62_167_219_200.0).as_deref(), Some("0000-01-01T00:00:00Z"));
        assert_eq!((utc(f64::NAN), utc(f64::INFINITY), utc(1e300)), (None, None, None));
    }

    #[test]
    fn spells_uuids() {
        let bytes = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 0, 0, 0, 0, 0, 0, 0xff];
        assert_eq!(uuid(&bytes), "01234567-89ab-cdef-0000-0000000000ff");
    }
}
