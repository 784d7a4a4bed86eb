//! The map from positions to the screen.

/// The number of depths of a picture: 23 bits.
pub(crate) const DEPTHS: f32 = 8_388_608.0;
/// The number of units of a pixel in fixed-point coordinates.
pub(crate) const SUBPIXELS: f64 = 16.0;

/// The map from the stored positions of a surface to the screen.
///
/// Screen coordinates are in sixteenths of a pixel, from the top left corner of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Projection {
    /// A point near the surface, which is subtracted from each position first. Positions far from
    /// the origin then lose no bits.
    pub(crate) origin: [f32; 3],
    /// The rows of the matrix for x, y, depth and w. The first three are divided by w.
    pub(crate) rows: [[f32; 4]; 4],
    /// The least w of a point that is drawn: the distance of the near plane.
    pub(crate) near: f32,
    /// 1 if the back of a triangle has a positive area on the screen, where y points down, -1 if it
    /// has a negative area, and 0 if both sides are alike.
    pub(crate) back: f32,
}

impl Projection {
    /// Returns x, y, depth and w of a position, before the division by w.
    #[inline(always)]
    pub(crate) fn project(&self, [x, y, z]: [f32; 3]) -> [f32; 4] {
        let [ox, oy, oz] = self.origin;
        let (x, y, z) = (x - ox, y - oy, z - oz);
        self.rows.map(|[a, b, c, d]| (a * x + b * y) + (c * z + d))
    }
}
