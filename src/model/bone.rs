//! Bones, and where they are.

use crate::parse::Name;

/// A joint of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// The number of the bone that it hangs from, −1 for a root. It may come after its children, and a damaged file may
    /// hold any number.
    pub parent: i32,
    /// Where it rests, relative to its parent.
    pub bind: Transform,
}

/// A position, a rotation and a scale; applied in the order scale, rotation, position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Offset in scene units.
    pub position: [f32; 3],
    /// Quaternion x, y, z, w, as stored: nearly unit length in a sound file.
    pub rotation: [f32; 4],
    /// Factor along each axis.
    pub scale: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}
