//! Tests the samples of triangles, and keeps the nearest triangle of each sample.

use super::block::{Area, ScreenBlock, ScreenTriangle};
use super::levels::scalar;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::levels::{avx2, avx512};
use super::visibility::VisibilityBuffer;
use crate::simd::kernel;

kernel! {
    /// Draws the triangles of blocks. `first` is the number of the first triangle. The others are
    /// numbered from it.
    pub(crate) fn fill(buffer: &mut VisibilityBuffer, area: &Area, blocks: &[ScreenBlock], first: u32) {
        avx512 => avx512::fill_blocks(buffer, area, blocks, first),
        avx2 => avx2::fill_blocks(buffer, area, blocks, first),
        _ => scalar::fill_blocks(buffer, area, blocks, first),
    }
}

kernel! {
    /// Draws one triangle.
    pub(crate) fn fill_one(buffer: &mut VisibilityBuffer, area: &Area, triangle: &ScreenTriangle) {
        avx512 => avx512::fill_triangle(buffer, area, triangle),
        avx2 => avx2::fill_triangle(buffer, area, triangle),
        _ => scalar::fill_triangle(buffer, area, triangle),
    }
}
