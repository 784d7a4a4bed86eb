//! [`LlsdValue`]: LLSD values that borrow from the encoded bytes.

use std::fmt;

use super::text::LlsdText;
use crate::error::debug::items;
use crate::math::as_u64;
use crate::parse::{Limits, hex};

/// An LLSD value. UUIDs, texts, binary data, arrays and maps borrow from the encoded bytes.
#[derive(Clone, Copy)]
pub enum LlsdValue<'a> {
    /// The undefined value of LLSD, similar to `null` in JSON.
    Undefined,
    /// A boolean: true or false.
    Boolean(bool),
    /// A 32-bit integer.
    Integer(i32),
    /// A 64-bit floating-point number.
    Real(f64),
    /// A UUID.
    Uuid(&'a [u8; 16]),
    /// A string, which need not be UTF-8.
    String(LlsdText<'a>),
    /// A URI.
    Uri(LlsdText<'a>),
    /// A date, in seconds since 1970-01-01 UTC.
    Date(f64),
    /// Binary data: an array of bytes.
    Binary(&'a [u8]),
    /// An array of values.
    Array(LlsdArray<'a>),
    /// A map from keys to values.
    Map(LlsdMap<'a>),
}

impl fmt::Debug for LlsdValue<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (variant, value): (&str, &dyn fmt::Debug) = match self {
            Self::Undefined => return out.write_str("Undefined"),
            Self::Boolean(boolean) => ("Boolean", boolean),
            Self::Integer(integer) => ("Integer", integer),
            Self::Real(real) => ("Real", real),
            Self::Uuid(uuid) => ("Uuid", uuid),
            Self::String(text) => ("String", text),
            Self::Uri(uri) => ("Uri", uri),
            Self::Date(seconds) => ("Date", seconds),
            Self::Binary(bytes) => ("Binary", &items(bytes)),
            Self::Array(array) => ("Array", array),
            Self::Map(map) => ("Map", map),
        };
        out.debug_tuple(variant).field(value).finish()
    }
}

impl<'a> LlsdValue<'a> {
    /// Returns the name of the value's type with an indefinite article, such as "a map", for error
    /// messages.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Undefined => "an undefined value",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Real(_) => "a real",
            Self::Uuid(_) => "a UUID",
            Self::String(_) => "a string",
            Self::Uri(_) => "a URI",
            Self::Date(_) => "a date",
            Self::Binary(_) => "binary data",
            Self::Array(_) => "an array",
            Self::Map(_) => "a map",
        }
    }

    /// Returns a real or an integer as `f64`, or `None` if the value is neither a real nor an
    /// integer.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Real(real) => Some(real),
            Self::Integer(integer) => Some(integer.into()),
            _ => None,
        }
    }

    /// Returns the integer, or `None` if the value is not an integer.
    #[must_use]
    pub const fn integer(&self) -> Option<i32> {
        match *self {
            Self::Integer(integer) => Some(integer),
            _ => None,
        }
    }

    /// Returns the string, or `None` if the value is not a string.
    #[must_use]
    pub const fn string(&self) -> Option<LlsdText<'a>> {
        match *self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the map, or `None` if the value is not a map.
    #[must_use]
    pub const fn map(&self) -> Option<LlsdMap<'a>> {
        match *self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the array, or `None` if the value is not an array.
    #[must_use]
    pub const fn array(&self) -> Option<LlsdArray<'a>> {
        match *self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the bytes of binary data, or `None` if the value is not binary data.
    #[must_use]
    pub const fn binary(&self) -> Option<&'a [u8]> {
        match *self {
            Self::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// An LLSD value and the byte range of its encoding.
#[derive(Clone, Copy, Debug)]
pub struct LlsdItem<'a> {
    /// The decoded LLSD value.
    pub value: LlsdValue<'a>,
    /// Byte offset of the LLSD value's marker byte.
    pub at: usize,
    /// Byte offset of the first byte after the LLSD value.
    pub end: usize,
}

/// An entry of an LLSD map: a key, the value of the key, and the byte offsets of the key and the
/// value.
#[derive(Clone, Copy, Debug)]
pub struct LlsdEntry<'a> {
    /// The key of the map entry.
    pub key: LlsdText<'a>,
    /// The decoded LLSD value of the map entry.
    pub value: LlsdValue<'a>,
    /// Byte offset of the marker byte of the entry's key.
    pub key_at: usize,
    /// Byte offset of the marker byte of the entry's value.
    pub at: usize,
    /// Byte offset of the first byte after the entry's value.
    pub end: usize,
}

/// The two types of LLSD values that contain other values: arrays and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// An array of values.
    Array,
    /// A map from keys to values.
    Map,
}

/// The encoded bytes and the number of the items of an LLSD array or map.
#[derive(Clone, Copy)]
pub(super) struct ItemList<'a> {
    /// The encoded bytes from the start of the LLSD tree to the end of the array or map.
    pub(super) bytes: &'a [u8],
    pub(super) first: usize,
    pub(super) count: u32,
    pub(super) limits: LlsdLimits,
}

impl fmt::Debug for ItemList<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} items in bytes {}..{}", self.count, self.first, as_u64(self.bytes.len()))
    }
}

/// An array of LLSD values, borrowed from the encoded bytes.
#[derive(Clone, Copy, Debug)]
pub struct LlsdArray<'a>(pub(super) ItemList<'a>);

impl LlsdArray<'_> {
    /// Returns the number of values in the array.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.0.count).unwrap_or(usize::MAX)
    }

    /// Returns whether the array has no values.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.count == 0
    }
}

/// A map from keys to LLSD values, borrowed from the encoded bytes.
#[derive(Clone, Copy, Debug)]
pub struct LlsdMap<'a>(pub(super) ItemList<'a>);

impl LlsdMap<'_> {
    /// Returns the limits with which the map was read.
    pub(in crate::formats::secondlife) const fn limits(&self) -> LlsdLimits {
        self.0.limits
    }

    /// Returns the number of entries in the map. Entries with repeated keys are counted too.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.0.count).unwrap_or(usize::MAX)
    }

    /// Returns whether the map has no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.count == 0
    }
}

/// Maximum nesting depth and maximum number of values of a tree of LLSD values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlsdLimits {
    /// The maximum nesting depth of arrays and maps. A maximum depth above 256 has the same effect
    /// as 256.
    pub depth: u32,
    /// The maximum number of LLSD values in the whole tree.
    pub items: u64,
}

impl From<&Limits> for LlsdLimits {
    fn from(limits: &Limits) -> Self {
        Self { depth: limits.depth, items: limits.items }
    }
}

impl Default for LlsdLimits {
    fn default() -> Self {
        Self::from(&Limits::default())
    }
}

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
