//! The rules of `validate` for Second Life meshes.
//!
//! A rule has the severity error if data that breaks the rule cannot be used. The severity is
//! warning if the published description of the format demands the rule but no program depends on
//! it, and info if some files break the rule but are still usable. A finding reports that one rule
//! is broken at one byte offset of the file. If many items, such as triangles, break the same rule,
//! one finding contains the number of these items and the location of the first item.

mod asset;
mod header;
mod maps;
pub(super) mod rules;
mod skin;
mod surface;
mod tree;

pub(super) use asset::{check, validate, validate_structure};
pub use rules::RULES;
