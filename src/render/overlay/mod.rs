//! What is drawn over the surfaces: lines and dots of a width in pixels.
//!
//! - `stroke` is a line, a bone or a joint in the converted space.
//! - `draw` draws strokes to the visibility buffer, as triangles that are numbered after those of
//!   the surfaces.
//! - `collect` finds what the options choose; `normals` and `hulls` make the strokes of their
//!   kinds, and `convex` the edges of a convex hull.

mod collect;
mod convex;
mod draw;
mod hulls;
mod normals;
pub(crate) mod stroke;

pub(crate) use super::measure::WorldBox;
pub(crate) use collect::Overlays;
