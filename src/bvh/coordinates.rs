//! The range of valid coordinates, which is the same for trees, kernels and exact tests.

use crate::array::Bounds;

/// The largest valid coordinate, 2^60. Squares and products of valid coordinates fit in an `f32`.
///
/// No real mesh has coordinates of this size.
pub(crate) const MAX_COORDINATE: f32 = 1_152_921_504_606_846_976.0;

/// The positions of the three corners of a triangle, in the order of the file.
pub(crate) type TriangleCorners = [[f32; 3]; 3];

/// Returns whether a point is valid: whether all its coordinates are finite and not beyond
/// ±[`MAX_COORDINATE`].
#[inline]
pub(crate) fn is_valid_point(point: &[f32; 3]) -> bool {
    point.iter().all(|part| part.abs() <= MAX_COORDINATE)
}

/// Returns whether all three corners of a triangle are valid points.
#[inline]
pub(crate) fn is_valid_triangle(triangle: &TriangleCorners) -> bool {
    triangle.iter().flatten().all(|part| part.abs() <= MAX_COORDINATE)
}

/// Returns the smallest bounding box that contains `bounds` and `point`. A point with a
/// coordinate that is NaN or beyond [`MAX_COORDINATE`] is ignored.
pub(crate) fn include_point(bounds: Bounds, point: [f32; 3]) -> Bounds {
    if is_valid_point(&point) { bounds.union(&Bounds { min: point, max: point }) } else { bounds }
}
