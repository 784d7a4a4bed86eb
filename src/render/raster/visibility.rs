//! The visibility buffer: the depth and the number of the nearest triangle of each sample. The
//! limit on the work of a band, whose triangles may cover it again and again.

use crate::error::Result;
use crate::io::populate;
use crate::math::{as_index, as_u64};
use crate::parse::room;
use crate::render::lanes::LANES;

/// The number of samples of a pixel.
pub(crate) const SAMPLES: usize = 4;
/// The number of pixels of a group, whose samples are tested together.
pub(crate) const GROUP: usize = LANES / SAMPLES;
/// The positions of the samples in a pixel, in sixteenths of a pixel: a rotated grid.
pub(crate) const SAMPLE_POSITIONS: [[i32; 2]; SAMPLES] = [[6, 2], [14, 6], [2, 10], [10, 14]];
/// A sample without a triangle.
pub(crate) const EMPTY: i64 = i64::MAX;
/// The number of times that the triangles of a band may cover it, and the lines and bones over them
/// again.
const LAYERS: u64 = 144;
/// The work for each pixel of a UV layout.
const LAYOUT_WORK: u64 = 20;
/// The least budget, for small pictures.
const LEAST: u64 = 1 << 21;
/// The work for a pixel whose samples are tested one by one, for surfaces that are not opaque.
const PIXEL_WORK: u64 = 1;
/// The work for a pixel of a texture that is cut out.
pub(crate) const CUT_WORK: u64 = 3;
/// The work for a pixel of a translucent surface.
pub(crate) const GLASS_WORK: u64 = 2;

/// The nearest triangle of each sample of a part of a picture: a band of whole rows.
///
/// A sample is one number: the depth in the upper 32 bits, and the number of the triangle in the
/// lower 32 bits. The smaller number is the nearer triangle.
pub(crate) struct VisibilityBuffer {
    /// The width in pixels.
    pub(crate) width: u32,
    /// The rows of the picture that the buffer contains.
    pub(crate) rows: std::ops::Range<u32>,
    /// The number of groups of pixels in a row.
    pub(crate) groups: u32,
    pub(crate) samples: Vec<[i64; LANES]>,
    /// The work that is left for triangles.
    pub(crate) budget: RasterBudget,
}

impl VisibilityBuffer {
    /// Makes a buffer without triangles for rows of a picture.
    pub(crate) fn new(width: u32, rows: std::ops::Range<u32>) -> Result<Self> {
        let groups = width.div_ceil(4);
        let count = as_index(groups).saturating_mul(rows.len());
        let mut samples = room("picture", "samples", count)?;
        // The pages of the buffer are requested at once.
        populate(samples.spare_capacity_mut());
        samples.resize(count, [EMPTY; LANES]);
        Ok(Self { width, rows, groups, samples, budget: RasterBudget::of_groups(as_u64(count)) })
    }

    /// Starts to draw strokes, and returns the budget of the surfaces.
    pub(crate) fn start_strokes(&mut self) -> RasterBudget {
        let strokes = RasterBudget::of_groups(as_u64(self.samples.len()));
        std::mem::replace(&mut self.budget, strokes)
    }

    /// Makes the buffer empty for other rows of the picture. The number of rows does not grow.
    pub(crate) fn restart(&mut self, rows: std::ops::Range<u32>) {
        let count = as_index(self.groups).saturating_mul(rows.len());
        self.rows = rows;
        self.samples.truncate(count);
        self.samples.fill([EMPTY; LANES]);
        self.budget = RasterBudget::of_groups(as_u64(self.samples.len()));
    }
}

/// Returns the number of the triangle of a sample, or `None` if there is no triangle.
#[inline]
pub(crate) fn triangle_of(sample: i64) -> Option<u32> {
    let [_, _, _, _, a, b, c, d] = sample.to_be_bytes();
    (sample != EMPTY).then(|| u32::from_be_bytes([a, b, c, d]))
}

/// Returns the depth of a sample. A sample without a triangle has the greatest depth.
#[inline]
pub(crate) fn depth_of(sample: i64) -> u32 {
    let [a, b, c, d, ..] = sample.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// The work that is left for a band. One unit is the test of a group of pixels.
///
/// The work does not depend on the processor, so neither do the triangles that are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RasterBudget {
    left: u64,
    /// The number of triangles that were left out.
    pub(crate) missing: u64,
}

impl RasterBudget {
    /// Makes the budget for the surfaces of a band with a number of groups, or for the strokes over
    /// them.
    pub(crate) fn of_groups(groups: u64) -> Self {
        Self { left: groups.saturating_mul(LAYERS).max(LEAST), missing: 0 }
    }

    /// Makes the budget for the UV layout in a band with a number of pixels. A unit is the work for
    /// a row or a column of a triangle.
    pub(crate) fn of_layout(pixels: u64) -> Self {
        Self { left: pixels.saturating_mul(LAYOUT_WORK).max(LEAST), missing: 0 }
    }

    /// Takes the work for a triangle. Returns `false` and counts the triangle if less is left.
    #[inline(always)]
    pub(crate) fn take(&mut self, work: u64) -> bool {
        let left = self.left.checked_sub(work);
        self.missing = self.missing.saturating_add(u64::from(left.is_none()));
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Counts a triangle that is left out.
    pub(crate) fn miss(&mut self) {
        self.missing = self.missing.saturating_add(1);
    }

    /// Counts the parts of a triangle that were left out as one triangle. `missing` is the number
    /// before.
    pub(crate) fn count_once(&mut self, missing: u64) {
        self.missing = self.missing.min(missing.saturating_add(1));
    }

    /// Takes the work for pixels that are tested one by one.
    pub(crate) fn take_pixels(&mut self, pixels: u64) -> bool {
        self.take(pixels.saturating_mul(PIXEL_WORK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_triangles_still_fit_after_a_large_one_did_not() {
        let mut budget = RasterBudget::of_groups(0);
        assert!(budget.take(LEAST - 5) && !budget.take(6) && budget.take(5) && !budget.take(1));
        assert_eq!(budget.missing, 2);
        let mut budget = RasterBudget::of_groups(1 << 20);
        assert!(budget.take(LAYERS << 20) && !budget.take_pixels(u64::MAX));
    }
}
