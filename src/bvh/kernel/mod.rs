//! Kernels: tests of eight bounding boxes or eight triangles at a time, in a portable version and a
//! version for AVX2.
//!
//! The kernels are conservative: they enlarge bounding boxes and triangles by the maximum rounding
//! error of the test in `f32`, which ensures that no hit is missed. If a kernel accepts a triangle,
//! the query then tests this triangle exactly, in `f64`.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod avx2;
pub(crate) mod conservative_ray;
pub(crate) mod dispatch;
pub(crate) mod portable;
pub(crate) mod watertight_ray;
