//! Formats the cells of the table, and compares them.

use std::cmp::Reverse;

use crate::Name;
use crate::program::args::value_name;
use crate::program::describe::rows::{Cell, ColumnType, TableColumn};
use crate::program::output::json::number;
use crate::program::output::{FloatCell, bytes, csv_cell, decimals, markdown_cell, thousands};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

/// The maximum number of characters of a name in an aligned table.
const MAX_NAME: usize = 60;
/// The text of a cell without a value.
const NOTHING: &str = "-";

/// A value by which rows are sorted. A value that does not exist comes after all others, also if
/// the order is reversed.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey {
    Ascending(SortCell),
    Descending(Reverse<SortCell>),
    Missing,
}

/// The value of a cell, in a type that has an order. The cells of a column have one type.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub enum SortCell {
    Number(u64),
    /// The bits of a float, in the order of the floats.
    Float(i32),
    Flag(bool),
    Texts(Vec<String>),
}

/// Returns the key of a value.
pub fn sort_key(cell: Cell, is_reversed: bool) -> SortKey {
    let cell = match cell {
        Cell::Null => return SortKey::Missing,
        Cell::Number(number) => SortCell::Number(number),
        Cell::Float(number) => SortCell::Float(ordered_bits(number)),
        Cell::Flag(flag) => SortCell::Flag(flag),
        Cell::Text(text) => SortCell::Texts(vec![text]),
        Cell::List(list) => SortCell::Texts(list),
    };
    if is_reversed { SortKey::Descending(Reverse(cell)) } else { SortKey::Ascending(cell) }
}

/// Returns an integer for each float, in the order of [`f32::total_cmp`].
const fn ordered_bits(number: f32) -> i32 {
    let bits = number.to_bits().cast_signed();
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

/// A column of the output.
pub struct OutputColumn {
    pub name: String,
    pub kind: ColumnType,
}

impl From<&TableColumn> for OutputColumn {
    fn from(column: &TableColumn) -> Self {
        Self { name: value_name(column), kind: column.kind() }
    }
}

impl OutputColumn {
    /// Returns whether the cells are aligned at their right end.
    pub const fn is_right_aligned(&self) -> bool {
        matches!(self.kind, ColumnType::Number | ColumnType::Bytes)
    }
}

/// Returns the lines of an aligned table: the names of the columns, and a line for each row.
pub fn aligned(columns: &[&OutputColumn], rows: &[Vec<String>]) -> Vec<String> {
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cells = rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.width());
            cells.chain([column.name.len()]).max().unwrap_or_default()
        })
        .collect();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    [&names].into_iter().chain(rows).map(|row| line(row, columns, &widths)).collect()
}

/// Returns the text of one line of an aligned table.
fn line(cells: &[String], columns: &[&OutputColumn], widths: &[usize]) -> String {
    let mut line = String::new();
    for ((cell, column), width) in cells.iter().zip(columns).zip(widths) {
        let blanks = " ".repeat(width.saturating_sub(cell.width()));
        let separator = if line.is_empty() { "" } else { "  " };
        line.push_str(separator);
        if column.is_right_aligned() {
            line.extend([blanks.as_str(), cell]);
        } else {
            line.extend([cell, blanks.as_str()]);
        }
    }
    line.trim_end().to_owned()
}

/// Returns a cell for people, with units and escaped names.
pub fn human(cell: &Cell, column: &OutputColumn) -> String {
    match cell {
        Cell::Null => NOTHING.to_owned(),
        Cell::Number(number) if column.kind == ColumnType::Bytes => bytes(*number),
        Cell::Number(number) => thousands(*number),
        Cell::Float(number) => short(*number),
        Cell::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Cell::Text(text) if matches!(column.name.as_str(), "path" | "duplicate_of" | "folder") => {
            Name::new(text.as_bytes()).to_string()
        }
        Cell::Text(text) => shortened(&Name::new(text.as_bytes()).to_string()),
        Cell::List(list) if list.is_empty() => NOTHING.to_owned(),
        Cell::List(list) => shortened(&Name::new(list.join(", ").as_bytes()).to_string()),
    }
}

/// Returns a number for people, with four digits after the point, or three digits of a small one.
fn short(number: f32) -> String {
    let is_small = number != 0.0 && number.abs() < 0.001;
    if is_small { format!("{number:.2e}") } else { decimals(number, 4) }
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
pub fn markdown(cell: &Cell, column: &OutputColumn) -> String {
    match cell {
        Cell::Text(text) => markdown_cell(text),
        Cell::List(list) if !list.is_empty() => markdown_cell(&list.join(", ")),
        _ => human(cell, column),
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
