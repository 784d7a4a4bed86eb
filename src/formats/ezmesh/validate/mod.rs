//! Validates an EZ-Mesh file: finds the first error in its structure, or reports every violation of
//! the validation rules.

mod animations;
mod meshes;
mod report;
pub(super) mod rules;
mod skeletons;
mod values;
mod xml;

pub(crate) use report::{check, validate, validate_structure};
pub use rules::RULES;
