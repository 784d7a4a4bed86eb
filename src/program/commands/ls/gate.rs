//! The condition of `--fail-if`, which makes the exit code 1 if a row meets it.

use super::TableRow;
use crate::program::describe::rows::{Condition, TableColumn};
use crate::program::outcome::Outcome;
use crate::program::output::{complain, count, counted, mesh_suffix, shown};

/// The number of rows that the message names.
const NAMED: usize = 3;

/// Counts the rows that meet the condition.
pub struct Gate {
    condition: Condition,
    text: String,
    is_of_surfaces: bool,
    found: u64,
    names: Vec<String>,
}

impl Gate {
    pub const fn new(condition: Condition, text: String, is_of_surfaces: bool) -> Self {
        Self { condition, text, is_of_surfaces, found: 0, names: Vec::new() }
    }

    /// Tests a row.
    pub fn add(&mut self, row: &TableRow) {
        if !self.condition.holds(row) {
            return;
        }
        self.found = self.found.saturating_add(1);
        if self.names.len() < NAMED {
            let surface = row.number(TableColumn::Surface).map(|number| format!(" surface {number}"));
            let surface = surface.unwrap_or_default();
            self.names.push(format!("{}{}{surface}", shown(&row.path), mesh_suffix(row.mesh.as_deref())));
        }
    }

    /// Prints the number of rows that meet the condition, and returns the outcome.
    pub fn finish(self) -> Outcome {
        if self.found == 0 {
            return Outcome::Fine;
        }
        let rows = counted(self.found, if self.is_of_surfaces { "surface" } else { "file" });
        let meet = if self.found == 1 { "meets" } else { "meet" };
        let rest = usize::try_from(self.found).unwrap_or(usize::MAX).saturating_sub(self.names.len());
        let more = if rest > 0 { format!(" and {} more", count(rest)) } else { String::new() };
        complain(&format!("--fail-if: {rows} {meet} the condition {}: {}{more}", self.text, self.names.join(", ")));
        Outcome::Findings
    }
}
