//! Bones and their transforms.

use crate::parse::Name;

/// A joint of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone<'a> {
    /// The name of the bone.
    pub name: Name<'a>,
    /// Index of the parent bone, or -1 for a root.
    ///
    /// In the file, a parent may come after its children. In a damaged file, this number may have
    /// any value.
    pub parent: i32,
    /// The rest transform of the bone, relative to its parent.
    pub bind: Transform,
}

/// A position, a rotation and a scale. A point is first scaled, then rotated, and then moved by the
/// position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Translation in scene units.
    pub position: [f32; 3],
    /// Quaternion x, y, z, w of the rotation, as stored in the file. In a valid file, its length is
    /// nearly 1.
    pub rotation: [f32; 4],
    /// Scale factor along each axis.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}
