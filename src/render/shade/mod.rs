//! Shading: the colour of each visible part of a triangle.
//!
//! - `fragments` lists the fragments of each surface. A fragment is the part of a pixel that one
//!   triangle covers: one to four samples.
//! - `light` computes the light on fragments.
//! - `edges` draws the edges of triangles over fragments.
//! - `surface` shades the fragments of one surface.
//! - `canvas` adds up the colours of the fragments of each pixel.

pub(crate) mod canvas;
pub(crate) mod cut;
pub(crate) mod edges;
pub(crate) mod fragments;
pub(crate) mod light;
pub(crate) mod paint;
pub(crate) mod surface;
