//! Unreal Engine 1 vertex meshes: `_d.3d`, `_a.3d`, and the script that imports them.
//!
//! A vertex mesh is a triangle mesh that stores the positions of all vertices again for each
//! animation frame. A vertex mesh consists of two files that belong together: the *data* file has
//! the polygons, and the *aniv* file has the position of every vertex in every animation frame. An
//! optional *script* ([`script`]) is a text file with the names of the animation sequences, the
//! names of the textures, and the scale and origin of the mesh. All numbers in the data file and
//! the aniv file are little-endian. These files have no magic number, no version and no checksum,
//! so this crate recognises them by their names ([`companions`](mod@companions)).
//!
//! # The data file: 48 + 16 × polygons bytes
//!
//! | offset | field | type |
//! |---|---|---|
//! | 0 | polygons | u16 |
//! | 2 | vertices of each frame | u16 |
//! | 4 | unused | 44 bytes |
//! | 48 | for each polygon: | 16 bytes |
//! | | - three vertex indices, from 0 | u16 × 3 |
//! | | - style (low three bits) and flags ([`PolygonType`]) | u8 |
//! | | - colour, unused | u8 |
//! | | - U and V of each corner, v downwards | u8 × 6 |
//! | | - texture number | u8 |
//! | | - flags, unused | u8 |
//!
//! # The aniv file: 4 + frames × frame size bytes
//!
//! | offset | field | type |
//! |---|---|---|
//! | 0 | frames | u16 |
//! | 2 | bytes of each frame | u16 |
//! | 4 | every vertex of frame 0, of frame 1, .. | by [`Variant`] |
//!
//! | variant | frame size | vertex |
//! |---|---|---|
//! | classic | 4 × vertices | x, y and z as 11, 11 and 10 bits of a u32 ([`packed32`](crate::decode::packed32)) |
//! | Deus Ex | 8 × vertices | i16 x, y, z and a padding field ([`packed64`](crate::decode::packed64)) |
//! | prototype | 4 × vertices + 8 | as classic, followed by the bounding box of the frame |
//!
//! # Units and axes
//!
//! This crate returns the position of a vertex as the integers that the file stores, converted to
//! floats without rounding. The Unreal engine also keeps the stored integers, and multiplies them
//! by the factors of the SCALE command in the script. [`Placement`] applies the scale of the
//! script, or converts stored positions to the units of the mesh's author (classic: x/8, y/8, z/4;
//! Deus Ex: each coordinate /256). Methods that return vertex positions never apply a
//! [`Placement`]; the caller applies it if needed.
//!
//! The axes of stored positions are x forward, y right and z up, which is left-handed. In the
//! engine, the corners of a polygon are in clockwise order, seen from outside the mesh. If a
//! program interprets the stored coordinates in a *right-handed* system, the corners are in
//! counter-clockwise order, seen from outside the mesh. To convert a mesh to right-handed axes,
//! either keep the coordinates and the order of the corners (the mesh then appears mirrored), or
//! negate one coordinate *and* reverse the order of the corners.
//!
//! # Where files differ from the published page
//!
//! In real files, the unused bytes of the data file's header, and the colour and flag bytes of a
//! polygon, are not always 0. The type byte of a polygon has flags in bits 3 to 7. Frame sizes and
//! texture indices are unsigned integers. The published page of the format does not describe the
//! Deus Ex variant. Its differences from real files were checked on hundreds of pairs of a data
//! file and an aniv file.

mod animation;
#[cfg(any(feature = "cli", feature = "internals"))]
pub mod builder;
mod byte_ranges;
pub mod companions;
mod contents;
mod file;
mod frame;
mod geometry;
mod header;
pub mod layout;
mod mesh_file;
mod normals;
mod properties;
mod region_values;
mod regions;
#[cfg(feature = "cli")]
pub(in crate::formats) mod sample;
pub mod script;
mod surface;
mod transform;
mod validate;
mod write;

use crate::formats::description::FormatDescription;

pub use file::Mesh;
#[cfg(feature = "internals")]
pub use {
    crate::decode::polygon::RawPolygon,
    crate::model::NormalShading,
    companions::{Pair, find},
    frame::Frame,
    layout::{PolygonType, Style, Variant},
    surface::SurfaceView,
};
#[cfg(feature = "internals")]
pub use {surface::UvDivisor, transform::Placement, validate::RULES};

/// The names, the file names, the rules and the extra arrays of the format.
pub(super) const DESCRIPTION: FormatDescription = FormatDescription {
    id: "unreal",
    title: "Unreal",
    extensions: &[],
    part_extensions: &["3d", "uc"],
    is_known: |_| false,
    rules: validate::RULES,
    extra_arrays: geometry::EXTRA_ARRAYS,
};
