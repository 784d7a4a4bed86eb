//! Bones and their transforms.

use crate::parse::Name;

/// A bone of a skeleton: its name, its parent and its rest transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone<'a> {
    /// The name of the bone.
    pub name: Name<'a>,
    /// Index of the parent bone, or -1 for a root.
    ///
    /// In the file, a parent may come after its children. In a damaged file, the parent index may
    /// have any value.
    pub parent: i32,
    /// The rest transform of the bone, relative to its parent.
    pub bind: Transform,
}

/// A translation, a rotation and a scale. The transform first scales a point, then rotates the
/// point, and then adds the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// Translation in scene units.
    pub position: [f32; 3],
    /// Rotation as a quaternion x, y, z, w, as stored in the file. In an undamaged file, the length
    /// of the quaternion is nearly 1.
    pub rotation: [f32; 4],
    /// Scale factor along each axis.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

impl Transform {
    /// Returns whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.position.iter().chain(&self.rotation).chain(&self.scale).all(|part| part.is_finite())
    }
}
