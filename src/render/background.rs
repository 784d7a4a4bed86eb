//! The background of a picture.

use super::options::Background;
use super::srgb;
use crate::math::{as_index, as_u64};

/// The square of the distance from the middle at which the background is darkest. The sides of the
/// picture are 128 units long.
const DARKEST: u32 = 8192;
/// The linear colours of the studio in the middle and at the darkest distance.
const STUDIO: [[u16; 2]; 3] = [[52_000, 43_000], [52_300, 43_500], [52_800, 44_300]];

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
