//! The rules that `validate` knows for Second Life meshes.
//!
//! Those of severity error name a part that cannot be used as it is; what the published page calls a must and no program
//! minds is a warning, or info where sound files have it, too. A finding is about one rule at one place; where many items
//! breach a rule, there is one finding, which counts them and points at the first.

mod asset;
mod avatar_joints;
mod finding;
mod header;
mod physics;
mod report;
mod rules;
mod skin;
mod summary;
mod surface;
mod tree;

pub(super) use asset::{check, validate, validate_structure};
pub use avatar_joints::is_avatar_joint;
pub use finding::finding;
pub use rules::RULES;
