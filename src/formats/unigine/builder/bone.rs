//! A bone to write.

use crate::model::Transform;

/// A bone to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// Its name, without NUL.
    pub name: String,
    /// The number of its parent, −1 for a root; it may come after its children.
    pub parent: i16,
    /// Where it rests, relative to its parent.
    pub bind: Transform,
}
