//! Builds EZ-Mesh files from vectors of numbers and names, and writes text files or binary files.
//!
//! A [`Mesh`] holds the contents of a complete file in public fields. The caller fills the fields
//! of the [`Mesh`], or [`Mesh::of`] copies the contents of an opened text or binary file.
//! [`Mesh::write_ezm`] writes a text file, and [`Mesh::write_ezb`] writes a binary file. If the
//! file format cannot store the contents or if an index is out of range, `write_ezm` and
//! `write_ezb` return an error before the first byte is written.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! use meshpeek::decode::ByteOrder;
//! use meshpeek::ezmesh::{Mesh, builder};
//! let columns = vec![
//!     builder::Column::positions([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 0.0]]),
//!     builder::Column::texcoords(0, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
//! ];
//! let section = builder::Section { material: b"red".into(), triangles: vec![[0, 1, 2]], ..Default::default() };
//! let mesh = builder::MeshElement {
//!     name: b"triangle".into(),
//!     vertices: Some(builder::Vertices::from(columns)),
//!     sections: vec![section],
//!     ..Default::default()
//! };
//! let material = builder::Material { name: b"red".into(), ..Default::default() };
//! let system = builder::Mesh { materials: vec![material], meshes: vec![mesh], ..Default::default() };
//!
//! let text = Mesh::open(system.to_ezm()?)?;
//! assert_eq!(builder::Mesh::of(text.view())?, system);
//! let binary = Mesh::open(system.to_ezb(ByteOrder::Little)?)?;
//! let positions = binary.mesh(0)?.vertex_buffer()?.unwrap().vertices()?.positions().unwrap();
//! assert_eq!(positions.get(2), Some([0.0, 0.1, 0.0]));
//! # Ok(())
//! # }
//! ```
//!
//! # What each form holds
//!
//! | | text | binary |
//! |---|---|---|
//! | vertices of a section | yes | appended to the vertices of the mesh, if all have the same columns |
//! | columns | any | those with a [`Semantic`](super::Semantic), each in its standard type; bones and weights together |
//! | floats of an `interp` column | 1 to 4 | 4 |
//! | missing bounding boxes | are not written | are computed from the positions |
//! | missing durations | are not written | are written as 0 |
//! | [`tetra_meshes`](Mesh::tetra_meshes), [`representations`](Mesh::representations) | yes | refused |
//! | [`textures`](Mesh::textures), [`user_data`](Mesh::user_data), [`user_binary_data`](Mesh::user_binary_data), vertices without columns | refused | yes |
//! | [`Section::info`] | yes | omitted |
//! | [`plane`](Mesh::plane), [`Section::flags`], [`Track::seconds`] | omitted | yes |
//!
//! [`Mesh::reduce_to_ezm`] removes the data that a text file cannot store, and
//! [`Mesh::reduce_to_ezb`] removes the data that a binary file cannot store. Each `reduce_to`
//! method returns the paths of the fields that the method changed.

mod binary;
mod check;
mod elements;
mod line;
mod merge;
mod mesh;
mod parts;
mod read;
#[cfg(feature = "internals")]
mod reduce;
mod refusal;
mod stream;
mod text;
mod vertices;
mod write;

pub use elements::{UserBinary, UserData};
pub use mesh::Mesh;
pub use parts::{Animation, Bone, Material, Skeleton, Track};
#[cfg(any(feature = "cli", feature = "internals"))]
pub use parts::{MeshElement, Section};
pub(in crate::formats::ezmesh) use stream::{MeshOutput, MeshStart, MeshStream, SectionStart, check_mesh_name};
pub use vertices::{Column, Vertices};
#[cfg(feature = "internals")]
pub use {
    elements::{Collision, Hull, Instance, Representation, TetraMesh, Texture},
    vertices::Values,
};
