//! Boxes and spheres.

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

/// An axis-aligned box, in scene units. Empty where a minimum is above its maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least x, y, z.
    pub min: [f32; 3],
    /// Greatest x, y, z.
    pub max: [f32; 3],
}

impl Bounds {
    /// The box that holds nothing, and that any other widens.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Returns whether it holds nothing, or is not a number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.min.iter().zip(&self.max).all(|(min, max)| min <= max)
    }

    /// Returns the smallest box around both. NaNs are ignored.
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

/// A sphere, in scene units. Empty where the radius is negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub center: [f32; 3],
    /// Its radius.
    pub radius: f32,
}

/// Stores positions as files do, and returns them as a file's records. Where the machine has the byte order of files, only
/// the type changes.
pub(crate) fn to_file_order(positions: &mut [[f32; 3]]) -> &[[F32; 3]] {
    for value in positions.as_flattened_mut() {
        *value = f32::from_bits(value.to_bits().to_le());
    }
    <[[F32; 3]]>::ref_from_bytes(bytemuck::cast_slice(positions)).unwrap_or_default()
}
