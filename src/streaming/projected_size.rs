//! The choice of a level of detail by the size on the screen.

use crate::array::Bounds;
use crate::math::{dot, subtract};

/// A camera, as far as it decides which level of detail is drawn.
///
/// ```
/// use meshpeek::{Bounds, streaming::LevelOfDetail};
/// let camera = LevelOfDetail::new([0.0; 3], 1.0, 1080.0);
/// let bounds = Bounds { min: [19.0, -1.0, -1.0], max: [21.0, 1.0, 1.0] };
/// assert!(camera.pixels(&bounds) > 170.0);
/// assert_eq!(camera.level(&bounds, 4), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelOfDetail {
    /// The position of the camera, in the space of the bounding boxes.
    pub(crate) eye: [f32; 3],
    /// The number of pixels that a length of 1 at a distance of 1 takes on the screen.
    pub(crate) scale: f32,
    /// The height in pixels from which level 0 is drawn: 256 by default. Each further level is
    /// drawn at half the height.
    pub full_detail: f32,
}

impl LevelOfDetail {
    /// Makes a camera with a vertical field of view in radians, and the height of the screen in
    /// pixels.
    #[must_use]
    pub fn new(eye: [f32; 3], field_of_view: f32, screen_height: f32) -> Self {
        Self { eye, scale: screen_height / (2.0 * (field_of_view / 2.0).tan()), full_detail: 256.0 }
    }

    /// Returns the height in pixels of the sphere around a bounding box. It is infinite if the
    /// camera is in the sphere, and 0 if the box is empty.
    #[must_use]
    pub fn pixels(&self, bounds: &Bounds) -> f32 {
        if bounds.is_empty() {
            return 0.0;
        }
        let (to_center, size) = (subtract(bounds.center(), self.eye), bounds.size());
        let (distance, diameter) = (dot(to_center, to_center).sqrt(), dot(size, size).sqrt());
        if distance * 2.0 <= diameter { f32::INFINITY } else { self.scale * diameter / distance }
    }

    /// Returns the level to draw for a bounding box, of `levels` levels of which level 0 is the
    /// most detailed.
    #[must_use]
    pub fn level(&self, bounds: &Bounds, levels: u32) -> u32 {
        let pixels = self.pixels(bounds);
        let last = levels.saturating_sub(1);
        let mut height = self.full_detail;
        let coarser = (0..last).take_while(|_| {
            let is_small = pixels < height;
            height /= 2.0;
            is_small
        });
        u32::try_from(coarser.count()).unwrap_or(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_has_half_the_height() {
        let camera = LevelOfDetail { eye: [0.0; 3], scale: 1000.0, full_detail: 256.0 };
        let at = |distance: f32| Bounds { min: [distance, 0.0, 0.0], max: [distance, 1.0, 0.0] };
        let levels = [1.0, 3.0, 5.0, 10.0, 1e6].map(|distance| camera.level(&at(distance), 4));
        assert_eq!(levels, [0, 0, 1, 2, 3]);
        assert_eq!((camera.level(&at(1e6), 1), camera.level(&at(1e6), 0)), (0, 0));
        assert!(camera.pixels(&Bounds::EMPTY) <= 0.0);
        assert_eq!(camera.level(&Bounds { min: [-1.0; 3], max: [1.0; 3] }, 4), 0);
    }
}
