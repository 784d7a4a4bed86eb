//! Vertices and indices in the layout that a GPU reads.
//!
//! A [`VertexLayout`] lists the attributes of a vertex: their [`Semantic`], their [`VertexFormat`]
//! and their offset. [`Surface::drawable`](crate::Surface::drawable) makes a surface with one index
//! stream, which is welded if the file stores two. Its [`VertexSource`] decodes the vertices and
//! writes them in this layout, and its [`IndexSource`] writes the indices. Both decode blocks of
//! the file in the first-level cache of the processor, write each byte of the output once, and
//! allocate nothing.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::gpu::{IndexFormat, Semantic, VertexFormat, VertexLayout};
//!
//! let layout = VertexLayout::packed(&[
//!     (Semantic::Position, VertexFormat::Float32x3),
//!     (Semantic::Normal, VertexFormat::Snorm8x4),
//!     (Semantic::Uv(0), VertexFormat::Float16x2),
//! ])?;
//! let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
//! let drawable = model.surface(0)?.drawable()?;
//! let (vertices, indices) = (drawable.vertices(&layout)?, drawable.indices(IndexFormat::Uint16)?);
//!
//! let mut buffer = vec![0; vertices.byte_len() + indices.byte_len()];
//! let (front, back) = buffer.split_at_mut(vertices.byte_len());
//! vertices.write_into(0..vertices.vertex_count(), front)?;
//! indices.write_into(0..indices.index_count(), back)?;
//! assert_eq!((front.len(), back.len()), (24 * 20, 36 * 2));
//! # Ok(())
//! # }
//! ```
//!
//! There are three ways out, with the same bytes. `write_into` fills a slice. `write_uninit` fills
//! memory that is not initialised, and returns it. `push` passes blocks of at most 8 KiB to a
//! closure. `write_uninit` and `push` never read the target, so both suit a mapped buffer of a GPU;
//! `push` also serves an interface that takes slices of bytes.
//!
//! Floats are rounded to the nearest half float or normalised integer, ties to even. A number of a
//! format that an attribute does not have is 1 for positions and 0 for normals. Bytes of a vertex
//! that belong to no attribute are 0. Of the bone weights of a vertex, the four greatest are
//! written, from the greatest to the least, and divided by their sum: unsigned integers sum to
//! exactly 255 or 65535. A vertex without weights has the joint 0 with the weight 1.
//!
//! Skinning on a GPU differs from [`SkinnedSurface`](crate::SkinnedSurface) in three points. The GPU
//! uses the four greatest influences of a vertex, and `SkinnedSurface` uses all. On the GPU, a
//! vertex without weights follows bone 0; `SkinnedSurface` keeps it in place under
//! [`SkinningRules::Strict`](crate::model::SkinningRules). Joints for a GPU are compared with the
//! number of bones only after [`VertexSource::with_bones`].
//!
//! [`StoredAttribute`] and [`Indices::stored_width`](crate::model::Indices::stored_width) describe
//! the arrays that a GPU can read from the bytes of the file, and [`wgsl`] contains the functions
//! that decode them in a shader.

mod drawable;
mod gathered;
mod greatest;
mod indices;
mod input;
mod interleave;
mod layout;
mod output;
mod skin;
mod skin_lanes;
mod source;
mod stored;
mod triple_words;
pub mod wgsl;
mod write_vertices;

pub use drawable::Drawable;
pub use indices::{IndexFormat, IndexSource};
pub use layout::{Semantic, VertexAttribute, VertexFormat, VertexLayout};
pub use source::VertexSource;
pub use stored::StoredAttribute;
