//! The visibility buffer: the depth and the number of the nearest triangle of each sample.

use super::budget::RasterBudget;
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
