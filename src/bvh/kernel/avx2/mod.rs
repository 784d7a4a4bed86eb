//! The kernels for processors with AVX2.

mod boxes;
mod points;
mod positions;
mod rays;

pub(crate) use boxes::{entries, point_boxes, ray_boxes};
pub(crate) use points::point_triangles;
pub(crate) use positions::block;
pub(crate) use rays::ray_triangles;

use std::arch::x86_64::{__m256, _mm256_movemask_ps};

/// Converts the result of a vector comparison to a bit mask with one bit for each lane.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn bits(mask: __m256) -> u32 {
    _mm256_movemask_ps(mask).unsigned_abs()
}
