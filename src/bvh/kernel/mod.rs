//! Kernels: tests of eight bounding boxes or eight triangles at a time, in a portable version and a
//! version for AVX2.
//!
//! The kernels are conservative: they enlarge boxes and triangles by the maximum rounding error of
//! the test, which ensures that no hit is missed. The query then tests the triangles that a kernel
//! selected exactly, in `f64`.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod avx2;
pub(crate) mod conservative_ray;
pub(crate) mod dispatch;
pub(crate) mod margins;
pub(crate) mod portable;
