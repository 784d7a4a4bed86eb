//! Vertices and indices in the layout that a GPU reads.
//!
//! [`VertexSource`] and [`IndexSource`] convert the arrays of a surface. [`StoredAttribute`] and
//! [`StoredIndices`] describe the arrays that a GPU can read from the bytes of the file, and
//! [`wgsl`] contains the functions that decode them in a shader.

mod block;
mod buffer;
mod indices;
mod input;
mod interleave;
mod layout;
mod octahedral;
mod output;
mod skin;
mod source;
mod stored;
mod vertex_format;
pub mod wgsl;

pub use indices::{IndexFormat, IndexSource};
pub use layout::{Semantic, VertexAttribute, VertexLayout};
pub use source::VertexSource;
pub use stored::{StoredAttribute, StoredIndices};
pub use vertex_format::VertexFormat;
