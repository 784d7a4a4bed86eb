//! The rasteriser: finds which triangle is nearest at each sample of a picture.
//!
//! - `projection` maps positions to screen coordinates and depth.
//! - `kernels` transforms the triangles of a batch, and rounds their corners to fixed-point numbers
//!   with 4 bits after the point (28.4). It tests the samples of each triangle, and keeps the
//!   nearest triangle of each sample in the `visibility` buffer, which also limits the work for
//!   triangles that cover the picture again and again.
//! - `clip` cuts triangles that are partly in front of the near plane or far outside the picture.
//! - `visit` visits the pixels of a triangle of a surface that is not opaque.
//! - `block` defines the triangles on the screen, `square` draws the small ones, and `walk` the
//!   groups of pixels around the others.
//!
//! `levels` contains the inner loops of `kernels` for each SIMD level.
//!
//! A sample belongs to a triangle by integer arithmetic with the top-left rule, so triangles that
//! share an edge neither overlap nor leave a gap. Depths are integers, and the triangle with the
//! lower number wins a tie, so the picture does not depend on the order of the triangles.

pub(crate) mod block;
pub(crate) mod clip;
pub(crate) mod kernels;
mod levels;
pub(crate) mod projection;
mod square;
pub(crate) mod visibility;
pub(crate) mod visit;
pub(crate) mod walk;

#[cfg(test)]
mod tests;
