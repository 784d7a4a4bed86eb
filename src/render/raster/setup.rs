//! Transforms sixteen triangles to the screen, and finds the samples of the small ones.

use super::block::{Area, ScreenBlock};
use super::levels::scalar;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::levels::{avx2, avx512};
use super::projection::Projection;
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
