//! Formats the cells of the table, and compares them.

use std::cmp::Ordering;

use super::column::{Cell, ColumnType, TableColumn};
use crate::Name;
use crate::program::render::escape::{FloatCell, csv_cell, markdown_cell};
use crate::program::render::json::number;
use crate::program::render::units::{bytes, thousands};
use serde_json::Value;

/// The maximum number of characters of a name in an aligned table.
const MAX_NAME: usize = 60;
/// The text of a cell without a value.
const NOTHING: &str = "-";

/// A value by which rows are sorted.
#[derive(PartialEq, Eq)]
pub struct SortKey {
    cell: Option<SortCell>,
    is_reversed: bool,
}

/// The value of a cell, in a type that has an order. The cells of a column have one type.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SortCell {
    Number(u64),
    /// The bits of a float, in the order of the floats.
    Float(i32),
    Flag(bool),
    Texts(Vec<String>),
}

/// Returns the key of a value. A value that does not exist comes after all others, also if the
/// order is reversed.
pub fn sort_key(cell: Cell, is_reversed: bool) -> SortKey {
    let cell = match cell {
        Cell::Null => None,
        Cell::Number(number) => Some(SortCell::Number(number)),
        Cell::Float(number) => Some(SortCell::Float(ordered_bits(number))),
        Cell::Flag(flag) => Some(SortCell::Flag(flag)),
        Cell::Text(text) => Some(SortCell::Texts(vec![text])),
        Cell::List(list) => Some(SortCell::Texts(list)),
    };
    SortKey { cell, is_reversed }
}

/// Returns an integer for each float, in the order of [`f32::total_cmp`].
const fn ordered_bits(number: f32) -> i32 {
    let bits = number.to_bits().cast_signed();
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

impl Ord for SortKey {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.cell, &other.cell) {
            (Some(one), Some(other)) if self.is_reversed => other.cmp(one),
            (Some(one), Some(other)) => one.cmp(other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        }
    }
}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns whether the cells of a column are aligned at their right end.
pub fn is_right_aligned(column: TableColumn) -> bool {
    matches!(column.kind(), ColumnType::Number | ColumnType::Bytes)
}

/// Returns a cell for people, with units and escaped names.
pub fn human(cell: &Cell, column: TableColumn) -> String {
    match cell {
        Cell::Null => NOTHING.to_owned(),
        Cell::Number(number) if column.kind() == ColumnType::Bytes => bytes(*number),
        Cell::Number(number) => thousands(*number),
        Cell::Float(number) => number.to_string(),
        Cell::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Cell::Text(text) if is_path(column) => Name::new(text.as_bytes()).to_string(),
        Cell::Text(text) => shortened(&Name::new(text.as_bytes()).to_string()),
        Cell::List(list) if list.is_empty() => NOTHING.to_owned(),
        Cell::List(list) => shortened(&Name::new(list.join(", ").as_bytes()).to_string()),
    }
}

const fn is_path(column: TableColumn) -> bool {
    matches!(column, TableColumn::Path | TableColumn::DuplicateOf)
}

/// Returns a name that is cut after 60 characters, so that one long name does not widen the table.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}..", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Returns a cell of a CSV file. Numbers have no units.
pub fn csv(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Number(number) => number.to_string(),
        Cell::Float(number) => FloatCell(*number).to_string(),
        Cell::Flag(flag) => flag.to_string(),
        Cell::Text(text) => csv_cell(text),
        Cell::List(list) => csv_cell(&list.join("; ")),
    }
}

/// Returns a cell of a Markdown table.
pub fn markdown(cell: &Cell, column: TableColumn) -> String {
    match cell {
        Cell::Text(text) => markdown_cell(text),
        Cell::List(list) if !list.is_empty() => markdown_cell(&list.join(", ")),
        other => human(other, column),
    }
}

/// Returns a cell as a JSON value.
pub fn json(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Number(number) => (*number).into(),
        Cell::Float(float) => number(*float),
        Cell::Flag(flag) => (*flag).into(),
        Cell::Text(text) => text.as_str().into(),
        Cell::List(list) => list.iter().map(String::as_str).collect(),
    }
}
