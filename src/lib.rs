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
//! let mesh = meshpeek::unigine::Mesh::open(map)?; // reads the header
//! let surface = mesh.surface(0)?; // finds the arrays of one surface
//! for position in surface.positions()?.iter() {
//!     let [x, y, z] = position; // decoded here
//!     # let _ = (x, y, z);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Owner, scene, query result
//!
//! An owner is a value that owns the bytes of a file: [`unigine::Mesh`], [`unreal::Mesh`],
//! [`secondlife::Mesh`], [`ezmesh::Mesh`], or [`Model`] for a file of any format. Surfaces and
//! arrays borrow their bytes from the owner. A [`query::Scene`] borrows the surfaces of a mesh,
//! holds a [`query::Tree`] over the triangles of each surface, and runs ray casts and other spatial
//! queries. Keep the value that owns the bytes, such as [`Model`], and build the [`query::Scene`]
//! from it once. A struct that contains the owner and the trees holds [`query::SceneTrees`], which
//! borrow nothing and lend a scene for a batch of queries.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::query::{Ray, Scene};
//!
//! let model = meshpeek::Model::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?; // owner
//! let scene = Scene::new(model.geometry()?)?; // trees
//! let hit = scene.ray(&Ray::toward([0.1, 0.2, 9.0], [0.1, 0.2, 0.0])); // answer
//! assert_eq!(hit.map(|hit| (hit.surface, hit.triangle)), Some((0, 9)));
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! - [`formats`] detects the format of a file and opens files of all supported formats.
//!   [`unigine`], [`unreal`], [`secondlife`] and [`ezmesh`] read, validate, write and build the
//!   files of one format.
//! - [`model`] is the interface to meshes that all file formats share: [`Geometry`], [`Surface`],
//!   [`Weights`], and [`Animations`] with poses and skinning.
//! - [`query`] casts rays, finds the point on a mesh that is nearest to a given point, and finds
//!   the triangles in a bounding box or view frustum.
//! - [`mod@array`] contains the array types, which borrow their bytes from a file. [`decode`]
//!   contains the formula that decodes each vertex and index encoding. [`scan`] computes sums,
//!   bounding spheres and histograms of whole arrays without storing the decoded values.
//! - [`io`] maps and reads files. [`parse`] contains the bounds-checked cursor, the limits on
//!   memory, the named byte ranges of a file ([`Region`]) and the violations that validation
//!   reports ([`Finding`]).
//! - [`sidecar`] stores byte offsets and query trees that are slow to compute, in a separate file
//!   that is read when the mesh file is opened again. [`open_indexed`] reads or writes it.
//! - [`guide`] is the manual: it explains the command-line program, the file formats and the design
//!   of the crate.
//!
//! # Costs
//!
//! In this table, "pages touched" are the memory pages of the mapped file that a call accesses for
//! the first time.
//!
//! | call | order | pages touched | allocates |
//! |---|---|---|---|
//! | [`Map::open`] | 1 | none | nothing |
//! | [`unigine::Mesh::open`] | bones + surfaces | the header | 8 bytes per bone, 16 per animation, 88 per surface, 176 of ms14 and ms15 |
//! | [`surface(k)`](unigine::Mesh::surface), first time | surfaces before *k* that are not yet located | one per large array, and all of the weights | nothing |
//! | the same for ms14 and ms15 | size of its block | the table once, and the block | the inflated block, kept with the mesh |
//! | [`lend(k)`](Geometry::lend) of ms14 and ms15 | size of its block | the table once, and the block | the inflated block, freed with the returned value |
//! | [`counts(k)`](Geometry::counts) of ms14 and ms15, first time | size of its block | the table once, and the block | 128 KiB during the call |
//! | [`unigine::Animation::open`] | bones | the header | 8 bytes per bone, 16 per animation |
//! | [`pose(n)`](unigine::AnimationView::pose) of an10, first time | keys | all keys | 2 % of the file |
//! | later | bones × frames between two checkpoints (64 or more) | those frames | nothing |
//! | the same for an11 to an13, first time | keys (flags only) | all keys | 2 % of the file |
//! | later | bones, and the flags of a few more keys | the frame | nothing |
//! | an array of a surface | the arrays before it | one per large array before it | nothing |
//! | [`get`](Array::get), [`iter`](Array::iter), [`chunks`](Array::chunks) | 1 per item | that of the item | nothing |
//! | [`unreal::Mesh::open`] | 1 | both headers | nothing |
//! | [`frame(n)`](unreal::Mesh::frame) of Unreal | 1 | none | nothing |
//! | a surface of Unreal, first time | polygons, and a sort if they are unordered | the polygons | 2 bytes per polygon, 12 per surface; 8 per polygon during the call |
//! | [`secondlife::Mesh::open`] | entries of the header | the header | nothing |
//! | [`level`](secondlife::Mesh::level), first time | size of the block | the block | the inflated block, and 4 bytes per submesh |
//! | [`ezmesh::Mesh::open`] | text: bytes, at the speed of a search for `<`; binary: elements | text: all; binary: counts | 8 bytes per element and 16 per block of numbers; three times that during the call |
//! | an array of text, first time | size of its block | the block's | the unfolded block, at most twice its text |
//! | [`Weights::get`], first time | skinned vertices of the surface | all weights of the surface | 0.625 bytes per vertex |
//! | each first call above, with a [`sidecar`] | 1 | those of the answer, and three of the sidecar | 64 bytes for each surface or animation |
//! | [`ezmesh::VertexBuffer::vertex`] | 64 vertices of text; the block the first time | those | 16 bytes per 64 vertices |
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
//! | [`query::Scene::indexed`] | surfaces | those of [`surface(k)`](unigine::Mesh::surface), and two of the sidecar | 300 bytes per surface |
//! | [`query::SceneTrees::scene`] | surfaces | those of [`surface(k)`](unigine::Mesh::surface), and those of at most 16 triangles | 112 bytes per surface |
//! | [`query::Scene::ray`], [`nearest`](query::Scene::nearest) | usually log(triangles) | 3 or 4 of the tree, 2 or 3 per leaf | nothing; a list if there are many surfaces |
//! | [`Surface::weld`] of equal index streams | corners | both index streams | 4 bytes per vertex during the call |
//! | [`Surface::weld`] of different index streams | corners, and a sort of corners that share an attribute | both index streams | 12 bytes per corner during the call |
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

// Tests and benches use all of the code, a user of the library uses a part.
#![cfg_attr(
    not(feature = "internals"),
    allow(dead_code, unused_imports, reason = "some code is only for tests, benches and the program")
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "overflow in a test is a failed test"))]

pub mod array;
mod bvh;
#[cfg(feature = "internals")]
pub mod decode;
#[cfg(not(feature = "internals"))]
mod decode;
mod error;
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
#[cfg(feature = "internals")]
pub mod scan;
#[cfg(not(feature = "internals"))]
mod scan;
#[cfg(feature = "internals")]
pub mod sidecar;
#[cfg(not(feature = "internals"))]
mod sidecar;
mod simd;

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
pub use parse::{AccessLog, Element, Finding, Limits, Name, OpenOptions, PAGE, Region, Rule, Severity};
#[cfg(feature = "cli")]
pub use program::run;

/// Compiles and runs the code examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
