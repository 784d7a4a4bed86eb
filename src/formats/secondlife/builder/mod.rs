//! Builds new assets from arrays of floating-point numbers.
//!
//! The parts of an asset are plain structs with public fields. The parts are checked and encoded
//! when the asset is written. The encoding is the encoding of a viewer: keys are sorted, blocks are
//! in the viewer's order, numbers are rounded to the nearest code, and zlib compresses at its
//! highest level. If the format or a viewer does not support a value, the returned error contains
//! the part of the asset and the limit, and no bytes are returned.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! use meshpeek::secondlife::{Lod, Mesh, builder};
//! let triangle = builder::Submesh {
//!     positions: vec![[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.0, 0.5, 0.0]],
//!     triangles: vec![[0, 1, 2]],
//!     ..Default::default()
//! };
//! let asset = builder::Asset { high: builder::Level::from(vec![triangle]), ..Default::default() };
//! let mesh = Mesh::open(asset.to_bytes()?)?;
//! assert_eq!(mesh.level(Lod::High)?.submesh(0)?.positions()?.get(1), Some([0.5, -0.5, 0.0]));
//! # Ok(())
//! # }
//! ```
//!
//! To change a part of an existing asset, copy the part ([`Level::of`], [`Skin::of`],
//! [`Convex::of`]) and change the fields of the copy. Then pass the encoded block to an [`Edit`],
//! which copies all other parts of the asset as stored.

mod asset;
mod check;
mod container;
mod edit;
mod edit_blocks;
mod edit_output;
mod encode;
mod from_asset;
mod values;

pub use container::{Container, Instance, Material, cache};
pub use edit::{Edit, extract, extract_available};
pub use values::{Asset, Convex, Header, Joint, Level, Skin, Submesh};
