//! The UV layout of a mesh: its triangles in the unit square of a texture.
//!
//! - `layout` reads the texture coordinates of the triangles.
//! - `counts` counts the triangles that cover each sample.
//! - `lines` draws the edges of the triangles and the frame of the unit square.
//! - `paint` makes the picture of both.

mod counts;
mod layout;
mod lines;
mod paint;

pub(crate) use layout::draw_uv_layout;
