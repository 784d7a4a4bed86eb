//! What the rules ask of a transform: that it is finite, and its rotation of unit length.

use crate::model::Transform;

/// How far from unit length a rotation may be.
const ROUNDED: f32 = 1e-3;

/// Tells whether a transform has numbers only.
pub(super) fn is_finite(transform: &Transform) -> bool {
    let Transform { position, rotation, scale } = transform;
    position.iter().chain(rotation).chain(scale).all(|value| value.is_finite())
}

/// What rotations are that are not of unit length.
pub(super) const UNIT: &str = "have a rotation whose length is not 1";

/// Tells whether a rotation is of unit length, as nearly as texts have it.
pub(super) fn is_unit(rotation: [f32; 4]) -> bool {
    let square: f32 = rotation.iter().map(|value| value * value).sum();
    (square.sqrt() - 1.0).abs() <= ROUNDED
}
