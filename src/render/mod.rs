//! Pictures of meshes, drawn by the processor.
//!
//! [`draw`] draws a mesh of any format. It needs no graphics card and no display, and the picture
//! is the same bit for bit on every machine.
//!
//! A picture is drawn in three passes over the surfaces. The first measures the mesh and places the
//! camera. The second finds the nearest triangle of each of four samples of a pixel, without
//! computing any colour. The third computes the colour of each visible triangle in each pixel once.

#![allow(clippy::inline_always, reason = "inner loops must be compiled with the target features of their callers")]
#![allow(clippy::many_single_char_names, reason = "coordinates, and the coefficients of planes")]

mod camera;
mod corners;
mod draw;
mod enclosed;
mod framing;
#[cfg(feature = "images")]
pub(crate) mod images;
mod lanes;
mod measure;
mod options;
mod overlay;
mod picture;
mod raster;
mod shade;
mod srgb;
mod surfaces;
#[cfg(test)]
mod tests;
mod texture;
mod uv;

pub use crate::scene::{NormalChoice, SceneInput};
pub use camera::Camera;
#[cfg(feature = "cli")]
pub(crate) use camera::CameraPlace;
pub use draw::{MeshPicture, draw, draw_textured};
pub use framing::{CameraMotion, Framing};
pub use options::{Background, Overlay, PictureOptions, Shading};
pub use picture::Picture;
#[cfg(feature = "cli")]
pub(crate) use surfaces::LeftOutTriangles;
pub use texture::{Texture, TextureSource};
