//! Building new assets from floats.
//!
//! Plain lists with public fields, checked and encoded when they are written, as a viewer writes them: keys sorted, blocks
//! in its order, codes rounded to the nearest, zlib at its highest level. What the format or a viewer cannot hold is
//! refused before the first byte, by part and limit.
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
//! A part of an existing asset is changed by reading it ([`Level::of`], [`Skin::of`], [`Convex::of`]), changing the lists,
//! and giving its block to an [`Edit`], which copies everything else as it is stored.

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
