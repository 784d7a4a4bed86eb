//! [`SkinIndex`]: the parents of the joints of a skin, and its axes and placement.

use crate::model::Axis;
use crate::model::animation::Affine;

/// The axes that point up and to the front of an avatar in the virtual world.
pub(super) const AVATAR_AXES: (Axis, Axis) = (Axis::Z, Axis::X);

/// The parents of the joints of a skin, and its axes and placement.
#[derive(Debug)]
pub(super) struct SkinIndex {
    /// The index of the parent of each joint, or -1 for a root.
    pub(super) parents: Vec<i32>,
    /// The bind shape matrix, or the identity if viewers ignore the skin.
    pub(super) placement: Affine,
    /// The axes of the bind space that point up and to the front of the avatar.
    pub(super) axes: (Axis, Axis),
}
