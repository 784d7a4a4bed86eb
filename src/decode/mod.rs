//! Decoders: each file has one encoding, its inverse, its formula and its worst error.
//!
//! | file | encoding | value |
//! |---|---|---|
//! | [`compact`] | sign-and-magnitude integer of 1 to 5 bytes | `i32` |
//! | [`float`] | little-endian `f32`, at any address | `[f32; N]` |
//! | [`extent`] | little-endian `f32` triples | the box around them |
//! | [`frame`] | a quaternion of 16-bit integers, in eight or seven bytes | normal, tangent, bitangent; the quaternion |
//! | [`mod@half`] | little-endian `f16` | `[f32; N]` |
//! | [`index`] | 8-, 16- or 32-bit unsigned integer | `u32` |
//! | [`unorm`] | 8- or 16-bit unsigned integer | 0 to 1 |
//! | [`unit`](mod@unit) | 16-bit unsigned integer | −1 to 1 |
//! | [`packed32`] | 11, 11 and 10 bits of a 32-bit word | `[f32; 3]` |
//! | [`packed64`] | three 16-bit integers and a pad | `[f32; 3]` |
//! | [`polygon`] | a triangle with its texture coordinates, in 16 bytes | indices, UVs |
//! | [`domain16`] | 16-bit unsigned integers over an interval | `[f32; N]` |
//! | [`boxed16`] | 16-bit unsigned integers in a box | `[f32; 3]` |
//! | [`tangent16`] | four 16-bit unsigned integers | a direction and a handedness |
//! | [`ordered`] | `f32` and integers in the byte order that the file says | `[f32; N]`, `u32` |
//! | [`influence`] | bone number and 16-bit weight, in four bytes | [`Influence`] |
//! | [`joint`] | the same in three bytes | [`Influence`] |
//!
//! Going through many values, [`Decode::decode_all`] takes the fastest instructions that the processor has, and gives
//! what [`Decode::decode`] gives, to the bit. [`convert`] has the formats that
//! floats are converted to for a GPU.

pub mod boxed16;
pub(crate) mod codec;
pub mod compact;
pub mod convert;
pub(crate) mod divisor;
pub mod domain16;
#[cfg(test)]
mod equivalence_tests;
pub mod extent;
pub mod float;
pub mod frame;
pub mod half;
pub mod index;
pub mod influence;
pub mod joint;
pub mod ordered;
pub mod packed32;
pub mod packed64;
pub mod polygon;
mod quantize;
mod rounding;
pub mod tangent16;
pub mod unit;
pub mod unorm;

pub use boxed16::Boxed16;
pub use codec::Decode;
pub use convert::OutputFormat;
pub use domain16::Domain16;
pub use float::Floats;
pub use frame::{Basis, BasisOf, Frame, NormalOf, Quat7, Quat8, RotationOf};
pub use half::Half;
pub use index::Index;
pub use influence::{Influence, Weight16};
pub use joint::Joint16;
pub use ordered::{Argb8, Order, Ordered, Ordered16, OrderedIndex};
pub use packed32::Packed32;
pub use packed64::Packed64;
pub use polygon::{PolygonIndices, PolygonUvs};
pub use tangent16::Tangent16;
pub use unit::Unit16;
pub use unorm::Unorm8;
