//! UNIGINE 2.x meshes, ms10 to ms15, and animations, an10 to an13.
//!
//! The run-time geometry of the UNIGINE engine. All numbers are little-endian, and nothing is aligned. `.mesh` is also the
//! extension of other engines' files, so the first four bytes decide.
//!
//! | magic | engine | what is particular |
//! |---|---|---|
//! | `ms10` | 2.0 alpha | tangent frames of seven bytes |
//! | `ms11` | 2.0 to 2.12 | |
//! | `ms12` | 2.13 to 2.18 | two lightmap bytes per surface |
//! | `ms13` | 2.19 | the same, and no embedded animations |
//! | `ms14` | 2.20 | each surface is a block, most of them LZ4; a spatial tree with each; a table of blocks |
//! | `ms15` | 2.21 | the same, and neither bones, weights nor shapes to blend |
//! | `an10` to `an13` | 2.0 to 2.21 | animations of bones: see [`Animation`] |
//!
//! # The file
//!
//! | field | type | generations |
//! |---|---|---|
//! | magic | 4 bytes | all |
//! | triangles wanted in a leaf | compact int | ms14, ms15 |
//! | bounds | box and sphere, f32 × 10 | all |
//! | bones: count; name, parent | compact int; string, i16 | all but ms15 |
//! | animations: count; name | compact int; string | ms10 to ms12 |
//! | surfaces: count; then for each | compact int | all |
//! | – name | string | all |
//! | – lightmap UV set, resolution code | u8, u8 | from ms12 on |
//! | – number of indices, of attribute indices | compact int × 2 | ms14, ms15 |
//! | – bounds | f32 × 10 | all |
//! | – targets: count; name, number of positions | compact int; string, compact int | all but ms15; the number ms14 only |
//! | – number of positions | compact int | ms15, in the place of targets |
//! | estimate of memory in bytes, by an unknown formula | i64 | ms14, ms15 |
//! | magic | 4 bytes | all |
//! | bind transform of each bone, relative to its parent | f32 × 10 | all but ms15 |
//! | animation blocks | see [`AnimationView`] | ms10 to ms12 |
//! | geometry of each surface | below; from ms14 on, each as a block | all |
//! | magic | 4 bytes | all |
//! | tree of each surface, each as a block | below | ms14, ms15 |
//! | magic | 4 bytes | ms14, ms15 |
//! | offset of the block of each surface's geometry | i64 | ms14, ms15 |
//! | magic | 4 bytes | ms14, ms15 |
//!
//! # The geometry of a surface
//!
//! Every array follows its count, a compact int; but the header has those that it says.
//!
//! | array | item | count |
//! |---|---|---|
//! | positions, once per target | f32 × 3 | NV |
//! | tangents, after each target's positions | quaternion, 7 or 8 bytes | NT |
//! | weights; not in ms15 | u8 *k*, then *k* × (bone i16, weight u16) | 0 or NV |
//! | UV 0, UV 1 | f32 × 2 | 0 or NT |
//! | colours | u8 × 4 | 0 or NT |
//! | indices: into positions and weights | u8, u16 or i32 | a multiple of 3 |
//! | attribute indices: into tangents, UVs, colours | u8, u16 or i32 | the same |
//!
//! Indices take one byte where the count they point into is below 256, two below 65,536, four otherwise: the first stream
//! by NV of target 0, the second by NT of target 0, independently. Of ms14 and ms15 no file with four bytes is known, and
//! the vendor's page has compact ints there: whichever fills the block is taken. There are no normals: the tangent
//! quaternion holds the whole frame ([`decode::tangent_frame`](crate::decode::tangent_frame)). Counts and string lengths are compact ints
//! ([`decode::compact`](crate::decode::compact)); a string's length includes its closing NUL.
//!
//! # A block
//!
//! Two i64, the size of what it holds and the size of what is stored, and then that: one raw LZ4 block or, where both sizes
//! are equal, what it holds. A surface's geometry is inflated when it is first asked for, its tree when that is; what is
//! stored verbatim is lent from the file. What a block holds must be filled by its arrays, or it cannot be used.
//!
//! # A tree
//!
//! | field | type |
//! |---|---|
//! | edge records: count; one for each triangle | compact int; u8 |
//! | triangles, in the order of the leaves: count; first corner of each | compact int; compact int |
//! | nodes: count; axis, left, right, start, end | compact int; u8, compact int × 4 |
//! | box of each node | f32 × 6 |
//! | where each node is split | f32 |
//!
//! Nodes stand in pre-order. One is split at the middle of its box, along the axis that parts its triangles most evenly,
//! by their centres; it is a leaf where it has fewer triangles than are wanted in one, or nothing parts them.
//! [`builder`] makes the engine's own trees and edge records, to the bit.
//!
//! These facts were checked on thousands of real files; where they differ from the vendor's published pages, the files
//! were right.

mod animation;
mod blocks;
mod bounds;
pub mod builder;
pub(crate) mod detect;
mod file;
mod geometry;
mod header;
pub mod layout;
mod morph;
mod reader;
mod regions;
mod sidecar_index;
mod surface;
mod validate;
mod write;
mod writer;

pub use animation::{Animation, AnimationKey, AnimationView, Coding, Playback};
pub use blocks::{BlockLocation, InflateBuffer, Storage, SurfaceTree, TreeNode};
pub use file::Mesh;
pub use layout::{AnimationGeneration, Generation};
pub use morph::MorphTarget;
pub use surface::SurfaceView;
pub use validate::{RULES, finding};
