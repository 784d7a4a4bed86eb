//! A zero-copy, memory-mapped, lazy reader for game mesh files.
//!
//! **A mesh file is already the data structure.** Map it, find where its arrays start, and lend them out. Nothing is
//! decoded until somebody looks at it, and then only what they look at.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! // SAFETY: nobody writes to the sample while this runs. `meshpeek::read` is the safe way, and copies.
//! let map = unsafe { meshpeek::map("data/unigine/cube_ms13.mesh")? };
//! let mesh = meshpeek::unigine::Mesh::open(map)?;
//! let surface = mesh.surface(0)?;
//! for position in surface.positions()?.iter() {
//!     let [x, y, z] = position;
//!     # let _ = (x, y, z);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What each call costs
//!
//! | call | order | pages of the file touched | allocates |
//! |---|---|---|---|
//! | [`Map::open`] | 1 | none | nothing |
//! | [`unigine::Mesh::open`] | bones + surfaces | the header's | 8 bytes per bone, 32 per animation, 88 per surface, 168 of ms14 and ms15 |
//! | [`surface(k)`](unigine::Mesh::surface), first time | surfaces before *k* not yet located | one per large array of each; their weights | nothing |
//! | the same of ms14 and ms15 | bytes of its block | the table, once; its block | its inflated bytes |
//! | [`unigine::Animation::open`] | bones | the header's | 8 bytes per bone, 32 per animation |
//! | [`pose(n)`](unigine::AnimationView::pose) of an an10, first time | keys | those of all keys | 2 % of the file |
//! | the same again | bones × the frames between two checkpoints, 64 or more | those frames' | nothing |
//! | the same of an11 to an13, first time | keys, their flags only | those of all keys | 2 % of the file |
//! | the same again | bones, and the flags of a few more keys | the frame's | nothing |
//! | an array of a surface | the arrays before it | one per large array before it | nothing |
//! | [`get`](Array::get), [`iter`](Array::iter), [`chunks`](Array::chunks) | 1 per item | the item's | nothing |
//! | [`unreal::Mesh::open`] | 1 | both headers' | nothing |
//! | [`frame(n)`](unreal::Mesh::frame) of it | 1 | none | nothing |
//! | a surface of it, first time | polygons, and a sort where they are out of order | the polygons' | 2 bytes per polygon, 12 per surface |
//! | [`secondlife::Mesh::open`] | entries of the header | the header's | nothing |
//! | [`level`](secondlife::Mesh::level) of it, first time | bytes of the block | the block's | the inflated block, and 4 bytes per submesh |
//! | [`ezmesh::Mesh::open`] | bytes of text, at the pace of a search for `<`; of binary, elements | all of text; of binary, counts | 8 bytes per element, 16 per block of numbers; three times as much while it runs |
//! | an array of text, first time | bytes of its block | the block's | the unfolded block, at most twice its text |
//! | [`Weights::get`], first time | skinned vertices of the surface | all weights of the surface | 0.625 bytes per vertex |
//! | each first time above, of a file with a [`sidecar`] | 1 | those of the answer, and three of the sidecar | 64 bytes for each surface or animation |
//! | [`ezmesh::VertexBuffer::vertex`] | 64 vertices of text; the first time, the block's | those | 16 bytes per 64 vertices |
//! | [`Skeleton::new`] | bones | the bones' | 224 bytes per bone |
//! | [`Skeleton::model`], [`palette`](Skeleton::palette) | bones | none | nothing |
//! | [`SkinnedSurface::position`] | 1, and what [`Weights::get`] costs | the vertex's | nothing |
//! | [`SkinnedSurface::positions_into`] | influences | the positions' and weights' | nothing |
//! | [`query::Tree::new`] | triangles × their logarithm | all indices and positions, twice | 4 to 9 bytes per triangle; as much again while it runs |
//! | [`query::Scene::indexed`] | surfaces | those of [`surface(k)`](unigine::Mesh::surface), and two of the sidecar | 300 bytes per surface |
//! | [`query::Scene::ray`], [`nearest`](query::Scene::nearest) | the logarithm of the triangles, as a rule | 3 or 4 of the tree, 2 or 3 for each leaf that is met | nothing; of many surfaces, a list |
//! | [`Surface::weld`] | corners, and a sort of those that share an attribute | both index streams | 12 bytes per corner while it runs |
//!
//! # Promises
//!
//! 1. Opening reads the header only, of text its elements; surfaces are located when first asked for, and remembered.
//! 2. No file makes it panic, hang or recurse without a limit, or allocate more than 16 times the file's size and 1 MiB
//!    beyond what is asked for; inflating a block, twice [`Limits::block`].
//! 3. Every byte of a well-formed file belongs to exactly one named [`Region`].
//! 4. Every error says format, field, byte offset, what was expected and what was found.
//! 5. A value read through a view equals what a copying loader would have produced, bit for bit.
//! 6. What is read and written again is the same, byte for byte.
//! 7. Views are `Copy + Send + Sync`; owners have no lifetime and can be stored.
//!
//! # When not to use it
//!
//! To look once at every vertex of a file on a network disk, read it whole: copying wins there. To edit meshes, convert
//! them to a structure of your own: views are read-only. And a mapped file asks for a promise that nobody changes it,
//! which is why [`map`](fn@map) is `unsafe` ([`io`] says what happens when it is broken, and [`read`] is safe).
//!
//! # Where things are
//!
//! Formats ([`unigine`], [`unreal`], [`secondlife`], [`ezmesh`]) know their own words and layouts, and lower to the neutral [`Surface`] through
//! [`Geometry`] and [`Animations`]; [`Model`] opens whatever a file turns out to be. Below them lie [`Packed`] arrays and [`runs`](array::runs) of
//! varying items, the [`sidecar`] that keeps what finding them took, the [`query`] trees that find a triangle, the decoders of [`decode`], the [`scan`]s that look at a whole
//! array and store nothing, and the [`Cursor`](parse::Cursor) that names what it reads.

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

/// Runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
