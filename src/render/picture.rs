//! A picture in memory.

use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::parse::filled;

/// The greatest width and height of a picture, in pixels.
pub(crate) const MAX_SIDE: u32 = 16_384;

/// A picture in memory: rows of pixels from top to bottom, and in each row from left to right.
///
/// A pixel is red, green, blue and alpha, 8 bits each. Red, green and blue are in sRGB, and are not
/// multiplied by alpha.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::render::Picture;
/// let picture = Picture::new([4, 2], [255, 0, 0, 255])?;
/// assert_eq!((picture.size(), picture.pixels().len()), ([4, 2], 8));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    size: [u32; 2],
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// The greatest width and height of a picture, in pixels.
    pub const MAX_SIDE: u32 = MAX_SIDE;

    /// Makes a picture of one colour. `size` is the width and the height in pixels.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the width or the height is above
    /// 16,384, and an error if there is no memory for the pixels.
    pub fn new(size: [u32; 2], color: [u8; 4]) -> Result<Self> {
        if let Some(side) = size.into_iter().find(|side| *side > MAX_SIDE) {
            let cause = Cause::Limit { name: "side", allowed: MAX_SIDE.into(), asked: side.into() };
            return Err(Error::without_offset("picture", Field::new("size"), cause));
        }
        let [width, height] = size.map(|side| as_u64(as_index(side)));
        let count = usize::try_from(width.saturating_mul(height)).unwrap_or(usize::MAX);
        Ok(Self { size, pixels: filled("picture", "pixels", count, color)? })
    }

    /// Returns the width and the height in pixels.
    #[must_use]
    pub const fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Returns all pixels, row by row from the top left corner.
    #[must_use]
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// Returns all pixels for writing.
    #[doc(hidden)]
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.pixels
    }

    /// Returns the rows of pixels from top to bottom.
    #[doc(hidden)]
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[[u8; 4]]> {
        let [width, _] = self.size;
        self.pixels.chunks_exact(as_index(width.max(1)))
    }
}
