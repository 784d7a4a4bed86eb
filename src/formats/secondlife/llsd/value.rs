//! Values, borrowed from the bytes.

use super::Fault;
use super::text::Text;
use super::walk::{Head, Kind, Rules, Walk, head, key, skip};
use crate::math::as_u64;

/// A value. What is not a number borrows from the bytes.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
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
    String(Text<'a>),
    /// A URI.
    Uri(Text<'a>),
    /// Seconds since 1970-01-01 UTC.
    Date(f64),
    /// Bytes.
    Binary(&'a [u8]),
    /// Values one after another.
    Array(Array<'a>),
    /// Keys, each with its value.
    Map(Map<'a>),
}

impl<'a> Value<'a> {
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

    /// Returns the map that it is.
    #[must_use]
    pub const fn map(&self) -> Option<Map<'a>> {
        match *self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the array that it is.
    #[must_use]
    pub const fn array(&self) -> Option<Array<'a>> {
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
pub struct Item<'a> {
    /// The value.
    pub value: Value<'a>,
    /// Offset of its marker.
    pub at: usize,
    /// Offset of the byte after it.
    pub end: usize,
}

/// A key and its value, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The key.
    pub key: Text<'a>,
    /// The value.
    pub value: Value<'a>,
    /// Offset of the key's marker.
    pub key_at: usize,
    /// Offset of the value's marker.
    pub at: usize,
    /// Offset of the byte after the value.
    pub end: usize,
}

/// Reads the value that `bytes` start with, and passes over all that stands in it.
///
/// # Errors
///
/// The first fault in the whole value.
pub fn read<'a>(bytes: &'a [u8], rules: &Rules) -> Result<Item<'a>, Fault> {
    read_at(bytes, 0, rules)
}

/// As [`read`], from byte `at` on; offsets count from the first of `bytes`.
pub(crate) fn read_at<'a>(bytes: &'a [u8], at: usize, rules: &Rules) -> Result<Item<'a>, Fault> {
    let (value, end) = match head(bytes, at)? {
        Head::Scalar(value, end) => (value, end),
        Head::Open(kind, count, first) => {
            let end = match skip(bytes, at, rules) {
                Some(end) => end,
                None => Walk::new(bytes, at, rules).finish()?,
            };
            // Items are found again within what was walked.
            let bytes = bytes.get(..end).unwrap_or(bytes);
            (container(kind, List { bytes, first, count, rules: *rules }), end)
        }
    };
    Ok(Item { value, at, end })
}

/// As [`read_at`], of a value that was walked before and ended at `end` or before: it is not walked again.
pub(crate) fn walked_at<'a>(bytes: &'a [u8], at: usize, end: usize, rules: &Rules) -> Option<Value<'a>> {
    let bytes = bytes.get(..end)?;
    Some(match head(bytes, at).ok()? {
        Head::Scalar(value, _) => value,
        Head::Open(kind, count, first) => container(kind, List { bytes, first, count, rules: *rules }),
    })
}

const fn container(kind: Kind, list: List<'_>) -> Value<'_> {
    match kind {
        Kind::Array => Value::Array(Array(list)),
        Kind::Map => Value::Map(Map(list)),
    }
}

/// Returns the key that stands at `at`.
pub(crate) fn key_at(bytes: &[u8], at: usize) -> Option<Text<'_>> {
    key(bytes, at).ok().map(|(key, _)| key)
}

/// The items of a container: where they are, not what they are.
#[derive(Clone, Copy)]
struct List<'a> {
    /// From the first byte of the tree to the last of the container.
    bytes: &'a [u8],
    first: usize,
    count: u32,
    rules: Rules,
}

impl std::fmt::Debug for List<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} items in bytes {}..{}", self.count, self.first, as_u64(self.bytes.len()))
    }
}

/// Values one after another.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a>(List<'a>);

impl<'a> Array<'a> {
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

    /// Goes through the values; ends early only where the bytes are no longer those that were read.
    pub fn iter(&self) -> impl Iterator<Item = Item<'a>> + Clone + use<'a> {
        let List { bytes, first, count, rules } = self.0;
        let mut at = first;
        (0..count).map_while(move |_| {
            let item = read_at(bytes, at, &rules).ok()?;
            at = item.end;
            Some(item)
        })
    }

    /// Reads `N` numbers, and that there are no others.
    #[must_use]
    pub fn numbers<const N: usize>(&self) -> Option<[f64; N]> {
        if self.len() != N {
            return None;
        }
        let mut numbers = [0.0; N];
        let mut items = self.iter();
        for number in &mut numbers {
            *number = items.next()?.value.number()?;
        }
        Some(numbers)
    }
}

/// Keys, each with its value.
#[derive(Clone, Copy, Debug)]
pub struct Map<'a>(List<'a>);

impl<'a> Map<'a> {
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

    /// Goes through the entries in file order; ends early only where the bytes are no longer those that were read.
    pub fn iter(&self) -> impl Iterator<Item = Entry<'a>> + Clone + use<'a> {
        let List { bytes, first, count, rules } = self.0;
        let mut next = first;
        (0..count).map_while(move |_| {
            let key_at = next;
            let (key, at) = key(bytes, key_at).ok()?;
            let item = read_at(bytes, at, &rules).ok()?;
            next = item.end;
            Some(Entry { key, value: item.value, key_at, at, end: item.end })
        })
    }

    /// Finds the first entry with the key `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Entry<'a>> {
        self.iter().find(|entry| entry.key.is(name))
    }
}
