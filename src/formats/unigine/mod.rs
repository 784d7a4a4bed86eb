//! UNIGINE 2.x meshes, ms10 to ms15, and animations, an10 to an13.
//!
//! UNIGINE mesh files contain the run-time geometry of the UNIGINE engine. All numbers in the files
//! are little-endian, and no field is aligned. Other engines also use the extension `.mesh`, so the
//! first four bytes determine the format.
//!
//! | magic number | engine | differences |
//! |---|---|---|
//! | `ms10` | 2.0 alpha | tangent frames of seven bytes |
//! | `ms11` | 2.0 to 2.12 | |
//! | `ms12` | 2.13 to 2.18 | two lightmap bytes per surface |
//! | `ms13` | 2.19 | like ms12, without embedded animations |
//! | `ms14` | 2.20 | each surface is a block, usually LZ4-compressed; a spatial tree per surface; a table of blocks |
//! | `ms15` | 2.21 | like ms14, without bones, weights and morph targets |
//! | `an10` to `an13` | 2.0 to 2.21 | bone animations: see [`Animation`] |
//!
//! # The file
//!
//! | field | type | generations |
//! |---|---|---|
//! | magic number | 4 bytes | all |
//! | target number of triangles in a leaf | compact int | ms14, ms15 |
//! | bounds | box and sphere, 10 f32 | all |
//! | bones: count; name, parent | compact int; string, i16 | all but ms15 |
//! | animations: count; name | compact int; string | ms10 to ms12 |
//! | surfaces: count; then for each surface: | compact int | all |
//! | - name | string | all |
//! | - lightmap UV set, resolution code | u8, u8 | from ms12 on |
//! | - number of indices, number of attribute indices | 2 compact ints | ms14, ms15 |
//! | - bounds | 10 f32 | all |
//! | - targets: count; name, number of positions | compact int; string, compact int | all but ms15; the number of positions in ms14 only |
//! | - number of positions | compact int | ms15, instead of targets |
//! | estimate of the memory in bytes, by an unknown formula | i64 | ms14, ms15 |
//! | magic number | 4 bytes | all |
//! | bind transform of each bone, relative to its parent | 10 f32 | all but ms15 |
//! | animation blocks | see [`AnimationView`] | ms10 to ms12 |
//! | geometry of each surface | below; from ms14 on, each as a block | all |
//! | magic number | 4 bytes | all |
//! | tree of each surface, each as a block | below | ms14, ms15 |
//! | magic number | 4 bytes | ms14, ms15 |
//! | offset of the geometry block of each surface | i64 | ms14, ms15 |
//! | magic number | 4 bytes | ms14, ms15 |
//!
//! # The geometry of a surface
//!
//! The number of items of each array is stored directly before the array, as a variable-length
//! integer (compact int). A number that the header already stores is not repeated there.
//!
//! In the table below, NV is the number of positions of a shape (base shape or morph target), and
//! NT is the number of tangent frames of the same shape.
//!
//! | array | item | count |
//! |---|---|---|
//! | positions, once per target | 3 f32 | NV |
//! | tangents, after each target's positions | quaternion, 7 or 8 bytes | NT |
//! | weights; not in ms15 | u8 *k*, then *k* times (bone i16, weight u16) | 0 or NV |
//! | UV 0, UV 1 | 2 f32 | 0 or NT |
//! | colours | 4 u8 | 0 or NT |
//! | indices: into positions and weights | u8, u16 or i32 | a multiple of 3 |
//! | attribute indices: into tangents, UVs, colours | u8, u16 or i32 | the same |
//!
//! An index into an array is stored in one byte if the array has fewer than 256 items, in two bytes
//! if the array has fewer than 65,536 items, and in four bytes otherwise. The width of the indices
//! into positions and weights is computed from NV, the number of positions of the base shape
//! (target 0). That of the attribute indices is computed independently, from NT, its number of
//! tangent frames. No ms14 or ms15 file with four-byte indices is known, and the page that the
//! vendor publishes about the format describes compact ints instead of four-byte indices. In ms14
//! and ms15, the reader accepts four-byte indices or compact ints: the encoding with which the
//! arrays fill the geometry block exactly.
//!
//! The file stores no normals: the tangent quaternion contains the normal, the tangent and the
//! binormal ([`decode::tangent_frame`](crate::decode::tangent_frame)). Counts and string lengths
//! are variable-length integers, called compact ints ([`decode::compact`](crate::decode::compact)).
//! The stored length of a string includes its closing NUL byte.
//!
//! # Levels of detail
//!
//! The names of surfaces tell which of them are levels of detail of one another, such as
//! `leaves_lod_0` and `leaves_lod_1`, and which only cast shadows, such as `leaves_shadow`. A
//! [`Mesh`] has all surfaces of the file, and those of the most detailed level are
//! [drawn](crate::Surface::is_drawn). The other levels are those of its
//! [`Asset`](crate::model::Asset).
//!
//! # A block
//!
//! A block contains the geometry or the tree of one surface. Each block starts with two i64: the
//! size of the uncompressed content and the size of the stored bytes, both in bytes. The stored
//! bytes of a block follow its two sizes. If the two sizes of a block are equal, the stored bytes
//! are the uncompressed content; otherwise the stored bytes are one raw LZ4 block. The geometry
//! block of a surface is decompressed (inflated) on its first use, and the tree block of a surface
//! is inflated on the first use of the tree. Content that is stored uncompressed is borrowed from
//! the file. The arrays of a surface must fill the content of its geometry block exactly; otherwise
//! the reader returns an error.
//!
//! # A tree
//!
//! | field | type |
//! |---|---|
//! | edge records: count; one for each triangle | compact int; u8 |
//! | triangles, in the order of the leaves: count; first corner of each triangle | compact int; compact int |
//! | nodes: count; axis, left, right, start, end | compact int; u8, 4 compact ints |
//! | box of each node | 6 f32 |
//! | split coordinate of each node | f32 |
//!
//! The nodes of a spatial tree are stored in pre-order. A node of a spatial tree is split at the
//! middle of its bounding box. The split axis of a node is the axis that divides the triangle
//! centres of the node most evenly. A node is a leaf if it has fewer triangles than the target
//! number that the header stores for leaves, or if no axis divides the triangle centres.
//!
//! The file layout in this documentation was checked on thousands of real files. If the files and
//! the vendor's published pages differ, this documentation describes the files.

mod animation;
mod blocks;
mod bounds;
mod byte_ranges;
mod contents;
pub(crate) mod detect;
mod file;
mod geometry;
mod header;
pub mod layout;
mod levels;
mod mesh_file;
mod morph;
mod properties;
mod reader;
mod region_values;
mod regions;
#[cfg(feature = "cli")]
pub(in crate::formats) mod sample;
mod shadow_names;
mod sidecar_index;
mod surface;
mod validate;
mod write;
mod writer;

use crate::formats::description::FormatDescription;
#[cfg(feature = "internals")]
pub use crate::model::Storage;
pub use animation::Animation;

pub use file::Mesh;
#[cfg(feature = "internals")]
pub use {
    animation::playback::Playback,
    blocks::{inflated::InflateBuffer, node::TreeNode},
    layout::{AnimationGeneration, Generation},
    morph::MorphTarget,
    surface::SurfaceView,
};
#[cfg(feature = "internals")]
pub use {
    animation::{
        AnimationView,
        coding::{AnimationKey, Coding},
    },
    blocks::{block::BlockLocation, inflated_surface::InflatedSurface, tree::SurfaceTree},
    validate::RULES,
};

/// The names, the file names, the rules and the extra arrays of the format.
pub(super) const DESCRIPTION: FormatDescription = FormatDescription {
    id: "unigine",
    title: "UNIGINE",
    extensions: &["mesh", "anim"],
    part_extensions: &[],
    is_known: detect::is_known,
    rules: validate::RULES,
    extra_arrays: geometry::EXTRA_ARRAYS,
};
