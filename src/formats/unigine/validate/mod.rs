//! Validation of UNIGINE meshes and animations: the rules that `validate` checks.
//!
//! Rules UG01 to UG24 hold for thousands of real game files. Rules UG25 to UG27 follow from the
//! 16-bit indices in the engine, and from the requirements of morph target blending and animation
//! playback. A finding reports the violation of one rule at one offset in the file. If many items
//! of one array violate the same rule, a single finding reports the number of violations and the
//! offset of the first violation. For each file, at most 1,001 findings per rule are reported.
//!
//! Non-finite floats (NaN or infinite) in positions, in the first UV set and in bounds are reported
//! with the severity warning, because positions, the first UV set and bounds are finite in
//! thousands of real game files. Non-finite floats in the second UV set, in bind transforms and in
//! animation keys are reported with the severity info. For the second UV set, bind transforms and
//! keys, real game files were not searched for non-finite floats, and a mesh can be drawn without
//! these three types of values.

mod animations;
mod files;
pub(super) mod rules;
mod skeleton;
mod structure;
mod surfaces;
mod trees;

pub(crate) use files::{animation_file, animation_file_structure, mesh, mesh_structure};
pub use rules::RULES;
