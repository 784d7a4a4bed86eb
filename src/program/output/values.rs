//! The trait [`Values`]: an array whose items the `dump` command prints one after another.

use std::io::{self, Write};
use std::ops::Range;

use super::json::JsonWriter;
use super::numbers::{Layout, Sink, write_encoded};
use crate::model::{ExtraArray, ExtraItem, NumberType};

/// An array of values that `dump` can print.
pub trait Values {
    /// Returns the number of items in the array.
    fn count(&self) -> usize;
    /// Calls `visit` with each item in `range`. If `raw` is true, the items are the stored numbers
    /// without decoding.
    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()>;
    /// Returns the type of the numbers in an item, and how many an item has.
    fn layout(&self, raw: bool) -> Layout;
    /// Passes the numbers of the items in `range` to `sink`, in chunks of little-endian bytes.
    fn write_bytes(&self, range: Range<usize>, raw: bool, sink: Sink<'_>) -> io::Result<()> {
        write_encoded(self, range, raw, sink)
    }
}

/// One item of an array that `dump` can print: its numbers, or its influences.
pub enum Item<'v> {
    Floats(&'v [f32]),
    Integers(&'v [i64]),
    Influences(&'v [(i32, f32)]),
    RawInfluences(&'v [(i16, u16)]),
}

/// A callback that is called once for each item of an array.
pub type Visit<'v> = &'v mut dyn FnMut(Item<'_>) -> io::Result<()>;

/// A decoded value that is one item of an array.
pub trait Row {
    /// Returns the value as an item.
    fn item(&self) -> Item<'_>;
}

impl<const N: usize> Row for [f32; N] {
    fn item(&self) -> Item<'_> {
        Item::Floats(self)
    }
}

impl<const N: usize> Row for [i64; N] {
    fn item(&self) -> Item<'_> {
        Item::Integers(self)
    }
}

/// Vectors of three floats that a function computes from their index.
pub struct ComputedVectors<F> {
    count: usize,
    get: F,
}

impl<F> ComputedVectors<F> {
    /// Makes an array of `count` vectors, or of fewer if `get` returns `None` for some of them.
    pub fn boxed<'a>(count: usize, get: F) -> Box<dyn Values + 'a>
    where
        F: Fn(usize) -> Option<[f32; 3]> + 'a,
    {
        Box::new(Self { count, get })
    }
}

impl<F: Fn(usize) -> Option<[f32; 3]>> Values for ComputedVectors<F> {
    fn count(&self) -> usize {
        self.count
    }

    fn visit(&self, range: Range<usize>, _raw: bool, visit: Visit<'_>) -> io::Result<()> {
        visit_rows(range, &self.get, visit)
    }

    fn layout(&self, _raw: bool) -> Layout {
        Layout::numbers(NumberType::F32, 3)
    }
}

impl Values for ExtraArray<'_> {
    fn count(&self) -> usize {
        Self::count(self)
    }

    fn visit(&self, range: Range<usize>, raw: bool, visit: Visit<'_>) -> io::Result<()> {
        Self::visit(self, range, raw, &mut |item| {
            visit(match item {
                ExtraItem::Integers(integers) => Item::Integers(integers),
                ExtraItem::Floats(floats) => Item::Floats(floats),
            })
        })
    }

    fn layout(&self, raw: bool) -> Layout {
        Layout::numbers(self.number(raw), self.width())
    }
}

/// Moves values to the heap, if there are any.
pub fn boxed<'a>(values: Option<impl Values + 'a>) -> Option<Box<dyn Values + 'a>> {
    match values {
        Some(values) => Some(Box::new(values)),
        None => None,
    }
}

/// Calls `get` for each index in a range, and passes the values that it returns to `visit`.
pub fn visit_rows<R: Row>(range: Range<usize>, get: impl Fn(usize) -> Option<R>, visit: Visit<'_>) -> io::Result<()> {
    range.filter_map(get).try_for_each(|row| visit(row.item()))
}

impl Item<'_> {
    /// Writes the item as text.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
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

    /// Writes the item as JSON. A single number is not a list.
    pub fn json(&self, out: &mut JsonWriter<'_>) -> io::Result<()> {
        match self {
            Self::Floats([only]) => out.float(*only),
            Self::Integers([only]) => out.signed(*only),
            Self::Floats(floats) => out.floats(floats),
            Self::Integers(integers) => out.each(*integers, |out, integer| out.signed(*integer)),
            Self::Influences(list) => out.each(*list, |out, (bone, weight)| {
                out.list(|out| {
                    out.signed((*bone).into())?;
                    out.float(*weight)
                })
            }),
            Self::RawInfluences(list) => out
                .each(*list, |out, (bone, weight)| out.each([i64::from(*bone), (*weight).into()], JsonWriter::signed)),
        }
    }
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
