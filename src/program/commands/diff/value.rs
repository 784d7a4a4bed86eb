//! A value of a mesh that is compared and printed.

use serde_json::{Value, json};

use crate::Name;
use crate::program::output::json::{number, numbers};

/// A value of one of the two meshes.
#[derive(Clone, Debug, PartialEq)]
pub enum DiffValue {
    /// The mesh does not have the value.
    Missing,
    Flag(bool),
    Number(u64),
    Integer(i64),
    /// Text of a file, which may contain control characters.
    Text(String),
    /// Bytes of a file that are not text.
    Bytes(Vec<u8>),
    /// One float.
    Float(f32),
    /// The components of a vector.
    Floats(Vec<f32>),
    /// Pairs of a bone and a weight.
    Influences(Vec<(i32, f32)>),
    /// A range of bytes: the offset of its first differing byte, and its length.
    Range {
        offset: Option<u64>,
        bytes: u64,
    },
}

/// The number of bytes of a value that are printed.
const SHOWN_BYTES: usize = 16;

impl DiffValue {
    /// Makes a value of a name, or a missing value.
    pub fn name(name: Option<Name<'_>>) -> Self {
        name.map_or(Self::Missing, |name| Self::Text(name.to_string_lossy()))
    }

    pub fn count(count: usize) -> Self {
        Self::Number(u64::try_from(count).unwrap_or(u64::MAX))
    }

    /// Returns the name of the type of the value in JSON, or `None` for a missing value.
    pub const fn type_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Missing => return None,
            Self::Flag(_) => "flag",
            Self::Number(_) | Self::Integer(_) => "integer",
            Self::Text(_) | Self::Bytes(_) => "text",
            Self::Float(_) => "float",
            Self::Floats(_) => "floats",
            Self::Influences(_) => "weights",
            Self::Range { .. } => "range",
        })
    }

    /// Returns the value as JSON.
    pub fn json(&self) -> Value {
        match self {
            Self::Missing => Value::Null,
            Self::Flag(flag) => (*flag).into(),
            Self::Number(number) => (*number).into(),
            Self::Integer(integer) => (*integer).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Bytes(bytes) => shown_bytes(bytes).into(),
            Self::Float(float) => number(*float),
            Self::Floats(floats) => numbers(floats),
            Self::Influences(list) => list.iter().map(|(bone, weight)| json!([bone, number(*weight)])).collect(),
            Self::Range { offset, bytes } => json!({ "offset": offset, "bytes": bytes }),
        }
    }

    /// Returns the value as text for the terminal, without control characters.
    pub fn text(&self) -> String {
        let joined =
            |texts: Vec<String>, separator| if texts.is_empty() { "none".into() } else { texts.join(separator) };
        match self {
            Self::Missing => "none".to_owned(),
            Self::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Integer(integer) => integer.to_string(),
            Self::Text(text) => format!("\"{}\"", Name::new(text.as_bytes())),
            Self::Bytes(bytes) => shown_bytes(bytes),
            Self::Float(float) => format!("{float:?}"),
            Self::Floats(floats) => joined(floats.iter().map(|float| format!("{float:?}")).collect(), " "),
            Self::Influences(list) => {
                joined(list.iter().map(|(bone, weight)| format!("{bone} {weight:?}")).collect(), ", ")
            }
            Self::Range { bytes, .. } => bytes.to_string(),
        }
    }
}

/// Returns the first bytes in hexadecimal digits, and the number of all bytes if there are more.
fn shown_bytes(bytes: &[u8]) -> String {
    let first = crate::parse::hex(bytes.get(..SHOWN_BYTES).unwrap_or(bytes));
    if bytes.len() > SHOWN_BYTES { format!("{first}.. ({} bytes)", bytes.len()) } else { first }
}
