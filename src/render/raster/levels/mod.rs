//! The inner loops of the rasteriser for each SIMD level.
//!
//! The loops are written once, in `set_up` and `fill`, with operations of lanes. `scalar`, `avx2`
//! and `avx512` define these operations for one, eight and sixteen lanes. All operations are exact
//! or rounded as IEEE 754 states, so each level has the same result.

#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "the indices are constants below the length, and coordinates have at most 22 bits"
)]

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) mod avx2;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) mod avx512;
mod fill;
pub(super) mod scalar;
mod set_up;
