//! The rules of `validate` for Second Life meshes.
//!
//! A rule has the severity error if a part of a file that breaks the rule cannot be used. A rule
//! has the severity warning if the published page of the format demands the rule but no program
//! depends on it. A rule has the severity info if valid files also break the rule. A finding is
//! about one rule at one offset of the file. If many items break a rule, one finding contains the
//! number of these items and the location of the first item.

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
