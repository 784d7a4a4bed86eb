//! What few files have, to write.

use super::vertices::Vertices;
use crate::model::Transform;

/// A mesh of tetrahedra to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetraMesh {
    /// For each tetrahedron, its four corners.
    pub corners: Vec<[[f32; 3]; 4]>,
}

/// A mesh that is put somewhere, to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    /// The name of the mesh.
    pub mesh: Vec<u8>,
    /// Where it is.
    pub transform: Transform,
}

/// A group of shapes to collide with, to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Representation {
    /// Its name.
    pub name: Vec<u8>,
    /// Any text.
    pub info: Vec<u8>,
    /// Its shapes.
    pub collisions: Vec<Collision>,
}

/// A shape to collide with, to write. Of boxes, spheres and capsules the format has no sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collision {
    /// Its name.
    pub name: Vec<u8>,
    /// What it is: `BOX`, `SPHERE`, `CAPSULE` or `CONVEX`.
    pub kind: Vec<u8>,
    /// Where it is: sixteen numbers of a matrix.
    pub transform: Option<[f32; 16]>,
    /// The convex hull, where it is one.
    pub hull: Option<Hull>,
}

/// A convex hull to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// Its points: positions.
    pub points: Option<Vertices>,
    /// For each triangle, its points.
    pub triangles: Vec<[u32; 3]>,
}

/// A picture to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texture {
    /// Its name.
    pub name: Vec<u8>,
    /// Pixels to the right.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Bytes of a pixel.
    pub pixel_size: u32,
    /// The pixels.
    pub pixels: Vec<u8>,
}

/// A pair of texts to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserData {
    /// What it is called.
    pub key: Vec<u8>,
    /// What it is.
    pub value: Vec<u8>,
}

/// Named bytes to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserBinary {
    /// What they are called.
    pub name: Vec<u8>,
    /// The bytes.
    pub bytes: Vec<u8>,
}
