//! Builds meshes and animation files from lists of floats, without the writer of the crate. Tangent
//! frames, weights, bounds, trees and edge records are encoded to the bytes that the engine writes.
//!
//! A value that the generation cannot store is an error.

mod animation;
mod animation_file;
mod bounds;
mod check;
mod compressed;
mod edges;
mod mesh;
mod surface;
mod tree;
mod writer;

pub use animation::{Animation, BoneKey};
pub use animation_file::AnimationFile;
pub use mesh::{Bone, Mesh};
pub use surface::{MorphTarget, Surface};
