//! Testing a mesh against the rules of its format.

mod files;
mod findings;
mod rules;

pub use findings::finding;
pub use rules::RULES;

pub(super) use findings::{check_strictly, validate_script, validate_structure, validate_vertices};
