//! Which coordinates count: one bound for trees, kernels and exact tests.

use crate::array::Bounds;

/// The largest coordinate, 2^60: squares and products of smaller ones have room in an `f32`. No mesh is as large.
pub(crate) const MAX_COORDINATE: f32 = 1_152_921_504_606_846_976.0;

/// The corners of a triangle, in order.
pub(crate) type TriangleCorners = [[f32; 3]; 3];

/// Returns whether all coordinates are finite, and none is beyond [`MAX_COORDINATE`].
#[inline]
pub(crate) fn is_valid_point(point: &[f32; 3]) -> bool {
    point.iter().all(|part| part.abs() <= MAX_COORDINATE)
}

/// Returns whether a triangle counts: all its corners are valid.
#[inline]
pub(crate) fn is_valid_triangle(triangle: &TriangleCorners) -> bool {
    triangle.iter().flatten().all(|part| part.abs() <= MAX_COORDINATE)
}

/// Returns the box grown by a point; a point that is not valid is ignored.
pub(crate) fn include_point(bounds: Bounds, point: [f32; 3]) -> Bounds {
    if is_valid_point(&point) { bounds.union(&Bounds { min: point, max: point }) } else { bounds }
}
