//! Reads game mesh files without loading them: memory-mapped, lazy and without copies.
//!
//! A mesh file already contains the arrays that a program needs. This crate maps the file into
//! memory, computes the offsets of its arrays, and borrows the arrays. A vertex or index value is
//! decoded only when the program reads it.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! use meshpeek::query::Ray;
//!
//! // SAFETY: nothing changes the sample while it is mapped. `meshpeek::open` copies and is safe.
//! let model = unsafe { meshpeek::open_mapped("data/unigine/cube_ms13.mesh")? };
//! let surface = model.surface(0)?;
//! let positions = surface.positions()?; // finds the array, and decodes nothing
//! println!("{:?}", positions.get(7)); // decodes this vertex, and no other
//!
//! let scene = model.scene()?; // builds a tree over the triangles
//! let hit = scene.ray(&Ray::toward([0.1, 0.2, 9.0], [0.1, 0.2, 0.0]));
//! assert_eq!(hit.map(|hit| (hit.surface, hit.triangle)), Some((0, 9)));
//! # Ok(())
//! # }
//! ```
//!
//! The caller of [`open_mapped`] promises that no process changes or shortens the file or its
//! sidecar while the model exists. If one does nevertheless, methods return wrong values or errors
//! and never read out of bounds; with the [guard](io::guard) installed, a page that a shortened
//! file lost reads as zeros instead of ending the process.
//!
//! | word | page |
//! |---|---|
//! | open a file of any format | [`open_mapped`], [`open`], [`OpenOptions`] |
//! | the model: a file, which owns its bytes | [`Model`] |
//! | a surface: triangles with one material | [`Surface`] |
//! | an array of a surface, which borrows from the file | [`Array`] |
//! | the skeleton: bones | [`Skeleton`] |
//! | a clip: an animation | [`Clip`] |
//! | a scene, for ray casts and other queries | [`query::Scene`] |
//! | the layout of the vertices on a GPU | [`gpu::VertexLayout`] |
//! | the streamer, for meshes larger than memory | [`streaming::Streamer`] |
//! | an error, with field and byte offset | [`Error`] |
//!
//! No trait but [`Array`] has to be imported. The [guide] explains the library, the program,
//! the file formats and the design; the section [costs](guide::design#costs) says what each call reads and
//! allocates.
//!
//! # Modules
//!
//! The modules [`query`], [`streaming`], [`export`] and [`render`] are features of these names. The
//! feature `cli` enables all four.
//!
//! - The root of the crate has what the table above names, and the named byte ranges of a file
//!   ([`Region`]) and the violations that validation reports ([`Finding`]).
//! - [`model`] describes what a file contains, in the same way for all formats: [`Geometry`] and
//!   [`Surface`] for triangles, [`Weights`], [`Animations`] with poses and skinning, levels of
//!   detail, instances, materials and collision shapes.
//! - [`query`] casts rays, finds the point on a mesh that is nearest to a given point, and finds
//!   the triangles in a bounding box or view frustum.
//! - [`gpu`] writes vertices and indices in the layout that a graphics card reads.
//! - [`streaming`] keeps the parts of a mesh that a camera needs in memory.
//! - [`export`] writes a mesh of any format as glTF, OBJ, PLY, STL, EZ-Mesh or JSON.
//! - [`render`] draws pictures of a mesh of any format, without a graphics card.
//! - [`io`] maps and reads files.
//! - [`sidecar`] is about separate files with byte offsets and query trees that are slow to
//!   compute. [`OpenOptions::open_indexed`] uses and writes them.
//!
//! The readers of the single formats are private, so a program that reads one format also reads the
//! others. [`Model::properties`] and [`Surface::extra_array`] return values and arrays that only
//! one format has.
//!
//! # Promises
//!
//! 1. Opening a mesh reads only the header of a binary file, or the XML elements of a text file.
//!    Linux loads a mapped file of at most 1 MiB from the disk as a whole. The byte offset of a
//!    surface is computed at the first access to the surface and then cached.
//! 2. No file causes a panic, an endless loop or unlimited recursion. Reading a file allocates at
//!    most 16 times the size of the file plus 1 MiB, in addition to the memory of the requested
//!    results. Inflating one compressed block allocates at most twice the number of bytes of the
//!    limit [`block`](Limits::with_block).
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
//!   [`Map::open`] is `unsafe` because a mapped file must not change; [`io`] describes the
//!   consequences.

// Clippy does not ask for other signatures of exported functions, which these are with `internals`.
#![cfg_attr(
    not(feature = "internals"),
    allow(clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps, reason = "signatures of exported functions")
)]
// Each of these features uses code of lower modules that the others do not need.
#![cfg_attr(
    not(all(feature = "export", feature = "query", feature = "render", feature = "streaming")),
    allow(dead_code, unused_imports, reason = "a disabled feature uses it")
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

// The files of `tests/support` name the crate.
#[cfg(test)]
#[cfg(feature = "internals")]
extern crate self as meshpeek;

#[cfg(feature = "internals")]
pub mod array;
#[cfg(not(feature = "internals"))]
mod array;
#[cfg(feature = "query")]
mod bvh;
#[cfg(any(feature = "cli", feature = "internals"))]
mod copying_loader;
#[cfg(feature = "internals")]
pub mod decode;
#[cfg(not(feature = "internals"))]
mod decode;
mod error;
#[cfg(feature = "export")]
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
#[cfg(feature = "internals")]
pub mod parse;
#[cfg(not(feature = "internals"))]
mod parse;
#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "query")]
pub mod query;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "internals")]
pub mod scan;
#[cfg(not(feature = "internals"))]
mod scan;
#[cfg(any(feature = "export", feature = "render"))]
mod scene;
pub mod sidecar;
mod simd;
#[cfg(feature = "streaming")]
pub mod streaming;
#[cfg(test)]
#[cfg(feature = "internals")]
#[allow(dead_code, unused_imports, reason = "the tests in `tests` use all of it")]
#[path = "../tests/support/unigine/builder/mod.rs"]
mod test_builder;
mod text;
mod validate;

// Types of these crates are in signatures: finished values are `bytemuck::Pod`, records of a file
// implement the traits of `zerocopy`, and `half::f16` is a vertex format.
pub use {bytemuck, half, zerocopy};

pub use array::{Array, ArrayIter, Bounds, Chunks, Sphere};
#[cfg(feature = "internals")]
pub use array::{CornerArray, Packed, Strided};
#[cfg(feature = "internals")]
pub use decode::Decode;
pub use error::{Error, ErrorKind, Field, Result};
#[cfg(feature = "query")]
pub use formats::SidecarState;
pub use formats::{Format, Model, finding, open, open_mapped};
#[cfg(feature = "internals")]
pub use formats::{MeshSources, ezmesh, secondlife, unigine, unreal};
pub use io::{Map, read};
pub use model::animation::{Animations, Clip, Event, FrameBlend, Pose, Skeleton, SkinnedSurface};
pub use model::{Corner, Corners, Geometry, LentSurface, Surface, Weights};
#[cfg(feature = "internals")]
pub use model::{FormatVersion, MeshFile};
#[cfg(feature = "internals")]
pub use parse::{AccessLog, PAGE};
pub use parse::{ElementType, Finding, Limits, Name, OpenOptions, Region, RewriteEffect, Rule, Severity, Value};
#[cfg(all(feature = "cli", feature = "internals"))]
pub use program::register_format;
#[cfg(feature = "cli")]
pub use program::run;
pub use sidecar::SidecarCache;

/// Compiles and runs the code examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
