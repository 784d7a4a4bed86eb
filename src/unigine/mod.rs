//! UNIGINE 2.x meshes: ms10, ms11, ms12 and ms13.
//!
//! The run-time geometry of the UNIGINE engine. All numbers are little-endian, nothing is aligned, and nothing is
//! compressed. `.mesh` is also the extension of other engines' files, so the first four bytes decide.
//!
//! | magic | engine | what is particular |
//! |---|---|---|
//! | `ms10` | 2.0 alpha | tangent frames of seven bytes |
//! | `ms11` | 2.0 to 2.12 | |
//! | `ms12` | 2.13 to 2.18 | two lightmap bytes per surface |
//! | `ms13` | 2.19 | the same, and no embedded animations |
//!
//! # The file
//!
//! | field | type | generations |
//! |---|---|---|
//! | magic | 4 bytes | all |
//! | bounds | box and sphere, f32 × 10 | all |
//! | bones: count; name, parent | compact int; string, i16 | all |
//! | animations: count; name | compact int; string | ms10 to ms12 |
//! | surfaces: count; then for each | compact int | all |
//! | – name | string | all |
//! | – lightmap UV set, resolution code | u8, u8 | ms12, ms13 |
//! | – bounds | f32 × 10 | all |
//! | – targets: count; name | compact int; string | all |
//! | magic | 4 bytes | all |
//! | bind transform of each bone, relative to its parent | f32 × 10 | all |
//! | animation blocks | see [`EmbeddedAnimation`] | ms10 to ms12 |
//! | geometry of each surface | below | all |
//! | magic | 4 bytes | all |
//!
//! # The geometry of a surface
//!
//! Every array follows its count, a compact int.
//!
//! | array | item | count |
//! |---|---|---|
//! | positions, once per target | f32 × 3 | NV |
//! | tangents, after each target's positions | quaternion, 7 or 8 bytes | NT |
//! | weights | u8 *k*, then *k* × (bone i16, weight u16) | 0 or NV |
//! | UV 0, UV 1 | f32 × 2 | 0 or NT |
//! | colours | u8 × 4 | 0 or NT |
//! | indices: into positions and weights | u8, u16 or i32 | a multiple of 3 |
//! | attribute indices: into tangents, UVs, colours | u8, u16 or i32 | the same |
//!
//! Indices take one byte where the count they point into is below 256, two below 65,536, four otherwise: the first stream
//! by NV of target 0, the second by NT of target 0, independently. There are no normals: the tangent quaternion holds
//! the whole frame ([`decode::frame`](crate::decode::frame)). Counts and string lengths are compact ints
//! ([`decode::compact`](crate::decode::compact)); a string's length includes its closing NUL.
//!
//! These facts were checked on thousands of real files; where they differ from the vendor's published pages, the files
//! were right.

mod anim;
mod bounds;
pub mod build;
mod check;
mod geometry;
mod header;
pub mod layout;
pub(crate) mod magic;
mod mesh;
mod neutral;
mod read;
mod view;
mod write;

pub use anim::{EmbeddedAnimation, Key, key_size};
pub use check::{RULES, finding};
pub use layout::Generation;
pub use mesh::Mesh;
pub use view::{SurfaceView, Target};
