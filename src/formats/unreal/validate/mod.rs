//! Testing a mesh against the rules of its format.

mod files;
pub(super) mod findings;
pub(super) mod rules;

pub use findings::finding;
pub use rules::RULES;
