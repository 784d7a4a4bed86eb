//! Checking a file: the first fault of its structure, or every breach of the rules.

mod animations;
mod meshes;
mod report;
mod rules;
mod skeletons;
mod transforms;
mod values;
mod xml;

pub(crate) use report::{check, validate, validate_structure};
pub use rules::{RULES, finding};
