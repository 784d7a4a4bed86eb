//! Second Life and `OpenSimulator` mesh assets: `.llmesh`, `.asset`, `.slm`.
//!
//! A header says where blocks lie; each block is a compressed tree of values, and the arrays of vertices stand in it as
//! binary data. So what can be borrowed from the file is the header and the stored blocks; a block is inflated once, when
//! somebody first asks for it, and the arrays borrow from that, at whatever odd offset they lie.
//!
//! ```text
//! file    = [marker line]  header  block*  [trailing bytes]
//! header  = a map in binary LLSD, not compressed: 174 to 416 bytes
//! block   = zlib stream of one value in binary LLSD
//! ```
//!
//! Offsets of blocks count from the byte after the header's map; nothing says how long that is.
//!
//! # The header
//!
//! | key | value | meaning |
//! |---|---|---|
//! | `high_lod`, `medium_lod`, `low_lod`, `lowest_lod` | map of `offset`, `size` | [`Level`]s of detail |
//! | `physics_mesh` (once `physics_shape`) | same, and a `hash` from simulators | triangles to collide with |
//! | `physics_convex` | same | [`Convex`] hulls |
//! | `skin` | same | [`Skin`]: joints |
//! | `physics_havok` | same | what a simulator keeps for itself |
//! | `version`, `creator`, `date` | integer, UUID, date | what simulators add |
//! | `physics_cost_data` | map of numbers | what simulators add |
//! | `material_list` | array of strings | names of the submeshes' materials, in `.slm` files |
//! | `submodel_id` | integer | which part of a model with more than 8 materials |
//! | `404` | any | there is no such asset |
//!
//! # A submesh
//!
//! A level is an array of maps, one to a material. All numbers in the binary data are little-endian; each code `u` of 16
//! bits stands for `u / 65535 * (max - min) + min`, in `f32` and in this order ([`min_max16`](crate::decode::min_max16)).
//!
//! | key | bytes | meaning |
//! |---|---|---|
//! | `NoGeometry` | – | there is nothing else |
//! | `Position`, `PositionDomain` | 6 a vertex | codes over a box, which all submeshes of a level share |
//! | `Normal` | 6 a vertex | codes over −1 to 1 |
//! | `TexCoord0`, `TexCoord0Domain` | 4 a vertex | codes over any interval |
//! | `TriangleList` | 6 a triangle | indices, counter-clockwise seen from outside |
//! | `Weights` | 1 to 12 a vertex | up to four of joint `u8` and weight `u16`, then 255 unless there are four |
//! | `Tangent` | 8 a vertex | codes over −1 to 1; not seen in real files |
//! | `NormalizedScale` | – | size of the uploaded model |
//!
//! # Units and axes
//!
//! Positions lie in the unit cube, ±0.5, and the object that shows the mesh stretches them by its scale, in metres; x
//! forward, y left, z up, right-handed. Texture coordinates: u to the right, v upwards. Matrices are row by row, for row
//! vectors: elements 12, 13 and 14 are the translation.
//!
//! # Around an asset
//!
//! A viewer's disk cache puts 12 bytes in front ([`layout::RawPreamble`]), and leaves what it did not fetch at 0. An
//! `.slm` file is one LLSD map with several whole assets in it, as strings ([`Container`]).
//!
//! # Where files differ from the published page
//!
//! Blocks are zlib data, not gzip; a joint's number goes to 254; lower levels may have as many triangles as higher ones;
//! a date is the one little-endian number of its encoding. These facts were checked on real assets of several grids.

mod animation;
mod asset_block;
mod asset_part;
mod asset_state;
mod asset_view;
pub mod builder;
mod container;
mod detect;
mod file;
mod geometry;
mod header;
mod inflate;
pub mod layout;
mod level;
pub mod llsd;
mod matrix;
mod physics;
mod regions;
mod skin;
mod skinning;
mod surface;
mod validate;
mod write;

pub use asset_block::{AssetBlock, InflateBuffer};
pub use asset_part::{AssetPart, Lod};
pub use asset_view::AssetView;
pub use builder::{Edit, extract, extract_available};
pub use container::{Container, Instance};
pub use detect::is_known;
pub use file::Mesh;
pub use geometry::LevelGeometry;
pub use header::{BlockRange, Header, HeaderPrefix};
pub use level::Level;
pub use matrix::{IDENTITY, Matrix, multiply};
pub use physics::{Convex, Degeneracy, PhysicsCost, PhysicsShape, degeneracy, hull_size};
pub use skin::Skin;
pub use skinning::Palette;
pub use surface::{Submesh, SubmeshKey};
pub use validate::{RULES, finding, is_avatar_joint};
