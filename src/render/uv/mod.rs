//! The UV layout of a mesh: its triangles in the unit square of a texture.
//!
//! - `layout` reads the texture coordinates of the triangles, and counts the triangles that cover
//!   each sample.
//! - `paint` draws the edges of the triangles and the frame of the unit square, and makes the
//!   picture.

mod layout;
mod paint;

pub(crate) use layout::draw_uv_layout;
