//! Vertices in the layout that a GPU reads.

mod layout;
mod vertex_format;

pub use layout::{Semantic, VertexAttribute, VertexLayout};
pub use vertex_format::VertexFormat;
