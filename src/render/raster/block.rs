//! Sixteen triangles on the screen.

use crate::render::lanes::{LANES, Lanes};

/// The number that rounds a float to an integer: its unit in the last place is 1.
pub(super) const ROUND: f32 = 12_582_912.0;
/// The greatest distance of a corner from the origin of the picture, in sixteenths of a pixel.
/// Triangles with corners beyond it are clipped.
pub(crate) const GUARD: f32 = 1_048_576.0;
/// The depth by which the back of a triangle is moved away. Many meshes have two triangles with the
/// same corners, one for each side. The front is then visible everywhere.
pub(super) const BACK_BIAS: f32 = 16.0;
/// The side of the square that contains a small triangle, in sixteenths of a pixel: two pixels.
pub(super) const SQUARE: i32 = 32;

/// Sixteen triangles on the screen. A bit of the lower 16 bits of a mask is for each triangle.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct ScreenBlock {
    /// The x coordinates of the three corners, in sixteenths of a pixel.
    pub(crate) x: [Lanes<i32>; 3],
    /// The y coordinates.
    pub(crate) y: [Lanes<i32>; 3],
    /// The depths, from 0 to [`DEPTHS`](crate::render::raster::projection::DEPTHS).
    pub(crate) z: [Lanes<f32>; 3],
    pub(crate) squares: Squares,
    /// The small triangles that cover samples.
    pub(crate) small: u32,
    /// The other triangles that are drawn.
    pub(crate) large: u32,
    /// The triangles that must be clipped.
    pub(crate) clipped: u32,
    /// The triangles with a coordinate that is not finite.
    pub(crate) not_finite: u32,
}

/// The squares of two by two pixels that contain the small triangles.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Squares {
    /// The index of the left top pixel in the visibility buffer, and the samples that the triangle
    /// covers: a bit for each sample, four bits for each pixel.
    pub(crate) samples: [Lanes<i32>; 2],
    /// The depths at the first corner's x, for each row of pixels.
    pub(crate) rows: [Lanes<f32>; 2],
    /// The differences in depth from the first corner's x, for each column of pixels.
    pub(crate) columns: [Lanes<f32>; 2],
    /// The steps of the depth along x and y.
    pub(crate) slope: [Lanes<f32>; 2],
    /// The least and the greatest depth.
    pub(crate) range: [Lanes<f32>; 2],
}

impl ScreenBlock {
    pub(crate) const EMPTY: Self = Self {
        x: [[0; LANES]; 3],
        y: [[0; LANES]; 3],
        z: [[0.0; LANES]; 3],
        squares: Squares {
            samples: [[0; LANES]; 2],
            rows: [[0.0; LANES]; 2],
            columns: [[0.0; LANES]; 2],
            slope: [[0.0; LANES]; 2],
            range: [[0.0; LANES]; 2],
        },
        small: 0,
        large: 0,
        clipped: 0,
        not_finite: 0,
    };
}

/// The area of the picture that is drawn, in sixteenths of a pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub(crate) min: [i32; 2],
    pub(crate) max: [i32; 2],
    /// The number of pixels in a row of the visibility buffer, a multiple of four.
    pub(crate) row_pixels: i32,
}

/// A triangle on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenTriangle {
    /// The corners, in sixteenths of a pixel.
    pub(crate) x: [i32; 3],
    pub(crate) y: [i32; 3],
    /// The depths of the corners.
    pub(crate) z: [f32; 3],
    /// The number of the triangle.
    pub(crate) number: u32,
}

impl ScreenBlock {
    /// Returns the triangle in a lane.
    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize, number: u32) -> ScreenTriangle {
        ScreenTriangle { x: lane_of(&self.x, lane), y: lane_of(&self.y, lane), z: lane_of(&self.z, lane), number }
    }
}

/// Returns the numbers of the bits of a mask that are set.
#[inline(always)]
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

#[inline(always)]
pub(super) fn lane_of<T: Copy + Default, const COUNT: usize>(parts: &[Lanes<T>; COUNT], lane: usize) -> [T; COUNT] {
    let mut out = [T::default(); COUNT];
    for (out, part) in out.iter_mut().zip(parts) {
        *out = part.get(lane).copied().unwrap_or_default();
    }
    out
}
