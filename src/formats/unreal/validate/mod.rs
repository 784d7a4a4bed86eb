//! Validation of an Unreal vertex mesh against the rules of the format.

mod files;
pub(super) mod findings;
pub(super) mod rules;
mod scramble;

#[cfg(any(feature = "cli", feature = "internals"))]
pub use rules::RULES;
