//! Validation of an Unreal vertex mesh against the rules of the format.

mod files;
pub(super) mod findings;
pub(super) mod rules;
mod scramble;

pub use rules::RULES;
