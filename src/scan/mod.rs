//! Scans: one answer about a whole array, in one pass over the file's bytes that stores nothing.
//!
//! What comes out of a scan is small, so the file is only read, and reading is all that it takes time for. The answers are
//! methods of the arrays; each file here has one question.
//!
//! | file | question | asked of |
//! |---|---|---|
//! | [`decode::bounds`](mod@crate::decode::bounds), [`packed32`](crate::decode::packed32), [`packed64`](crate::decode::packed64) | the box | [`Array::bounds`](crate::array::Array::bounds), [`Positions::bounds`](crate::model::Positions::bounds) |
//! | [`sphere`] | a sphere around all | [`Positions::sphere`](crate::model::Positions::sphere) |
//! | [`sums`] | the sum of each component, as stored | [`Packed`](crate::array::Packed) of floats and tangent frames |
//! | [`finite`](mod@finite) | how many are no finite numbers, and the first | [`Packed`](crate::array::Packed) of floats |
//! | `array::out_of_range` | the first index that is out of range | [`Indices::first_out_of_range`](crate::model::Indices::first_out_of_range) |
//! | [`histogram`](mod@histogram) | how many lie in each part of an interval, and how many lists have each length | any values, [`Weights`](crate::model::Weights) |
//!
//! All but histograms are compiled for several generations of processors; in the tests beside it, each gives the answer of its twin,
//! which does one thing at a time.

pub mod finite;
pub mod histogram;
pub mod sphere;
pub mod sums;

pub use finite::NonFinite;
pub use histogram::Histogram;
