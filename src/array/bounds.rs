//! Bounding boxes and bounding spheres.

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

/// An axis-aligned bounding box, in the length unit of the mesh.
///
/// The bounding box is empty if a component of `min` is greater than the same component of `max`.
/// Collecting an iterator of points gives their bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounds {
    /// The least x, y and z coordinates of the points in the box.
    pub min: [f32; 3],
    /// The greatest x, y and z coordinates of the points in the box.
    pub max: [f32; 3],
}

impl Bounds {
    /// The empty bounding box. The union of the empty box with another bounding box is the other
    /// box.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Returns whether the bounding box contains no point.
    ///
    /// A bounding box with a NaN in `min` or `max` is empty too.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.min.iter().zip(&self.max).all(|(min, max)| min <= max)
    }

    /// Returns the smallest bounding box that contains this box and `other`.
    ///
    /// NaN coordinates of either bounding box are ignored.
    #[inline]
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.min.iter_mut().zip(other.min) {
            *mine = mine.min(theirs);
        }
        for (mine, theirs) in self.max.iter_mut().zip(other.max) {
            *mine = mine.max(theirs);
        }
        self
    }

    /// Returns whether the box contains a point. The faces belong to the box.
    #[must_use]
    pub fn contains(&self, point: [f32; 3]) -> bool {
        self.intersects(&Self { min: point, max: point })
    }

    /// Returns whether this box and `other` have a common point. The faces belong to the box.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        let mine = self.min.iter().zip(&self.max);
        mine.zip(other.min.iter().zip(&other.max)).all(|((min, max), (low, high))| min.max(*low) <= max.min(*high))
            && !self.is_empty()
            && !other.is_empty()
    }

    /// Returns the centre of the box. The centre of an empty box has no meaning.
    #[must_use]
    pub fn center(&self) -> [f32; 3] {
        // The sum of two halves cannot overflow.
        let [x, y, z] = self.min.map(|part| part * 0.5);
        let [right, top, front] = self.max.map(|part| part * 0.5);
        [x + right, y + top, z + front]
    }

    /// Returns the lengths of the edges along x, y and z, which are 0 for an empty box.
    #[must_use]
    pub fn size(&self) -> [f32; 3] {
        if self.is_empty() {
            return [0.0; 3];
        }
        let ([x, y, z], [right, top, front]) = (self.min, self.max);
        [right - x, top - y, front - z]
    }
}

impl Extend<[f32; 3]> for Bounds {
    /// Extends the box to contain points. NaN coordinates are ignored.
    fn extend<I: IntoIterator<Item = [f32; 3]>>(&mut self, points: I) {
        *self = points.into_iter().fold(*self, |all, at| all.union(&Self { min: at, max: at }));
    }
}

impl FromIterator<[f32; 3]> for Bounds {
    /// Returns the smallest box that contains points. NaN coordinates are ignored.
    ///
    /// ```
    /// use meshpeek::Bounds;
    /// let bounds: Bounds = [[1.0, 0.0, 4.0], [3.0, -2.0, 4.0]].into_iter().collect();
    /// assert_eq!((bounds.center(), bounds.size()), ([2.0, -1.0, 4.0], [2.0, 2.0, 0.0]));
    /// assert!(bounds.contains([1.5, 0.0, 4.0]) && !bounds.contains([1.5, 0.0, 4.5]));
    /// ```
    fn from_iter<I: IntoIterator<Item = [f32; 3]>>(points: I) -> Self {
        let mut bounds = Self::EMPTY;
        bounds.extend(points);
        bounds
    }
}

/// A bounding sphere, in the length unit of the mesh. A bounding sphere is empty if its radius is
/// negative.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// The centre of the sphere.
    pub center: [f32; 3],
    /// The radius of the sphere.
    pub radius: f32,
}

/// Converts positions in place to little-endian floats, and returns them as a slice of unaligned
/// file records (`F32`).
///
/// On a little-endian machine, only the type of the slice changes and no byte is written.
pub(crate) fn to_file_order(positions: &mut [[f32; 3]]) -> &[[F32; 3]] {
    for value in positions.as_flattened_mut() {
        *value = f32::from_bits(value.to_bits().to_le());
    }
    <[[F32; 3]]>::ref_from_bytes(bytemuck::cast_slice(positions)).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    const NAN: f32 = f32::NAN;

    #[test]
    fn collects_points_and_ignores_nan() {
        let points = [[1.0, NAN, 3.0], [-1.0, 5.0, NAN], [0.0, 4.0, 8.0]];
        let bounds: Bounds = points.into_iter().collect();
        assert_eq!(bounds, Bounds { min: [-1.0, 4.0, 3.0], max: [1.0, 5.0, 8.0] });
        assert_eq!((bounds.center(), bounds.size()), ([0.0, 4.5, 5.5], [2.0, 1.0, 5.0]));
        let none: Bounds = [].into_iter().collect();
        assert_eq!((none, none.size()), (Bounds::EMPTY, [0.0; 3]));
        let one: Bounds = [[2.0; 3]].into_iter().collect();
        assert_eq!((one.size(), one.center()), ([0.0; 3], [2.0; 3]));
        let widest = Bounds { min: [-f32::MAX; 3], max: [f32::MAX; 3] };
        assert_eq!((widest.center(), widest.size()), ([0.0; 3], [f32::INFINITY; 3]));
    }

    #[test]
    fn tests_points_and_boxes_with_their_faces() {
        let cube = Bounds { min: [0.0; 3], max: [1.0; 3] };
        for (point, expected) in [
            ([0.5; 3], true),
            ([0.0, 1.0, 0.0], true),
            ([0.5, 0.5, 1.001], false),
            ([-0.001, 0.5, 0.5], false),
            ([0.5, NAN, 0.5], false),
        ] {
            assert_eq!(cube.contains(point), expected, "{point:?}");
        }
        let at = |min: [f32; 3]| Bounds { min, max: min.map(|part| part + 1.0) };
        for (other, expected) in [
            (cube, true),
            (at([1.0, 1.0, 1.0]), true),
            (at([1.5, 0.0, 0.0]), false),
            (at([0.0, -1.5, 0.0]), false),
            (Bounds { min: [0.2; 3], max: [0.4; 3] }, true),
            (Bounds::EMPTY, false),
            (Bounds { min: [0.2; 3], max: [0.4, 0.1, 0.4] }, false),
            (Bounds { min: [NAN, 0.0, 0.0], max: [1.0; 3] }, false),
        ] {
            assert_eq!((cube.intersects(&other), other.intersects(&cube)), (expected, expected), "{other:?}");
        }
        assert!(!Bounds::EMPTY.contains([0.0; 3]) && !Bounds::EMPTY.intersects(&Bounds::EMPTY));
    }
}
