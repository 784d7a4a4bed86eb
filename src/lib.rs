//! Reads game mesh files without loading them: memory-mapped, lazy and without copies.
//!
//! A mesh file already contains the arrays that a program needs. This crate maps the file into
//! memory, computes the offsets of its arrays, and borrows the arrays. A vertex or index value is
//! decoded only when the program reads it.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//!
//! // SAFETY: nothing changes the sample while it is mapped. `meshpeek::read` copies and is safe.
//! let map = unsafe { meshpeek::map("data/unigine/cube_ms13.mesh")? };
//! let model = meshpeek::Model::open(map)?; // detects the format, and reads the header
//! let surface = meshpeek::Surface::new(&model, 0);
//! let positions = surface.positions()?; // finds the array, and decodes nothing
//! for position in positions.iter() {
//!     let [x, y, z] = position; // decoded here
//!     # let _ = (x, y, z);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Owner, scene, query result
//!
//! A [`Model`] owns the bytes of a file of any format. A [`Surface`] and its arrays borrow from it.
//! A [`query::Scene`] borrows the surfaces of a model, holds a [`query::Tree`] over the triangles
//! of each surface, and runs ray casts and other spatial queries. Keep the model, and build the
//! scene from it once. A struct that contains the model and the trees holds [`query::SceneTrees`],
//! which borrow nothing and lend a scene for a batch of queries.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::query::{Ray, Scene};
//!
//! let model = meshpeek::open("data/unigine/cube_ms13.mesh")?; // owner
//! let scene = Scene::new(model.geometry()?)?; // trees
//! let hit = scene.ray(&Ray::toward([0.1, 0.2, 9.0], [0.1, 0.2, 0.0])); // answer
//! assert_eq!(hit.map(|hit| (hit.surface, hit.triangle)), Some((0, 9)));
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! - The root of the crate has [`open`], which opens a mesh by its path, and [`Model`], which opens
//!   the bytes of a file. A model implements the traits of the module [`model`].
//! - [`model`] describes what a file contains, in the same way for all formats: [`Geometry`] and
//!   [`Surface`] for triangles, [`Weights`], [`Animations`] with poses and skinning,
//!   [`Contents`](model::Contents) for levels of detail, instances, materials and collision shapes,
//!   and [`MeshFile`] for validation and writing.
//! - [`query`] casts rays, finds the point on a mesh that is nearest to a given point, and finds
//!   the triangles in a bounding box or view frustum.
//! - [`export`] writes a mesh of any format as glTF, OBJ, PLY, STL, EZ-Mesh or JSON.
//! - [`render`] draws pictures of a mesh of any format, without a graphics card.
//! - [`mod@array`] contains the trait [`Array`]. All arrays of a file implement it, such as
//!   [`Positions`](model::Positions).
//! - [`io`] maps and reads files. [`parse`] contains the options for opening a file, the limits on
//!   memory, the named byte ranges of a file ([`Region`]) and the violations that validation
//!   reports ([`Finding`]).
//! - [`open_indexed`] opens a mesh together with its *sidecar*: a separate file with byte offsets
//!   and query trees that are slow to compute. It writes the sidecar if there is none.
//! - [`guide`] is the manual: it explains the command-line program, the file formats and the design
//!   of the crate.
//!
//! The readers of the single formats are private, so a program that reads one format also reads the
//! others. Values that only one format has are not public. The program prints them: see the
//! [guide](guide::library#what-is-not-public).
//!
//! # Costs
//!
//! In this table, "pages touched" are the memory pages of the mapped file that a call accesses for
//! the first time. The table is for mapped files: [`open`] and [`read`] copy a file first. A
//! [`Model`] takes one more allocation of fixed size.
//!
//! | call | order | pages touched | allocates |
//! |---|---|---|---|
//! | [`Map::open`] | 1 | none | nothing |
//! | [`Model::open`] of a UNIGINE mesh | bones + surfaces | the header | 8 bytes per bone, 16 per animation, 112 per surface, 200 of ms14 and ms15 |
//! | an array of surface *k* ([`Surface::positions`] and others) of ms10 to ms13, first time | surfaces before *k* that are not yet located | one per large array, and all of the weights | nothing |
//! | later | the arrays before it | one per large array before it | nothing |
//! | an array of a surface of ms14 and ms15, first time | size of its block | the table once, and the block | the inflated block, kept with the model |
//! | [`lend(k)`](Geometry::lend) of ms14 and ms15 | size of its block | the table once, and the block | the inflated block, freed with the returned value |
//! | [`counts(k)`](Geometry::counts) of ms14 and ms15, first time | size of its block | the table once, and the block | 128 KiB during the call |
//! | [`Model::open`] of a UNIGINE animation | bones | the header | 8 bytes per bone, 16 per animation |
//! | [`Animations::pose`] of an10, first time | keys | all keys | 2 % of the file |
//! | later | bones × frames between two checkpoints (64 or more) | those frames | nothing |
//! | the same for an11 to an13, first time | keys (flags only) | all keys | 2 % of the file |
//! | later | bones, and the flags of a few more keys | the frame | nothing |
//! | [`get`](Array::get), [`iter`](Array::iter), [`chunks`](Array::chunks) | 1 per item | that of the item | nothing |
//! | [`open`] of an Unreal mesh, besides reading its files | 1 | both headers | nothing |
//! | [`vertex_frame(n)`](Surface::vertex_frame) of Unreal, after the first access to a surface | 1 | none | nothing |
//! | a surface of Unreal, first time | polygons, and a sort if they are unordered | the polygons | 2 bytes per polygon, 12 per surface; 8 per polygon during the call |
//! | [`Model::open`] of a Second Life asset | entries of the header | the header | nothing |
//! | [`Asset::level`](model::Asset::level) of Second Life, first time | size of the block | the block | the inflated block, and 4 bytes per submesh |
//! | [`Model::open`] of EZ-Mesh | text: bytes, at the speed of a search for `<`; binary: elements | text: all; binary: counts | 8 bytes per element and 16 per block of numbers; three times that during the call |
//! | an array of EZ-Mesh text, first time | size of its block | the block's | the parsed block, at most twice its text |
//! | [`Weights::get`], first time | skinned vertices of the surface | all weights of the surface | 0.625 bytes per vertex |
//! | each first call above, with a [sidecar](guide::sidecars) | 1 | those of the answer, and three of the sidecar | 64 bytes for each surface or animation |
//! | [`Animations::keys`], the whole iteration | bytes of the keys | those of the keys | 44 bytes per moved bone; text: the numbers of each track, once |
//! | [`Skeleton::new`] | bones | the bones | 208 bytes per bone; 252 with stored bind matrices |
//! | [`Skeleton::model`], [`palette`](Skeleton::palette) | bones | none | nothing |
//! | [`SkinnedSurface::position`] | 1, and the cost of [`Weights::get`] | those of the vertex | nothing |
//! | [`SkinnedSurface::normals`], for each corner | 1, and the cost of [`Weights::get`] | those of the corner | nothing |
//! | [`SkinnedSurface::positions_into`] | influences | the positions and weights | nothing |
//! | [`byte_ranges`](model::ByteRanges::byte_ranges) of a part | the cost of finding the part | those of finding the part | 16 bytes per range |
//! | the same of [`Structure`](model::Part::Structure) | the structure | the structure | 16 bytes per range; that of opening the file, and 50 bytes per range, during the call |
//! | [`query::Tree::new`] | triangles × log(triangles) | all indices and positions, twice | 4 to 9 bytes per triangle; twice that during the call |
//! | [`open_indexed`] | size of both files; the first time also that of [`query::Tree::new`] | all of both files | the copies of both files |
//! | [`IndexedModel::scene`] with a sidecar | surfaces | those of locating each surface, and two of the sidecar | 300 bytes per surface |
//! | [`query::SceneTrees::scene`] | surfaces | those of locating each surface, and those of at most 16 triangles | 112 bytes per surface |
//! | [`query::Scene::ray`], [`nearest`](query::Scene::nearest) | usually log(triangles) | 3 or 4 of the tree, 2 or 3 per leaf | nothing; a list if there are many surfaces |
//! | [`render::draw`] | triangles, and pixels | all indices and positions, three times, and indices once more for computed normals | 4 bytes per pixel; during the call also 40, or 52 if surfaces are translucent, for at most 1,048,576 pixels, and at most 12 MiB for computed normals |
//! | [`Surface::weld`] of equal index streams | corners | both index streams | 4 bytes per vertex during the call |
//! | [`Surface::weld`] of different index streams | corners, and a sort of corners that share an attribute | both index streams | 12 bytes per corner during the call |
//! | [`streaming::Streamer::poll`] | ended loads and new requests, within [`poll_time`](streaming::StreamOptions::poll_time) | none | nothing: all is allocated with the streamer |
//!
//! # Promises
//!
//! 1. Opening a mesh reads only the header of a binary file, or the XML elements of a text file.
//!    The byte offset of a surface is computed at the first access to the surface and then cached.
//! 2. No file causes a panic, an endless loop or unlimited recursion. Reading a file allocates at
//!    most 16 times the size of the file plus 1 MiB, in addition to the memory of the requested
//!    results. Inflating one compressed block allocates at most twice the number of bytes in
//!    [`Limits::block`].
//! 3. Every byte of a well-formed file belongs to exactly one named byte range ([`Region`]).
//! 4. Every error about the bytes of a file contains the format, the field, the byte offset, the
//!    expected value and the value that was found.
//! 5. A value that is decoded from a borrowed array is bit-identical to the value from a loader
//!    that copies and converts the whole file.
//! 6. If a binary mesh file is read and then written again, the new file is byte-identical to the
//!    original file.
//! 7. Borrowed arrays are `Copy + Send + Sync`. Types that own the bytes of a file, such as
//!    [`Model`], have no lifetime parameter and can be stored in a struct.
//!
//! # When to use something else
//!
//! - To read every vertex of a file once from a network disk, copy the whole file to memory with
//!   [`read`], which is faster than a memory map.
//! - To edit a mesh, copy its arrays to your own data structure, because the arrays of this crate
//!   are read-only.
//! - To read files that other programs change, use [`read`], which copies the file to memory.
//!   [`map`](fn@map) is `unsafe` because a mapped file must not change; [`io`] describes the
//!   consequences.

// Clippy does not ask for other signatures of exported functions, which these are with `internals`.
#![cfg_attr(
    not(feature = "internals"),
    allow(clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps, reason = "signatures of exported functions")
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "overflow in a test is a failed test"))]

/// Exports names of the child modules: publicly with the feature `internals`, and otherwise only
/// within the crate.
macro_rules! internal_use {
    ($($($part:ident)::+),+ $(,)?) => {$(
        #[cfg(feature = "internals")]
        pub use $($part)::+;
        #[cfg(not(feature = "internals"))]
        pub(crate) use $($part)::+;
    )+};
}

pub mod array;
mod bvh;
#[cfg(feature = "internals")]
pub mod decode;
#[cfg(not(feature = "internals"))]
mod decode;
mod error;
pub mod export;
mod formats;
pub mod gpu;
pub mod guide;
#[cfg(feature = "internals")]
pub mod internals;
pub mod io;
mod math;
pub mod model;
#[cfg(feature = "rayon")]
mod parallel;
pub mod parse;
#[cfg(feature = "cli")]
mod program;
pub mod query;
pub mod render;
#[cfg(feature = "internals")]
pub mod scan;
#[cfg(not(feature = "internals"))]
mod scan;
mod scene;
pub mod sidecar;
mod simd;
pub mod streaming;
mod validate;

// Types of these crates are in signatures: finished values are `bytemuck::Pod`, records of a file
// implement the traits of `zerocopy`, and `half::f16` is a vertex format.
pub use {bytemuck, half, zerocopy};

pub use array::{Array, Bounds, Chunks};
#[cfg(feature = "internals")]
pub use array::{CornerArray, Packed, Strided};
#[cfg(feature = "internals")]
pub use decode::Decode;
pub use error::{Error, ErrorKind, Field, PathSegment, Result};
pub use formats::{Format, IndexedModel, Model, SidecarContent, SidecarState, finding, open, open_indexed};
#[cfg(feature = "internals")]
pub use formats::{ezmesh, secondlife, unigine, unreal};
pub use io::{Map, map, read};
pub use model::animation::{Animations, Clip, Event, FrameBlend, Pose, Skeleton, SkinnedSurface};
pub use model::{Corner, Corners, FormatVersion, Geometry, MeshFile, Surface, Weights};
pub use parse::{AccessLog, Element, Finding, Limits, Name, OpenOptions, PAGE, Region, RewriteEffect, Rule, Severity};
#[cfg(all(feature = "cli", feature = "internals"))]
pub use program::register_format;
#[cfg(feature = "cli")]
pub use program::run;

/// Compiles and runs the code examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
