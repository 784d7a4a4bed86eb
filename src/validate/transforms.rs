//! Checks of transforms.

use crate::model::Transform;

/// Returns whether all numbers of a transform are finite.
pub(crate) fn is_finite(transform: &Transform) -> bool {
    let Transform { position, rotation, scale } = transform;
    position.iter().chain(rotation).chain(scale).all(|value| value.is_finite())
}

/// Returns the length of a quaternion.
pub(crate) fn length(quaternion: [f32; 4]) -> f32 {
    quaternion.iter().map(|value| value * value).sum::<f32>().sqrt()
}
