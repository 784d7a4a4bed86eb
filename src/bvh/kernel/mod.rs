//! Kernels: tests of several bounding boxes or triangles at a time, in a portable version and a
//! version for AVX2.
//!
//! Rays are tested against triangles exactly, in `f64`. The other tests are in `f32` and
//! conservative: they enlarge bounding boxes and triangles by the maximum rounding error, which
//! ensures that no result is missed. The nearest-point query then tests the triangles that a kernel
//! accepts exactly.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod avx2;
pub(crate) mod conservative_ray;
pub(crate) mod dispatch;
pub(crate) mod portable;
pub(crate) mod watertight_ray;
