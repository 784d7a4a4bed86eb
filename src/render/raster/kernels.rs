//! The kernels of the rasteriser: one transforms sixteen triangles to the screen and finds the
//! samples of the small ones, and the others keep the nearest triangle of each sample.

use super::block::{Area, ScreenBlock, ScreenTriangle};
use super::levels::scalar;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::levels::{avx2, avx512};
use super::projection::Projection;
use super::visibility::VisibilityBuffer;
use crate::render::lanes::LANES;
use crate::simd::kernel;

/// The number of triangles of a batch.
pub(crate) const BATCH: usize = 16 * LANES;

kernel! {
    /// Transforms the corners of triangles, three positions for each triangle, to the screen.
    pub(crate) fn set_up(projection: &Projection, area: &Area, corners: &[[f32; 3]], out: &mut [ScreenBlock]) {
        avx512 => avx512::set_up(projection, area, corners, out),
        avx2 => avx2::set_up(projection, area, corners, out),
        _ => scalar::set_up(projection, area, corners, out),
    }
}

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
