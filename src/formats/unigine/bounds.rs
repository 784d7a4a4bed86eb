//! Computes the centre of a bounding box and distances with the same arithmetic as the engine, so
//! the results are equal, bit for bit, to those in its files.

use crate::array::Bounds;

/// Returns the centre of a bounding box.
pub(crate) fn center(bounds: &Bounds) -> [f32; 3] {
    let mut center = bounds.min;
    for (center, max) in center.iter_mut().zip(bounds.max) {
        *center = (*center + max) * 0.5;
    }
    center
}

/// Returns the distance between two points.
pub(crate) fn distance(one: [f32; 3], other: [f32; 3]) -> f32 {
    let [x, y, z] = [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
    (x * x + y * y + z * z).sqrt()
}
