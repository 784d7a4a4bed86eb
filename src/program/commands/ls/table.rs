//! Formats the cells of the table, and compares them.

use std::cmp::Ordering;

use crate::Name;
use crate::program::describe::rows::column::{Cell, ColumnType, TableColumn};
use crate::program::render::escape::{FloatCell, csv_cell, markdown_cell};
use crate::program::render::json::number;
use crate::program::render::units::{bytes, decimals, thousands};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

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

/// A column of an aligned table: its name, and whether its cells are aligned at their right end.
pub struct AlignedColumn {
    pub name: String,
    pub is_right: bool,
}

/// Returns the lines of an aligned table: the names of the columns, and a line for each row.
pub fn aligned(columns: &[AlignedColumn], rows: &[Vec<String>]) -> Vec<String> {
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
fn line(cells: &[String], columns: &[AlignedColumn], widths: &[usize]) -> String {
    let mut line = String::new();
    for ((cell, column), width) in cells.iter().zip(columns).zip(widths) {
        let blanks = " ".repeat(width.saturating_sub(cell.width()));
        let separator = if line.is_empty() { "" } else { "  " };
        line.push_str(separator);
        if column.is_right {
            line.extend([blanks.as_str(), cell]);
        } else {
            line.extend([cell, blanks.as_str()]);
        }
    }
    line.trim_end().to_owned()
}

/// Returns a cell for people, with units and escaped names.
pub fn human(cell: &Cell, column: TableColumn) -> String {
    match cell {
        Cell::Null => NOTHING.to_owned(),
        Cell::Number(number) if column.kind() == ColumnType::Bytes => bytes(*number),
        Cell::Number(number) => thousands(*number),
        Cell::Float(number) => short(*number),
        Cell::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Cell::Text(text) if is_path(column) => Name::new(text.as_bytes()).to_string(),
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
    markdown_text(cell).unwrap_or_else(|| human(cell, column))
}

/// Returns a text or a list as a cell of a Markdown table, or `None` for any other value.
pub fn markdown_text(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(markdown_cell(text)),
        Cell::List(list) if !list.is_empty() => Some(markdown_cell(&list.join(", "))),
        _ => None,
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
