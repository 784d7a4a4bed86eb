//! Second Life and `OpenSimulator` mesh assets: `.llmesh`, `.asset`, `.slm`.
//!
//! The header of a mesh asset stores the byte offset and the size of each block. Each block is a
//! zlib-compressed tree of LLSD values, and the vertex arrays are binary data in this tree. The
//! reader borrows the header and the compressed blocks from the bytes of the file. The reader
//! inflates a block once, at the first access, and keeps the inflated bytes in memory. The vertex
//! arrays are slices of the inflated bytes and need no alignment.
//!
//! ```text
//! file    = [marker line]  header  block*  [trailing bytes]
//! header  = a map in binary LLSD, not compressed: 174 to 416 bytes
//! block   = zlib stream of one value in binary LLSD
//! ```
//!
//! The block offsets in the header count from the first byte after the header. The file does not
//! store the length of the header.
//!
//! # The header
//!
//! | key | value | meaning |
//! |---|---|---|
//! | `high_lod`, `medium_lod`, `low_lod`, `lowest_lod` | map of `offset`, `size` | [`Level`]s of detail |
//! | `physics_mesh` (formerly `physics_shape`) | map of `offset`, `size`, and a `hash` that simulators add | collision triangles |
//! | `physics_convex` | map of `offset`, `size` | [`Convex`] hulls |
//! | `skin` | map of `offset`, `size` | [`Skin`]: joints |
//! | `physics_havok` | map of `offset`, `size` | private data of a simulator's physics engine |
//! | `version`, `creator`, `date` | integer, UUID, date | added by simulators |
//! | `physics_cost_data` | map of numbers | added by simulators |
//! | `material_list` | array of strings | name of the material of each submesh, in `.slm` files |
//! | `submodel_id` | integer | number of this mesh, if a model with more than 8 materials is split into several meshes |
//! | `404` | any | marks a stub: the asset does not exist |
//!
//! # A submesh
//!
//! A level of detail is an LLSD array of maps, with one map (a submesh) per material. All numbers
//! in the binary data of a submesh are little-endian. Each coordinate is stored as a 16-bit integer
//! `u`. From `u`, the minimum `min` and the maximum `max` of the value range, a coordinate is
//! decoded as `u / 65535 * (max - min) + min`, in `f32` and in this order of operations
//! ([`min_max16`](crate::decode::min_max16)).
//!
//! | key | bytes | meaning |
//! |---|---|---|
//! | `NoGeometry` | none | the submesh has no geometry and no other keys |
//! | `Position`, `PositionDomain` | 6 per vertex | codes within a quantization box that all submeshes of a level share |
//! | `Normal` | 6 per vertex | codes within -1 to 1 |
//! | `TexCoord0`, `TexCoord0Domain` | 4 per vertex | codes within any interval |
//! | `TriangleList` | 6 per triangle | three vertex indices, in counter-clockwise order seen from outside |
//! | `Weights` | 1 to 12 per vertex | one to four pairs of a joint `u8` and a weight `u16`; the byte 255 ends a vertex with fewer than four pairs |
//! | `Tangent` | 8 per vertex | codes within -1 to 1; not seen in real files |
//! | `NormalizedScale` | none | size of the uploaded model |
//!
//! # Units and axes
//!
//! Vertex positions lie in the unit cube, from -0.5 to 0.5 on each axis. An object in the virtual
//! world that shows the mesh has a scale in metres, and the viewer multiplies the positions by this
//! scale. The coordinate system is right-handed: x points forward, y points left and z points up.
//! In texture coordinates, u points right and v points up. Matrices are stored row by row, for row
//! vectors: elements 12, 13 and 14 of the 16 elements are the translation.
//!
//! # Around an asset
//!
//! A viewer is a client program of the virtual world, and a simulator is a server program. In the
//! disk cache of a viewer, 12 bytes come before the mesh asset ([`layout::RawPreamble`]). A cache
//! file contains zero bytes in place of each block that the viewer did not fetch. An `.slm` file is
//! one LLSD map that contains several whole mesh assets as strings ([`Container`]).
//!
//! # Where files differ from the published page
//!
//! The published description of the format differs from real files. In real files, blocks are zlib
//! data, not gzip data. A joint index can be at most 254. A lower level of detail may have the same
//! number of triangles as a higher level. A date is the only number that binary LLSD stores in
//! little-endian byte order. All differences from the published description were checked on real
//! assets of several Second Life and `OpenSimulator` grids.

mod animation;
mod asset_block;
mod asset_state;
mod asset_view;
mod avatar_joints;
mod block_index;
#[cfg(any(feature = "cli", feature = "internals"))]
mod blocks;
mod byte_ranges;
mod container;
mod container_index;
mod contents;
mod detect;
#[cfg(any(feature = "cli", feature = "internals"))]
mod edit;
mod file;
mod geometry;
mod header;
mod inflate;
pub mod layout;
mod level;
pub mod llsd;
mod matrix;
mod physics;
mod properties;
mod region_values;
mod regions;
#[cfg(feature = "cli")]
pub(in crate::formats) mod sample;
mod skin;
mod skinning;
mod surface;
mod validate;
mod write;

use crate::formats::description::FormatDescription;
#[cfg(feature = "internals")]
pub use crate::model::Lod;
pub use detect::is_known;

pub use file::Mesh;
#[cfg(feature = "cli")]
pub(crate) use properties::unopened_properties;
#[cfg(feature = "internals")]
pub use {
    asset_block::AssetBlock,
    avatar_joints::is_avatar_joint,
    container::Instance,
    header::BlockRange,
    matrix::{IDENTITY, multiply},
    physics::{Convex, Degeneracy, PhysicsCost, PhysicsShape, degeneracy, hull_size},
    skinning::Palette,
    surface::{Submesh, SubmeshKey},
};
#[cfg(feature = "internals")]
pub use {
    asset_block::InflateBuffer,
    asset_view::AssetView,
    container::Container,
    edit::{Edit, extract, extract_available},
    geometry::LevelGeometry,
    header::{Header, HeaderPrefix},
    layout::AssetPart,
    level::Level,
    matrix::Matrix,
    skin::Skin,
    validate::RULES,
};

/// The names, the file names, the rules and the extra arrays of the format.
pub(super) const DESCRIPTION: FormatDescription = FormatDescription {
    id: "secondlife",
    title: "Second Life",
    extensions: &["llmesh", "slm"],
    part_extensions: &[],
    is_known: detect::is_known,
    rules: validate::RULES,
    extra_arrays: geometry::EXTRA_ARRAYS,
};
