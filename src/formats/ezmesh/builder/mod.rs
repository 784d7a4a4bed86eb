//! Building new files from lists, and writing either form.
//!
//! A [`Mesh`] is a whole file as plain lists with public fields: made from nothing, or copied out of a file of either form
//! with [`Mesh::of`]. It is tested and spelled when it is written. What the format cannot hold, and numbers that name
//! nothing, are refused before the first byte.
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
//! | vertices of a section | yes | put behind those of the mesh, if all have the same columns |
//! | columns | any | those with a [`Semantic`](super::Semantic), each in its standard type; bones and weights together |
//! | floats of what is to be interpolated | 1 to 4 | 4 |
//! | boxes that are left out | stay so | become the box around the positions |
//! | durations that are left out | stay so | become 0 |
//! | [`tetra_meshes`](Mesh::tetra_meshes), [`representations`](Mesh::representations) | yes | refused |
//! | [`textures`](Mesh::textures), [`user_data`](Mesh::user_data), [`user_binary_data`](Mesh::user_binary_data), vertices without columns | refused | yes |
//! | [`Section::info`] | yes | left out |
//! | [`plane`](Mesh::plane), [`Section::flags`], [`Track::seconds`] | left out | yes |
//!
//! [`Mesh::reduce_to_ezm`] and [`Mesh::reduce_to_ezb`] take out what a form cannot hold, and tell what that was.

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
