//! A picture in memory, and its background.

use super::options::Background;
use super::srgb;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::parse::filled;

/// The greatest width and height of a picture, in pixels.
pub(crate) const MAX_SIDE: u32 = 16_384;
/// The square of the distance from the middle at which the background is darkest. The sides of the
/// picture are 128 units long.
const DARKEST: u32 = 8192;
/// The linear colours of the studio in the middle and at the darkest distance.
const STUDIO: [[u16; 2]; 3] = [[52_000, 43_000], [52_300, 43_500], [52_800, 44_300]];

/// A picture in memory: rows of pixels from top to bottom, and in each row from left to right.
///
/// A pixel is red, green, blue and alpha, 8 bits each. Red, green and blue are in sRGB, and are not
/// multiplied by alpha.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    size: [u32; 2],
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// The greatest width and height of a picture, in pixels.
    #[cfg(any(feature = "cli", feature = "images"))]
    pub(crate) const MAX_SIDE: u32 = MAX_SIDE;

    /// Makes a picture of one colour. `size` is the width and the height in pixels.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the width or the height is above
    /// 16,384, and an error if there is no memory for the pixels.
    pub(crate) fn new(size: [u32; 2], color: [u8; 4]) -> Result<Self> {
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

/// The colours of the background of a picture.
pub(crate) struct Backdrop {
    background: Background,
    /// The squares of the distances of columns and rows from a point above the middle.
    distances: [Vec<u32>; 2],
}

impl Backdrop {
    /// Prepares the background of a picture of a width and a height.
    pub(crate) fn new(background: Background, [width, height]: [u32; 2]) -> Self {
        let distances = |side: u32, middle: u32| {
            let part = |at: usize| as_u64(at).saturating_mul(128).checked_div(u64::from(side)).unwrap_or_default();
            let square = |at| u32::try_from(part(at)).unwrap_or_default().abs_diff(middle).saturating_pow(2);
            (0..as_index(side)).map(square).collect()
        };
        let is_studio = background == Background::Studio;
        let distances = if is_studio { [distances(width, 64), distances(height, 52)] } else { [vec![], vec![]] };
        Self { background, distances }
    }

    /// Returns the linear colour of a pixel, or `None` if the background is transparent.
    pub(crate) fn at(&self, [x, y]: [usize; 2]) -> Option<[u16; 3]> {
        match self.background {
            Background::Transparent => None,
            Background::Color(color) => Some(color.map(srgb::to_linear_16)),
            Background::Studio => {
                let [columns, rows] = &self.distances;
                let part = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(DARKEST);
                let distance = part(columns, x).saturating_add(part(rows, y)).min(DARKEST);
                Some(STUDIO.map(|[lightest, darkest]| {
                    let range = u32::from(lightest.saturating_sub(darkest));
                    let darker = range.saturating_mul(distance) / DARKEST;
                    lightest.saturating_sub(u16::try_from(darker).unwrap_or(u16::MAX))
                }))
            }
        }
    }
}
