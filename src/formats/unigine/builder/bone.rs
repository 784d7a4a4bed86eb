//! A bone of a new mesh or animation file.

use crate::error::debug::{short_debug, text};
use crate::model::Transform;

/// A bone of a new mesh or animation file.
#[derive(Clone, Default, PartialEq)]
pub struct Bone {
    /// The name of the bone, without the closing NUL.
    pub name: String,
    /// The index of the parent bone; -1 for a root bone. A parent bone may have a higher index than
    /// its child bones.
    pub parent: i16,
    /// The bind transform, relative to the parent bone.
    pub bind: Transform,
}

short_debug!(Bone: |bone| { name: text(&bone.name), parent: bone.parent, bind: bone.bind });
