//! Validation of UNIGINE meshes and animations: the rules that `validate` checks.
//!
//! Rules UG01 to UG24 hold for thousands of real files. Rules UG25 to UG27 follow from the engine's
//! 16-bit numbers, and from the requirements of blending and playback. A finding reports the
//! violation of one rule at one offset in the file. If many items of an array violate a rule, one
//! finding reports the number of these items and the offset of the first of them. For each file, at
//! most 1,000 findings per rule are reported.
//!
//! Floats that are not finite (NaN or infinite) are reported as a warning in positions, UV set 0
//! and bounds, because thousands of real files contain only finite floats in these arrays. In UV
//! set 1, bind transforms and keys, non-finite floats are reported for information only. Real files
//! were not searched for such floats in these three arrays, and rendering can work without these
//! values.

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
