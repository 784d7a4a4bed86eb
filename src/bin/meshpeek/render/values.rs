//! The trait [`Values`]: an array whose items the `dump` command prints one after another.

use std::io::{self, Write};
use std::ops::Range;

/// An array of values that `dump` can print.
pub trait Values {
    /// Returns the number of items in the array.
    fn count(&self) -> usize;
    /// Calls `visit` with each item in `range`. If `raw` is true, the items are the stored numbers
    /// without decoding.
    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()>;
}

/// One item of an array that `dump` can print, such as an integer or a float.
pub enum Item<'v> {
    Number(u32),
    Integer(i32),
    Float(f32),
    Floats(&'v [f32]),
    Integers(&'v [i32]),
    Influences(Vec<(i32, f32)>),
    RawInfluences(Vec<(i16, u16)>),
}

/// A callback that is called once for each item of an array.
pub type Visit<'v> = &'v mut dyn FnMut(Item<'_>) -> io::Result<()>;

impl Item<'_> {
    /// Writes the item as text.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Integer(number) => write!(out, "{number}"),
            Self::Float(float) => write!(out, "{float:?}"),
            Self::Floats(floats) => separated(out, " ", floats.iter(), |out, float| write!(out, "{float:?}")),
            Self::Integers(integers) => separated(out, " ", integers.iter(), |out, integer| write!(out, "{integer}")),
            Self::Influences(list) => {
                separated(out, ", ", list.iter(), |out, (bone, weight)| write!(out, "{bone} {weight:?}"))
            }
            Self::RawInfluences(list) => {
                separated(out, ", ", list.iter(), |out, (bone, weight)| write!(out, "{bone} {weight}"))
            }
        }
    }

    /// Writes the item as JSON.
    pub fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Self::Number(_) | Self::Integer(_) = self {
            return self.text(out);
        }
        if let Self::Float(float) = self {
            return json_float(out, *float);
        }
        write!(out, "[")?;
        match self {
            Self::Number(_) | Self::Integer(_) | Self::Float(_) => {}
            Self::Floats(floats) => separated(out, ",", floats.iter(), |out, float| json_float(out, *float))?,
            Self::Integers(integers) => separated(out, ",", integers.iter(), |out, integer| write!(out, "{integer}"))?,
            Self::Influences(list) => separated(out, ",", list.iter(), |out, (bone, weight)| {
                write!(out, "[{bone},")?;
                json_float(out, *weight)?;
                write!(out, "]")
            })?,
            Self::RawInfluences(list) => {
                separated(out, ",", list.iter(), |out, (bone, weight)| write!(out, "[{bone},{weight}]"))?;
            }
        }
        write!(out, "]")
    }
}

/// Writes a float as the shortest decimal number that parses to the same `f32`, or writes `null` if
/// the float is infinite or NaN.
fn json_float(out: &mut dyn Write, value: f32) -> io::Result<()> {
    if value.is_finite() { write!(out, "{value:?}") } else { write!(out, "null") }
}

fn separated<T>(
    out: &mut dyn Write,
    separator: &str,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    for (number, item) in items.enumerate() {
        if number > 0 {
            out.write_all(separator.as_bytes())?;
        }
        write(out, item)?;
    }
    Ok(())
}
