//! Scans: each scan computes one result about a whole array, in one pass over the bytes of the
//! array and without allocation.
//!
//! The result of a scan is small. So nearly the whole cost of a scan is reading the file. The scans
//! are methods of the array types. Each source file of this module contains one kind of scan.
//!
//! | source file | result of the scan | method of |
//! |---|---|---|
//! | [`decode::bounds`](mod@crate::decode::bounds), [`packed32`](crate::decode::packed32), [`packed64`](crate::decode::packed64) | the bounding box | [`Array::bounds`](crate::array::Array::bounds), [`Positions::bounds`](crate::model::Positions::bounds) |
//! | [`sphere`] | a bounding sphere | [`Positions::sphere`](crate::model::Positions::sphere) |
//! | [`sums`] | the sum of each stored component | [`Packed`](crate::array::Packed) of floats and tangent frames |
//! | [`finite`](mod@finite) | the number of items with a value that is not finite, and the index of the first one | [`Packed`](crate::array::Packed) of floats |
//! | `array::out_of_range` | the position and the value of the first index that is out of range | [`Indices::first_out_of_range`](crate::model::Indices::first_out_of_range) |
//! | [`histogram`](mod@histogram) | the number of values in each part of an interval, and the number of vertices with each number of bone influences | any values, [`Weights`](crate::model::Weights) |
//!
//! All scans except histograms are compiled for several generations of processors. The tests of
//! each scan compare its result with a reference implementation, which processes one item at a
//! time.

pub mod finite;
pub mod histogram;
pub mod sphere;
pub mod sums;

pub use finite::NonFinite;
pub use histogram::Histogram;
