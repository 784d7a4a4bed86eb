//! Conditions on rows, such as `triangles > 65535 && rigged`.

mod parser;

pub use parser::find;

use std::cmp::Ordering;

use globset::{GlobBuilder, GlobMatcher};

use super::column::{Cell, TableColumn};
use super::row::TableRow;
use crate::program::output::ratio;

/// A condition on a row.
#[derive(Clone, Debug)]
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// The column has a value other than null, false, zero and the empty text.
    Holds(TableColumn),
    Compare(TableColumn, Relation, Operand),
    Matches(TableColumn, Box<GlobMatcher>),
}

/// The relation between a value and an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A value in a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Null,
    Number(f64),
    Text(String),
    Flag(bool),
}

impl Condition {
    /// Adds the columns of the condition to a list.
    pub fn columns(&self, found: &mut Vec<TableColumn>) {
        match self {
            Self::All(list) | Self::Any(list) => list.iter().for_each(|one| one.columns(found)),
            Self::Not(one) => one.columns(found),
            Self::Holds(column) | Self::Compare(column, ..) | Self::Matches(column, _) => found.push(*column),
        }
    }

    /// Returns whether a row meets the condition.
    pub fn holds(&self, row: &TableRow) -> bool {
        match self {
            Self::All(list) => list.iter().all(|one| one.holds(row)),
            Self::Any(list) => list.iter().any(|one| one.holds(row)),
            Self::Not(one) => !one.holds(row),
            Self::Holds(column) => is_set(&row.cell(*column)),
            Self::Compare(column, comparison, operand) => {
                let cell = match row.cell(*column) {
                    // A surface of no level, or of all levels, is one of the most detailed level.
                    Cell::Null if *column == TableColumn::Lod && row.values.is_ok() && *operand != Operand::Null => {
                        Cell::Number(0)
                    }
                    cell => cell,
                };
                compares(&cell, *comparison, operand)
            }
            Self::Matches(column, pattern) => match row.cell(*column) {
                Cell::Text(text) => pattern.is_match(text),
                Cell::List(list) => list.iter().any(|text| pattern.is_match(text)),
                _ => false,
            },
        }
    }
}

/// Compiles a pattern with `*`, `?` and `[...]`, in which case does not matter.
fn pattern(text: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(text).case_insensitive(true).literal_separator(false).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.to_string())
}

fn is_set(cell: &Cell) -> bool {
    match cell {
        Cell::Null => false,
        Cell::Text(text) => !text.is_empty(),
        Cell::Number(number) => *number > 0,
        Cell::Float(number) => *number != 0.0,
        Cell::Flag(flag) => *flag,
        Cell::List(list) => !list.is_empty(),
    }
}

/// Compares a value with an operand. A null value is equal to null only, and neither less nor
/// greater than anything. A list is equal to a text if one of its items is.
fn compares(cell: &Cell, comparison: Relation, operand: &Operand) -> bool {
    let order = match (cell, operand) {
        (Cell::Null, Operand::Null) => Some(Ordering::Equal),
        // Only a level of detail may be compared with a number.
        (Cell::Text(cell), Operand::Number(number)) => level_number(cell).and_then(|cell| cell.partial_cmp(number)),
        (Cell::Text(cell), Operand::Text(text)) => Some(cell.as_str().cmp(text)),
        (Cell::Number(cell), Operand::Number(number)) => ratio(*cell, 1).partial_cmp(number),
        (Cell::Float(cell), Operand::Number(number)) => printed(*cell).partial_cmp(number),
        (Cell::Flag(cell), Operand::Flag(flag)) => Some(cell.cmp(flag)),
        (Cell::List(list), Operand::Text(text)) => list.contains(text).then_some(Ordering::Equal),
        _ => None,
    };
    match comparison {
        Relation::Equal => order == Some(Ordering::Equal),
        Relation::Unequal => order != Some(Ordering::Equal),
        Relation::Less => order.is_some_and(Ordering::is_lt),
        Relation::LessOrEqual => order.is_some_and(Ordering::is_le),
        Relation::Greater => order.is_some_and(Ordering::is_gt),
        Relation::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    }
}

/// Returns the number of a level of detail of Second Life, or `None` for any other name.
fn level_number(name: &str) -> Option<f64> {
    let number = match name {
        "high_lod" => 0.0,
        "medium_lod" => 1.0,
        "low_lod" => 2.0,
        "lowest_lod" => 3.0,
        _ => return None,
    };
    Some(number)
}

/// Returns a float as it is printed, so that the float 0.1 is equal to the number 0.1.
fn printed(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| f64::from(number))
}
