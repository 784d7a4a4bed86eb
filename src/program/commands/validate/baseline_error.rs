//! The error of a baseline that is not valid.

use std::path::{Path, PathBuf};

use crate::Name;
use serde_json::Value;

use crate::program::render::text::shown;

/// The error of a baseline that is not valid, with the field, the expected and the found value.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: baseline: {field}: expected {expected}, found {found}; --write-baseline with --force writes it again", shown(.path)
)]
pub struct BaselineError {
    path: PathBuf,
    field: String,
    expected: String,
    found: String,
}

impl BaselineError {
    pub fn new(path: &Path, field: &str, expected: String, found: String) -> Self {
        Self { path: path.to_owned(), field: field.to_owned(), expected, found }
    }

    /// Returns the error for a field whose value is missing or has the wrong type.
    pub fn value(field: &str, expected: &str, found: Option<&Value>) -> Self {
        let found = found.map_or_else(|| "nothing".to_owned(), |value| brief(&value.to_string()));
        Self::new(Path::new(""), field, expected.to_owned(), found)
    }

    /// Returns the error for a file that is not JSON.
    pub fn syntax(error: &serde_json::Error) -> Self {
        Self::new(Path::new(""), &format!("line {}", error.line()), "JSON".to_owned(), brief(&error.to_string()))
    }

    /// Adds the path of the baseline.
    pub fn at(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Adds the number of the item in the list of findings.
    pub fn in_item(self, number: usize) -> Self {
        Self { field: format!("findings[{number}].{}", self.field), ..self }
    }
}

/// Returns at most 64 characters of a text, without control characters.
fn brief(text: &str) -> String {
    let start: String = text.chars().take(64).collect();
    let more = if start.len() < text.len() { ".." } else { "" };
    format!("{}{more}", Name::new(start.as_bytes()))
}
