//! Builds new meshes and animation files from lists of floats.
//!
//! A [`Mesh`] is a struct with public fields, such as a `Vec` of bones and a `Vec` of surfaces. The
//! values in the fields of a [`Mesh`] are checked and encoded when the mesh is written. Tangent
//! frames, weights and bounds are encoded to the same bytes that the engine writes. If the format
//! version of the file cannot store a value, or if an index is out of range, an error is returned
//! before the first byte is written. [`validate`](crate::MeshFile::validate) finds further faults
//! in the written mesh, such as bones whose parents form a cycle.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! use meshpeek::unigine::{Generation, Mesh, builder};
//! let triangle = builder::Surface {
//!     name: "triangle".into(),
//!     targets: vec![builder::MorphTarget {
//!         positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!         frames: vec![Default::default()],
//!         ..Default::default()
//!     }],
//!     indices: vec![0, 1, 2],
//!     attribute_indices: vec![0, 0, 0],
//!     ..Default::default()
//! };
//! let mesh = builder::Mesh { surfaces: vec![triangle], ..builder::Mesh::new(Generation::Ms13) };
//! let again = Mesh::open(mesh.to_bytes()?)?;
//! assert_eq!(again.surface(0)?.positions()?.get(1), Some([1.0, 0.0, 0.0]));
//! # Ok(())
//! # }
//! ```

mod animation;
#[cfg(feature = "internals")]
mod animation_file;
mod bone;
mod check;
mod compressed;
mod edges;
mod mesh;
mod surface;
mod tree;

pub use bone::Bone;
pub use mesh::Mesh;
pub use surface::{MorphTarget, Surface};
#[cfg(feature = "internals")]
pub use {
    animation::{Animation, BoneKey},
    animation_file::AnimationFile,
};
