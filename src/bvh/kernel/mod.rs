//! What is done to eight boxes or eight triangles at a time: a body for every processor, and one for AVX2.
//!
//! Kernels are conservative: boxes and triangles are widened by the rounding of the test, so that none is missed. What
//! passes goes to an exact test of the query, in `f64`.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod avx2;
pub(crate) mod conservative_ray;
pub(crate) mod dispatch;
pub(crate) mod margins;
pub(crate) mod portable;
