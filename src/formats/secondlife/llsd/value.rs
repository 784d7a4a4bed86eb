//! [`LlsdValue`]: LLSD values that borrow from the encoded bytes.

use std::fmt;

use super::limits::LlsdLimits;
use super::text::LlsdText;
use crate::error::debug::items;
use crate::math::as_u64;

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
