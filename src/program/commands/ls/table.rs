//! Formats the cells of the table, and compares them.

use std::cmp::Ordering;

use super::column::{Cell, Column, ColumnType};
use crate::Name;
use crate::program::render::escape::{csv_cell, markdown_cell};
use crate::program::render::json::number;
use crate::program::render::units::{bytes, thousands};
use serde_json::Value;

/// The text of a cell without a value.
const NOTHING: &str = "-";

/// Compares two values of one column. A row without a value comes after all others.
pub fn compare(one: &Cell, other: &Cell) -> Ordering {
    match (one, other) {
        (Cell::Null, Cell::Null) => Ordering::Equal,
        (Cell::Null, _) => Ordering::Greater,
        (_, Cell::Null) => Ordering::Less,
        (Cell::Number(one), Cell::Number(other)) => one.cmp(other),
        (Cell::Float(one), Cell::Float(other)) => one.total_cmp(other),
        (Cell::Flag(one), Cell::Flag(other)) => one.cmp(other),
        (Cell::Text(one), Cell::Text(other)) => one.cmp(other),
        (Cell::List(one), Cell::List(other)) => one.cmp(other),
        _ => Ordering::Equal,
    }
}

/// Returns whether the cells of a column are aligned at their right end.
pub fn is_right_aligned(column: Column) -> bool {
    matches!(column.kind(), ColumnType::Number | ColumnType::Bytes)
}

/// Returns a cell for people, with units and escaped names.
pub fn human(cell: &Cell, column: Column) -> String {
    match cell {
        Cell::Null => NOTHING.to_owned(),
        Cell::Number(number) if column.kind() == ColumnType::Bytes => bytes(*number),
        Cell::Number(number) => thousands(*number),
        Cell::Float(number) => number.to_string(),
        Cell::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Cell::Text(text) => Name::new(text.as_bytes()).to_string(),
        Cell::List(list) if list.is_empty() => NOTHING.to_owned(),
        Cell::List(list) => Name::new(list.join(", ").as_bytes()).to_string(),
    }
}

/// Returns a cell of a CSV file. Numbers have no units.
pub fn csv(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Number(number) => number.to_string(),
        Cell::Float(number) => number.to_string(),
        Cell::Flag(flag) => flag.to_string(),
        Cell::Text(text) => csv_cell(text),
        Cell::List(list) => csv_cell(&list.join("; ")),
    }
}

/// Returns a cell of a Markdown table.
pub fn markdown(cell: &Cell, column: Column) -> String {
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
