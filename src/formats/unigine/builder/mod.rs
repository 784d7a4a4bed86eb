//! Building new meshes from floats.
//!
//! Plain lists with public fields, checked and encoded when they are written. Frames, weights and bounds are encoded
//! exactly as the engine does; what a generation cannot hold, and numbers that name nothing, are refused before the
//! first byte. What [`validate`](crate::MeshFile::validate) knows beyond that, such as bones in a circle, it tells of the result.
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
mod animation_file;
mod bone;
mod check;
mod compressed;
mod edges;
mod mesh;
mod surface;
mod tree;

pub use animation::{Animation, BoneKey};
pub use animation_file::AnimationFile;
pub use bone::Bone;
pub use mesh::Mesh;
pub use surface::{MorphTarget, Surface};
