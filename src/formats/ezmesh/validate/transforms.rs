//! Checks of a transform: all numbers are finite, and the rotation has unit length.

use crate::model::Transform;

/// Maximum accepted difference between the length of a rotation quaternion and 1.
const ROUNDED: f32 = 1e-3;

/// Returns whether all numbers of a transform are finite.
pub(super) fn is_finite(transform: &Transform) -> bool {
    let Transform { position, rotation, scale } = transform;
    position.iter().chain(rotation).chain(scale).all(|value| value.is_finite())
}

/// The text of a finding about rotations whose length is not 1.
pub(super) const UNIT: &str = "with a rotation whose length is not 1";

/// Returns whether a rotation quaternion has unit length, up to the rounding error of text files.
pub(super) fn is_unit(rotation: [f32; 4]) -> bool {
    let square: f32 = rotation.iter().map(|value| value * value).sum();
    (square.sqrt() - 1.0).abs() <= ROUNDED
}
