//! Types for rarely used elements of a file to write, such as instances, collision shapes and
//! textures.

use super::vertices::Vertices;
use crate::error::debug::{items, short_debug, text};
use crate::model::Transform;

/// A tetrahedral mesh to write.
#[derive(Clone, Default, PartialEq)]
pub struct TetraMesh {
    /// The four corners of each tetrahedron, as three coordinates each.
    pub corners: Vec<[[f32; 3]; 4]>,
}

short_debug!(TetraMesh: |mesh| { corners: items(&mesh.corners) });

/// A mesh instance to write: a mesh that is placed in the scene with a transform.
#[derive(Clone, Default, PartialEq)]
pub struct Instance {
    /// The name of the mesh that the instance places in the scene.
    pub mesh: Vec<u8>,
    /// The position, rotation and scale of the instance.
    pub transform: Transform,
}

short_debug!(Instance: |instance| { mesh: text(&instance.mesh), transform: instance.transform });

/// A group of collision shapes to write.
#[derive(Clone, Default, PartialEq)]
pub struct Representation {
    /// The name of the group of collision shapes.
    pub name: Vec<u8>,
    /// A description of the group of collision shapes, as free text.
    pub info: Vec<u8>,
    /// The collision shapes of the group.
    pub collisions: Vec<Collision>,
}

short_debug!(Representation: |representation| {
    name: text(&representation.name), info: text(&representation.info), collisions: items(&representation.collisions),
});

/// A collision shape to write. The format does not store the size of a box, a sphere or a capsule.
#[derive(Clone, Default, PartialEq)]
pub struct Collision {
    /// The name of the collision shape.
    pub name: Vec<u8>,
    /// The type of the collision shape: `BOX`, `SPHERE`, `CAPSULE` or `CONVEX`.
    pub kind: Vec<u8>,
    /// The transform of the collision shape: the sixteen numbers of a matrix, in file order. If the
    /// field `transform` is `None`, no transform is written.
    pub transform: Option<[f32; 16]>,
    /// The convex hull, or `None` if the collision shape is not a convex hull.
    pub hull: Option<Hull>,
}

short_debug!(Collision: |collision| {
    name: text(&collision.name), kind: text(&collision.kind), transform: collision.transform.is_some(),
    hull: collision.hull,
});

/// A convex hull to write.
#[derive(Clone, Default, PartialEq)]
pub struct Hull {
    /// The points of the convex hull, as vertices with positions.
    pub points: Option<Vertices>,
    /// The triangles of the convex hull, as three indices into its points.
    pub triangles: Vec<[u32; 3]>,
}

short_debug!(Hull: |hull| { points: hull.points, triangles: items(&hull.triangles) });

/// A texture to write.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Texture {
    /// The name of the texture.
    pub name: Vec<u8>,
    /// Width of the texture, in pixels.
    pub width: u32,
    /// Height of the texture, in pixels.
    pub height: u32,
    /// Size of a pixel, in bytes.
    pub pixel_size: u32,
    /// The bytes of all pixels of the texture.
    pub pixels: Vec<u8>,
}

short_debug!(Texture: |texture| {
    name: text(&texture.name), width: texture.width, height: texture.height, pixel_size: texture.pixel_size,
    pixels: items(&texture.pixels),
});

/// A key-value pair of strings to write.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UserData {
    /// The key of the key-value pair.
    pub key: Vec<u8>,
    /// The value of the key-value pair.
    pub value: Vec<u8>,
}

short_debug!(UserData: |data| { key: text(&data.key), value: text(&data.value) });

/// Binary user data to write: a name and a byte string.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UserBinary {
    /// The name of the binary user data.
    pub name: Vec<u8>,
    /// The bytes of the binary user data.
    pub bytes: Vec<u8>,
}

short_debug!(UserBinary: |data| { name: text(&data.name), bytes: items(&data.bytes) });
