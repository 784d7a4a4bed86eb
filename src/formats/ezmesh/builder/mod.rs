//! Builds new EZ-Mesh files from lists of numbers and names, and writes them as text or as binary.
//!
//! A [`Mesh`] is a complete file, as a struct with public fields that contain lists. The caller
//! fills the fields, or copies them from an opened text or binary file with [`Mesh::of`]. The
//! writer checks and encodes the contents. The writer returns an error before the first byte is
//! written, if the format cannot store the data or if an index is out of range.
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
//! [`Mesh::reduce_to_ezb`] removes the data that a binary file cannot store. Both methods return
//! the fields that they changed.

mod binary;
mod check;
mod elements;
mod line;
mod merge;
mod mesh;
mod parts;
mod read;
mod reduce;
mod refusal;
mod text;
mod vertices;
mod write;

pub use elements::{Collision, Hull, Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
pub use mesh::Mesh;
pub use parts::{Animation, Bone, Material, MeshElement, Section, Skeleton, Track};
pub use vertices::{Column, Values, Vertices};
