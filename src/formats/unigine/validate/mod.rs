//! The rules that `validate` knows for UNIGINE meshes and animations.
//!
//! UG01 to UG24 hold on thousands of real files; UG25 to UG27 follow from the engine's 16-bit numbers and from what
//! blending and playing need. A finding is about one rule at one place; where many items of an array breach a rule, there is one
//! finding, which counts them and points at the first. Of one file, at most 1,000 findings by a rule are told.
//!
//! Floats that are not finite are a warning where thousands of files have none: positions, UV set 0, bounds. Nobody has
//! counted those of UV set 1, bind transforms and keys, and drawing can do without; there they are for information.

mod animations;
mod files;
mod rules;
mod skeleton;
mod structure;
mod surfaces;
mod trees;

pub use files::finding;
pub(crate) use files::{animation_file, animation_file_structure, mesh, mesh_structure};
pub use rules::RULES;
