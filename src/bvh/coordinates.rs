//! The range of coordinates that queries support, -2^60 to 2^60. Trees, kernels and exact tests all
//! use the same range of coordinates.

use crate::array::Bounds;

/// The largest coordinate that queries support, 2^60. Squares and products of two supported
/// coordinates do not overflow an `f32`.
///
/// No known mesh has a coordinate with a magnitude of 2^60 or more.
pub(crate) const MAX_COORDINATE: f32 = 1_152_921_504_606_846_976.0;

/// The positions of the three corners of a triangle, in the order of the file.
pub(crate) type TriangleCorners = [[f32; 3]; 3];

/// Returns whether all coordinates of a point are finite and not beyond ±[`MAX_COORDINATE`].
#[inline]
pub(crate) fn is_valid_point(point: &[f32; 3]) -> bool {
    point.iter().all(|part| part.abs() <= MAX_COORDINATE)
}

/// Returns whether all coordinates of a triangle are finite and not beyond ±[`MAX_COORDINATE`].
#[inline]
pub(crate) fn is_valid_triangle(triangle: &TriangleCorners) -> bool {
    triangle.iter().flatten().all(|part| part.abs() <= MAX_COORDINATE)
}

/// Returns the smallest bounding box that contains `bounds` and `point`. If a coordinate of the
/// point is NaN or beyond ±[`MAX_COORDINATE`], the point is ignored.
pub(crate) fn include_point(bounds: Bounds, point: [f32; 3]) -> Bounds {
    if is_valid_point(&point) { bounds.union(&Bounds { min: point, max: point }) } else { bounds }
}
