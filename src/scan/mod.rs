//! Scans: one answer about a whole array, in one pass over the file's bytes that stores nothing.
//!
//! What comes out of a scan is small, so the file is only read, and reading is all that it takes time for. The answers are
//! methods of the arrays; each file here has one question.
//!
//! | file | question | asked of |
//! |---|---|---|
//! | [`decode::bounds`](mod@crate::decode::bounds), [`packed32`](crate::decode::packed32), [`packed64`](crate::decode::packed64) | the box | [`Packed::extent`](crate::Packed), [`Positions::bounds`](crate::surface::Positions::bounds) |
//! | [`sphere`] | a sphere around all | [`Positions::sphere`](crate::surface::Positions::sphere) |
//! | [`sums`] | the sum of each component, as stored | [`Packed`](crate::Packed) of floats and tangent frames |
//! | [`finite`](mod@finite) | how many are no finite numbers, and the first | [`Packed`](crate::Packed) of floats |
//! | [`beyond`] | the first index that is out of range | [`Indices::first_beyond`](crate::surface::Indices::first_beyond) |
//! | [`histogram`](mod@histogram) | how many lie in each part of an interval, and how many lists have each length | any values, [`Weights`](crate::Weights) |
//!
//! All but histograms are compiled for several generations of processors; in the tests beside it, each gives the answer of its twin,
//! which does one thing at a time.

pub mod beyond;
pub mod finite;
pub mod histogram;
pub mod sphere;
pub mod sums;

pub use finite::Wild;
pub use histogram::Histogram;

#[cfg(test)]
mod tests {
    /// Makes bytes that look random.
    pub(super) fn any_bytes(length: usize) -> Vec<u8> {
        let mut state = 9_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()[6]
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    /// Returns where arrays begin, and their lengths: every length up to 200, every place in a line of the cache, and some
    /// that are longer than any round.
    pub(super) fn places() -> impl Iterator<Item = (usize, usize)> {
        let lengths = (0..=200).map(|length| (length % 64, length));
        let starts = (0..64).map(|start| (start, 1_000 + start));
        lengths.chain(starts).chain([(0, 1_024), (1, 4_097), (3, 20_000), (5, 70_001)])
    }
}
