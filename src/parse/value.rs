//! [`Value`]: a number, a text, a list or a record of a file, with its type.

use std::borrow::Cow;
use std::fmt;

use super::name::Name;

/// The largest number of bytes of a text, and of items of a list with names from a file, in the
/// value of an element.
pub(crate) const MAX_TEXT: usize = 1024;
/// The largest number of items of a list whose length the file chooses, in the value of an element.
pub(crate) const MAX_ITEMS: usize = 16;

/// A value of a file: the value of a property, or the decoded value of an element of a region.
///
/// ```
/// use meshpeek::Value;
/// let value = Value::Record(vec![("at".into(), Value::from([0.5, 2.0])), ("name".into(), Value::from("hip"))]);
/// assert_eq!(value.to_string(), r#"at 0.5 2.0, name "hip""#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A value that the file does not store.
    #[default]
    Missing,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number that is stored with 32 bits.
    Float(f32),
    /// A number that is stored with 64 bits.
    Double(f64),
    /// Text as in the file, which need not be UTF-8.
    Text(Vec<u8>),
    /// A list of values.
    List(Vec<Self>),
    /// Values with names.
    Record(Vec<(Cow<'static, str>, Self)>),
}

impl Value {
    /// Returns the first bytes of a text of the file.
    pub(crate) fn cut_text(bytes: &[u8]) -> Self {
        Self::Text(bytes.get(..MAX_TEXT).unwrap_or(bytes).to_vec())
    }

    /// Returns a list of values.
    pub(crate) fn list<T: Into<Self>>(values: impl IntoIterator<Item = T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }

    /// Returns bytes as a text of hexadecimal digits.
    pub(crate) fn hex(bytes: &[u8]) -> Self {
        Self::from(hex(bytes))
    }

    /// Returns whether items of a list of such values need a comma between them.
    const fn is_compound(&self) -> bool {
        matches!(self, Self::List(_) | Self::Record(_))
    }
}

/// Makes a [`Value::Record`] of names and expressions that can be converted to values.
macro_rules! record {
    ($($name:literal: $value:expr),* $(,)?) => {
        $crate::parse::Value::Record(vec![$((::std::borrow::Cow::Borrowed($name), $crate::parse::Value::from($value))),*])
    };
}
pub(crate) use record;

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len().saturating_mul(2)), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

macro_rules! from {
    ($($variant:ident: $($type:ty),+;)+) => {$($(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )+)+};
}

from! {
    Bool: bool;
    Integer: i64, i32, i16, u32, u16, u8;
    Float: f32;
    Double: f64;
    Text: &str, String, Vec<u8>;
    List: Vec<Self>;
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(number.try_into().unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Integer(number.try_into().unwrap_or(i64::MAX))
    }
}

impl From<Name<'_>> for Value {
    fn from(name: Name<'_>) -> Self {
        Self::Text(name.as_bytes().to_vec())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

impl<T: Into<Self>, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Self {
        Self::list(values)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => out.write_str("-"),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Integer(value) => write!(out, "{value}"),
            Self::Float(value) => write!(out, "{value:?}"),
            Self::Double(value) => write!(out, "{value:?}"),
            Self::Text(text) => write!(out, "\"{}\"", Name::new(text)),
            Self::List(items) if items.is_empty() => out.write_str("none"),
            Self::List(items) => {
                let separator = if items.iter().any(Self::is_compound) { ", " } else { " " };
                items.iter().enumerate().try_for_each(|(index, item)| {
                    out.write_str(if index == 0 { "" } else { separator })?;
                    write!(out, "{item}")
                })
            }
            Self::Record(fields) => fields.iter().enumerate().try_for_each(|(index, (name, value))| {
                out.write_str(if index == 0 { "" } else { ", " })?;
                write!(out, "{} {value}", Name::new(name.as_bytes()))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_values() {
        let value = record! {
            "at": [0.5, f32::NAN],
            "name": Value::cut_text(b"a\x1b\xff"),
            "weights": [Value::from([1, 2]), Value::from([3])],
            "scale": None::<f32>,
        };
        assert_eq!(value.to_string(), r#"at 0.5 NaN, name "a\u{1b}�", weights 1 2, 3, scale -"#);
        assert_eq!(Value::cut_text(&[b'a'; 5000]), Value::Text(vec![b'a'; MAX_TEXT]));
        assert_eq!(Value::List(Vec::new()).to_string(), "none");
        assert_eq!(Value::hex(&[1, 0xff]), Value::from("01ff"));
    }
}
