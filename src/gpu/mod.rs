//! Vertices and indices in the layout that a GPU reads.

mod block;
mod indices;
mod input;
mod interleave;
mod layout;
mod octahedral;
mod output;
mod rows;
mod skin;
mod source;
mod vertex_format;

pub use indices::{IndexFormat, IndexSource};
pub use layout::{Semantic, VertexAttribute, VertexLayout};
pub use source::VertexSource;
pub use vertex_format::VertexFormat;
