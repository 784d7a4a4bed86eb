//! Bounding boxes and bounding spheres.

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

/// An axis-aligned bounding box, in the length unit of the mesh.
///
/// The bounding box is empty if a component of `min` is greater than the same component of `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
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
}

/// A bounding sphere, in the length unit of the mesh. A bounding sphere is empty if its radius is
/// negative.
#[derive(Clone, Copy, Debug, PartialEq)]
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
