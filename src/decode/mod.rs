//! Decoders of the encodings that mesh files use. Each source file of this module documents one
//! encoding: its formula, its worst rounding error and its encoder.
//!
//! | file | encoding | value |
//! |---|---|---|
//! | [`compact`] | sign-and-magnitude integer of 1 to 5 bytes | `i32` |
//! | [`float`] | little-endian `f32`, at any address | `[f32; N]` |
//! | [`bounds`](mod@bounds) | little-endian `f32` triples | their bounding box |
//! | [`tangent_frame`] | a quaternion of 16-bit integers, in eight or seven bytes | normal, tangent, bitangent |
//! | [`index`] | 8-, 16- or 32-bit unsigned integer | `u32` |
//! | [`unorm`] | 8- or 16-bit unsigned integer | 0 to 1 |
//! | [`unit`](mod@unit) | 16-bit unsigned integer | -1 to 1 |
//! | [`packed32`] | 11, 11 and 10 bits of a 32-bit word | `[f32; 3]` |
//! | [`packed64`] | three 16-bit integers and padding | `[f32; 3]` |
//! | [`polygon`] | a triangle with its texture coordinates, in 16 bytes | indices, UVs |
//! | [`min_max16`] | 16-bit unsigned integers over an interval | `[f32; N]` |
//! | [`offset_scale16`] | 16-bit unsigned integers in a box | `[f32; 3]` |
//! | [`tangent16`] | four 16-bit unsigned integers | a direction and a handedness |
//! | [`endian`] | `f32` and integers in the byte order of the file | `[f32; N]`, `u32` |
//! | [`influence4`] | bone number and 16-bit weight, in four bytes | [`Influence`] |
//! | [`influence3`] | bone number and 16-bit weight, in three bytes | [`Influence`] |
//!
//! [`Decode::decode_all`] decodes an array of values with the fastest SIMD instructions that the
//! processor supports. The results of `decode_all` are bit for bit equal to the results of
//! [`Decode::decode`]. The module [`convert`] contains the output formats, such as half floats,
//! that decoded floats can be converted to for a GPU.

#![allow(clippy::inline_always, reason = "loops must be compiled for the instructions of the kernel that calls them")]

pub mod bounds;
pub(crate) mod codec;
pub mod compact;
pub mod convert;
pub(crate) mod divisor;
mod elements;
pub mod endian;
#[cfg(test)]
mod equivalence_tests;
pub mod float;
pub mod index;
pub mod influence3;
pub mod influence4;
pub mod min_max16;
pub(crate) mod narrow;
pub mod offset_scale16;
pub mod packed32;
pub mod packed64;
pub mod polygon;
mod quantize;
pub(crate) mod snorm8x4;
pub(crate) mod stream;
pub mod tangent16;
pub mod tangent_frame;
pub mod unit;
pub mod unorm;

pub use codec::Decode;
pub use convert::OutputFormat;
pub use endian::{Argb8, ByteOrder, EndianFloats, EndianIndex, EndianU16s};
pub use float::Floats;
pub use index::Index;
pub use influence3::{Influence, Influence3};
pub use influence4::Influence4;
pub use min_max16::MinMax16;
pub use offset_scale16::OffsetScale16;
pub use packed32::Packed32;
pub use packed64::Packed64;
pub use polygon::{PolygonIndices, PolygonUvs};
pub use tangent_frame::{NormalOf, Quat7, Quat8, TangentFrame};
pub use tangent16::Tangent16;
pub use unit::Unit16;
pub use unorm::Unorm8;
