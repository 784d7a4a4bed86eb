//! The decoded value of one element of a file, such as a position or a name.

use std::fmt;

use serde_json::{Map, Number, Value};

use super::json::number;
use crate::Name;

/// The largest number of bytes of a text, and of items of a list with names from a file, in a
/// decoded value.
pub const MAX_TEXT: usize = 1024;
pub const MAX_ITEMS: usize = 16;

/// A decoded value of a file, at most a few kilobytes large.
#[derive(Clone, Debug, PartialEq)]
pub enum DecodedValue {
    /// A component that the file does not store.
    Missing,
    Integer(i64),
    Float(f32),
    Double(f64),
    /// Text as in the file, which need not be UTF-8.
    Text(Vec<u8>),
    List(Vec<Self>),
    Record(Vec<(String, Self)>),
}

impl DecodedValue {
    /// Returns the first bytes of a text of the file.
    pub fn text(bytes: &[u8]) -> Self {
        Self::Text(bytes.get(..MAX_TEXT).unwrap_or(bytes).to_vec())
    }

    pub fn floats(values: impl IntoIterator<Item = f32>) -> Self {
        Self::List(values.into_iter().map(Self::Float).collect())
    }

    pub fn integers<T: Into<i64>>(values: impl IntoIterator<Item = T>) -> Self {
        Self::List(values.into_iter().map(|value| Self::Integer(value.into())).collect())
    }

    pub fn record<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Record(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Returns the value as JSON. Text that is not UTF-8 is converted, and a float that is infinite
    /// or NaN becomes `null`.
    pub fn json(&self) -> Value {
        match self {
            Self::Missing => Value::Null,
            Self::Integer(value) => Value::from(*value),
            Self::Float(value) => number(*value),
            Self::Double(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
            Self::Text(text) => Value::from(Name::new(text).to_string_lossy()),
            Self::List(items) => items.iter().map(Self::json).collect(),
            Self::Record(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), value.json()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }

    /// Returns whether items of a list of such values need a comma between them.
    const fn is_compound(&self) -> bool {
        matches!(self, Self::List(_) | Self::Record(_))
    }
}

impl fmt::Display for DecodedValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => out.write_str("-"),
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
    use serde_json::json;

    use super::*;

    #[test]
    fn prints_values_as_text_and_json() {
        let value = DecodedValue::record([
            ("at", DecodedValue::floats([0.5, f32::NAN])),
            ("name", DecodedValue::text(b"a\x1b\xff")),
            ("weights", DecodedValue::List(vec![DecodedValue::integers([1, 2]), DecodedValue::integers([3])])),
            ("scale", DecodedValue::Missing),
        ]);
        assert_eq!(value.to_string(), r#"at 0.5 NaN, name "a\u{1b}�", weights 1 2, 3, scale -"#);
        let json = json!({"at": [0.5, null], "name": "a\u{1b}\u{fffd}", "weights": [[1, 2], [3]], "scale": null});
        assert_eq!(value.json(), json);
        assert_eq!(DecodedValue::text(&[b'a'; 5000]), DecodedValue::Text(vec![b'a'; MAX_TEXT]));
        assert_eq!(DecodedValue::List(Vec::new()).to_string(), "none");
    }
}
