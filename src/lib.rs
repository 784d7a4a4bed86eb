//! Reads game mesh files without loading them: memory-mapped, lazy and without copies.
//!
//! A mesh file already contains the arrays that a program needs. This crate maps the file, finds
//! its arrays, and borrows them. It decodes a value only when you access it.
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
//! # Owner, scene, answer
//!
//! An owner holds the bytes of a file: [`unigine::Mesh`], [`unreal::Mesh`], [`secondlife::Mesh`],
//! [`ezmesh::Mesh`], or [`Model`] for a file of any format. Its views borrow from it. A
//! [`query::Scene`] borrows the surfaces of an owner, holds a [`query::Tree`] over the triangles of
//! each, and answers questions about them. Keep the owner, and build the scene from it once.
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
//! - [`formats`] detects a format and opens any file. [`unigine`], [`unreal`], [`secondlife`] and
//!   [`ezmesh`] read, validate, write and build the files of one format.
//! - [`model`] is the view that all formats share: [`Geometry`], [`Surface`], [`Weights`], and
//!   [`Animations`] with poses and skinning.
//! - [`query`] casts rays, finds the nearest point, and finds triangles in a box or frustum.
//! - [`mod@array`] has the borrowed arrays. [`decode`] has the formula of each encoding. [`scan`]
//!   reduces whole arrays to sums, spheres and histograms without storing values.
//! - [`io`] maps and reads files. [`parse`] has checked reads, limits, regions and findings.
//! - [`sidecar`] stores the offsets and trees that are slow to find, for the next time.
//! - [`guide`] explains the program, the formats and the design.
//!
//! # Costs
//!
//! The tables use "pages" for the pages of the file that a call touches for the first time.
//!
//! | call | order | pages touched | allocates |
//! |---|---|---|---|
//! | [`Map::open`] | 1 | none | nothing |
//! | [`unigine::Mesh::open`] | bones + surfaces | the header | 8 bytes per bone, 16 per animation, 88 per surface, 168 of ms14 and ms15 |
//! | [`surface(k)`](unigine::Mesh::surface), first time | surfaces before *k* that are not yet located | one per large array, and all of the weights | nothing |
//! | the same for ms14 and ms15 | size of its block | the table once, and the block | the inflated block |
//! | [`unigine::Animation::open`] | bones | the header | 8 bytes per bone, 16 per animation |
//! | [`pose(n)`](unigine::AnimationView::pose) of an10, first time | keys | all keys | 2 % of the file |
//! | later | bones × frames between two checkpoints (64 or more) | those frames | nothing |
//! | the same for an11 to an13, first time | keys (flags only) | all keys | 2 % of the file |
//! | later | bones, and the flags of a few more keys | the frame | nothing |
//! | an array of a surface | the arrays before it | one per large array before it | nothing |
//! | [`get`](Array::get), [`iter`](Array::iter), [`chunks`](Array::chunks) | 1 per item | that of the item | nothing |
//! | [`unreal::Mesh::open`] | 1 | both headers | nothing |
//! | [`frame(n)`](unreal::Mesh::frame) of Unreal | 1 | none | nothing |
//! | a surface of Unreal, first time | polygons, and a sort if they are unordered | the polygons | 2 bytes per polygon, 12 per surface |
//! | [`secondlife::Mesh::open`] | entries of the header | the header | nothing |
//! | [`level`](secondlife::Mesh::level), first time | size of the block | the block | the inflated block, and 4 bytes per submesh |
//! | [`ezmesh::Mesh::open`] | text: bytes, at the speed of a search for `<`; binary: elements | text: all; binary: counts | 8 bytes per element and 16 per block of numbers; three times that during the call |
//! | an array of text, first time | size of its block | the block's | the unfolded block, at most twice its text |
//! | [`Weights::get`], first time | skinned vertices of the surface | all weights of the surface | 0.625 bytes per vertex |
//! | each first call above, with a [`sidecar`] | 1 | those of the answer, and three of the sidecar | 64 bytes for each surface or animation |
//! | [`ezmesh::VertexBuffer::vertex`] | 64 vertices of text; the block the first time | those | 16 bytes per 64 vertices |
//! | [`Skeleton::new`] | bones | the bones | 224 bytes per bone |
//! | [`Skeleton::model`], [`palette`](Skeleton::palette) | bones | none | nothing |
//! | [`SkinnedSurface::position`] | 1, and the cost of [`Weights::get`] | those of the vertex | nothing |
//! | [`SkinnedSurface::positions_into`] | influences | the positions and weights | nothing |
//! | [`query::Tree::new`] | triangles × log(triangles) | all indices and positions, twice | 4 to 9 bytes per triangle; twice that during the call |
//! | [`query::Scene::indexed`] | surfaces | those of [`surface(k)`](unigine::Mesh::surface), and two of the sidecar | 300 bytes per surface |
//! | [`query::Scene::ray`], [`nearest`](query::Scene::nearest) | usually log(triangles) | 3 or 4 of the tree, 2 or 3 per leaf | nothing; a list if there are many surfaces |
//! | [`Surface::weld`] | corners, and a sort of corners that share an attribute | both index streams | 12 bytes per corner during the call |
//!
//! # Promises
//!
//! 1. Opening reads only the header, or the elements of a text. A surface is located at its first
//!    use, and its place is remembered.
//! 2. No file causes a panic, an endless loop or unlimited recursion. Reading allocates at most 16
//!    times the file's size and 1 MiB beyond the requested results. Inflating a block allocates at
//!    most twice [`Limits::block`].
//! 3. Every byte of a well-formed file belongs to exactly one named [`Region`].
//! 4. Every error names the format, the field, the byte offset, and the expected and found values.
//! 5. A value that is read through a view equals the value of a copying loader, bit for bit.
//! 6. A binary file that is read and written again is the same, byte for byte.
//! 7. Views are `Copy + Send + Sync`. Owners have no lifetime and can be stored.
//!
//! # When to use something else
//!
//! - To read every vertex of a file once from a network disk, read the whole file: copying is
//!   faster.
//! - To edit meshes, convert them to your structure: views are read-only.
//! - To read files that other programs change, use [`read`], which copies. [`map`](fn@map) is
//!   `unsafe` because a mapped file must not change; [`io`] describes the consequences.

#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "overflow in a test is a failed test"))]

pub mod array;
mod bvh;
pub mod decode;
mod error;
pub mod formats;
pub mod guide;
pub mod io;
mod math;
pub mod model;
pub mod parse;
pub mod query;
pub mod scan;
pub mod sidecar;
mod simd;

pub use array::{Array, Bounds, Chunks, CornerArray, Packed, Strided};
pub use decode::Decode;
pub use error::{Error, ErrorKind, Field, PathSegment, Result};
pub use formats::{Format, Model, ezmesh, finding, secondlife, unigine, unreal};
pub use io::{Map, map, read};
pub use model::animation::{Animations, Clip, Event, FrameBlend, Pose, Skeleton, SkinnedSurface};
pub use model::{Corner, Corners, FormatVersion, Geometry, MeshFile, Surface, Weights};
pub use parse::{AccessLog, Element, Finding, Limits, Name, OpenOptions, PAGE, Region, Rule, Severity};

/// Tests the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
