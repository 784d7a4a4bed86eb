//! The rules of `validate` that belong to no format: about files that cannot be read, and about the
//! conditions of `--deny`.

use super::check::FileFindings;
use crate::parse::rules;
use crate::program::args::value_name;
use crate::program::describe::rows::{Cell, MeshCondition, TableColumn, TableRow};
use crate::program::input::InputAsset;
use crate::program::outcome::{Outcome, UsageError};
use crate::{Error, Field, Finding};
use std::path::Path;

/// The name of the formats of these rules.
pub const ANY_FORMAT: &str = "any";

rules! {
    /// The rules that belong to no format.
    pub const OWN_RULES;
    Error UNREADABLE "IO01" "The file can be read to its end."
        why "Programs cannot load the file, or only a part of it."
        mend "Export or download the file again. `--write-baseline` records a file that is known to be unreadable.";
    Error DENIED "DENY01" "No mesh and no surface meets a condition of `--deny`."
        why "The project forbids such meshes, such as those with more triangles than a budget."
        mend "Change the mesh, or the condition on the command line.";
}

/// The greatest number of surfaces of one mesh that a condition reports.
const MAX_SURFACES: usize = 100;

/// Returns the finding about a file that cannot be read, or `None` for an error in the command
/// line.
pub fn unreadable(error: &Error) -> Option<Finding> {
    if Outcome::of_error(error) != Outcome::Unreadable {
        return None;
    }
    let text = format!("the file cannot be read: {}", error.message());
    let source = u8::try_from(error.source_index()).unwrap_or_default();
    let finding = Finding::new(UNREADABLE, error.field(), error.offset().unwrap_or_default(), text);
    Some(Finding { source, ..finding })
}

/// Returns whether findings have the one about a file that cannot be read.
pub fn has_unreadable(findings: &FileFindings) -> bool {
    findings.found.iter().any(|finding| finding.rule == UNREADABLE.id)
}

/// A condition of `--deny`.
#[derive(Debug)]
pub struct DeniedCondition {
    /// The name on the command line, or else the text of the condition.
    name: &'static str,
    text: String,
    condition: MeshCondition,
}

impl DeniedCondition {
    /// Parses a value of `--deny`: a condition, or a name, a colon and a condition.
    pub fn parse(value: &str) -> Result<Self, UsageError> {
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_' | '.'))
        };
        let named = value.split_once(':').filter(|(name, _)| is_name(name));
        let (name, text) = named.map_or((value, value), |(name, text)| (name, text));
        let text = text.trim().to_owned();
        let condition = MeshCondition::parse("--deny", &text)?;
        // The name of a finding lives as long as the program, and so does the command line.
        Ok(Self { name: String::leak(name.trim().to_owned()), text, condition })
    }

    /// Reports the mesh, or its surfaces, if they meet the condition.
    pub fn check(&self, path: &Path, asset: &InputAsset, report: &mut dyn FnMut(Finding)) -> crate::Result<()> {
        let mut columns = Vec::new();
        self.condition.condition.columns(&mut columns);
        for row in self.condition.met_by(path, asset)?.iter().take(MAX_SURFACES) {
            let field = Field::new(self.name);
            let surface = row.number(TableColumn::Surface);
            let field = surface.map_or(field, |surface| field.in_list("surface", surface));
            let text = format!("{} (denied: {})", values(row, &columns), self.text);
            report(Finding::new(DENIED, field, 0, text));
        }
        Ok(())
    }
}

/// Returns the values of columns, such as `triangles is 60,000`.
fn values(row: &TableRow, columns: &[TableColumn]) -> String {
    let mut texts: Vec<String> = Vec::new();
    // A surface of no level, or of all levels, has no number of a level.
    let is_named = |column: &&TableColumn| **column != TableColumn::Lod || row.cell(**column) != Cell::Null;
    for column in columns.iter().filter(is_named) {
        let text = format!("{} is {}", value_name(column), row.cell(*column).in_words());
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_may_have_a_name() {
        let parsed = |text: &str| DeniedCondition::parse(text).map(|denied| (denied.name, denied.text));
        assert_eq!(parsed("triangles > 5").unwrap(), ("triangles > 5", "triangles > 5".to_owned()));
        assert_eq!(parsed("LOD budget: lod == 0 ").unwrap(), ("LOD budget", "lod == 0".to_owned()));
        assert_eq!(parsed("path ~ 'c:*'").unwrap(), ("path ~ 'c:*'", "path ~ 'c:*'".to_owned()));
        for wrong in ["", "budget:", ": triangles > 5", "a: b: triangles > 5", "triangles > 5 &&"] {
            assert!(DeniedCondition::parse(wrong).unwrap_err().to_string().starts_with("--deny: "), "{wrong}");
        }
    }
}
