//! Scans: each scan computes one result about a whole array, without allocation, and in one pass
//! over the bytes of the array (the bounding sphere: two passes).
//!
//! Scans store only a small result, so nearly the whole cost of a scan is reading the bytes of the
//! array. The scans are methods of array types such as `Packed`. Each source file of the module
//! `scan` contains one scan, such as the scan for the bounding sphere.
//!
//! | source file | result of the scan | method of |
//! |---|---|---|
//! | [`decode::bounds`](mod@crate::decode::bounds), [`packed32`](crate::decode::packed32), [`packed64`](crate::decode::packed64) | the bounding box | [`Array::bounds`](crate::array::Array::bounds), [`Positions::bounds`](crate::model::Positions::bounds) |
//! | [`sphere`] | a bounding sphere | [`Positions::sphere`](crate::model::Positions::sphere) |
//! | [`sums`] | the sum of each stored component | [`Packed`](crate::array::Packed) of floats and tangent frames |
//! | [`finite`](mod@finite) | the number of items with a value that is not finite, and the index of the first one | [`Packed`](crate::array::Packed) of floats |
//! | `array::out_of_range` | the position and the value of the first index that is out of range | [`Indices::first_out_of_range`](crate::model::Indices::first_out_of_range) |
//!
//! All scans are compiled for several SIMD levels (portable, AVX2 and AVX-512).
//! The tests of each scan compare the result of the scan with the result of a reference
//! implementation, which processes one array item at a time.

pub mod finite;
pub mod sphere;
pub mod sums;

pub use finite::NonFinite;
