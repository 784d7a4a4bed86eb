//! Values, borrowed from the bytes.

use super::limits::LlsdLimits;
use super::text::LlsdText;
use crate::math::as_u64;

/// A value. What is not a number borrows from the bytes.
#[derive(Clone, Copy, Debug)]
pub enum LlsdValue<'a> {
    /// No value.
    Undefined,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i32),
    /// A number.
    Real(f64),
    /// A UUID.
    Uuid(&'a [u8; 16]),
    /// A string, which need not be UTF-8.
    String(LlsdText<'a>),
    /// A URI.
    Uri(LlsdText<'a>),
    /// Seconds since 1970-01-01 UTC.
    Date(f64),
    /// Bytes.
    Binary(&'a [u8]),
    /// Values one after another.
    Array(LlsdArray<'a>),
    /// Keys, each with its value.
    Map(LlsdMap<'a>),
}

impl<'a> LlsdValue<'a> {
    /// Returns what it is, with its article: for errors.
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

    /// Returns a number: a real, or an integer that stands for one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Real(real) => Some(real),
            Self::Integer(integer) => Some(integer.into()),
            _ => None,
        }
    }

    /// Returns the whole number that it is.
    #[must_use]
    pub const fn integer(&self) -> Option<i32> {
        match *self {
            Self::Integer(integer) => Some(integer),
            _ => None,
        }
    }

    /// Returns the string that it is.
    #[must_use]
    pub const fn string(&self) -> Option<LlsdText<'a>> {
        match *self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the map that it is.
    #[must_use]
    pub const fn map(&self) -> Option<LlsdMap<'a>> {
        match *self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the array that it is.
    #[must_use]
    pub const fn array(&self) -> Option<LlsdArray<'a>> {
        match *self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the bytes that it is.
    #[must_use]
    pub const fn binary(&self) -> Option<&'a [u8]> {
        match *self {
            Self::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// A value, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct LlsdItem<'a> {
    /// The value.
    pub value: LlsdValue<'a>,
    /// Offset of its marker.
    pub at: usize,
    /// Offset of the byte after it.
    pub end: usize,
}

/// A key and its value, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct LlsdEntry<'a> {
    /// The key.
    pub key: LlsdText<'a>,
    /// The value.
    pub value: LlsdValue<'a>,
    /// Offset of the key's marker.
    pub key_at: usize,
    /// Offset of the value's marker.
    pub at: usize,
    /// Offset of the byte after the value.
    pub end: usize,
}

/// Arrays and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// Values one after another.
    Array,
    /// Keys, each with its value.
    Map,
}

/// The items of a container: where they are, not what they are.
#[derive(Clone, Copy)]
pub(super) struct ItemList<'a> {
    /// From the first byte of the tree to the last of the container.
    pub(super) bytes: &'a [u8],
    pub(super) first: usize,
    pub(super) count: u32,
    pub(super) limits: LlsdLimits,
}

impl std::fmt::Debug for ItemList<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} items in bytes {}..{}", self.count, self.first, as_u64(self.bytes.len()))
    }
}

/// Values one after another.
#[derive(Clone, Copy, Debug)]
pub struct LlsdArray<'a>(pub(super) ItemList<'a>);

impl LlsdArray<'_> {
    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.0.count).unwrap_or(usize::MAX)
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.count == 0
    }
}

/// Keys, each with its value.
#[derive(Clone, Copy, Debug)]
pub struct LlsdMap<'a>(pub(super) ItemList<'a>);

impl LlsdMap<'_> {
    /// Returns the number of entries, duplicate keys included.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.0.count).unwrap_or(usize::MAX)
    }

    /// Tells whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.count == 0
    }
}
