//! Builds new Second Life mesh assets from arrays of floating-point numbers.
//!
//! An [`Asset`] consists of structs with public fields, such as [`Level`], [`Submesh`] and
//! [`Skin`]. [`Asset::to_bytes`] encodes the whole asset. The encoding is the same as in a Second
//! Life viewer: keys are sorted, blocks are in the viewer's order, floats are rounded to the
//! nearest 16-bit code, and zlib compresses at its highest level. The values are not checked:
//! readers refuse an asset with values that the format does not support.
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
//! [`extract_available`] writes one level of detail of an existing asset as an asset. It copies the
//! blocks in their compressed form.

mod asset;
mod edit;
mod edit_blocks;
mod edit_output;
mod encode;
mod values;

pub use edit::extract_available;
pub use values::{Asset, Joint, Level, Skin, Submesh};
#[cfg(feature = "internals")]
pub use {
    edit::{Edit, extract},
    values::{Convex, Header},
};
