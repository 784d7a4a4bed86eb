//! Builds EZ-Mesh files in both forms, element by element: for exports, and for text files that are
//! written again.

mod elements;
mod output;
mod vertex_columns;

pub(crate) use elements::VERSIONS;
pub(crate) use output::{Output, check_text, failed, refused};
pub(crate) use vertex_columns::{VertexColumns, VertexTypes};
