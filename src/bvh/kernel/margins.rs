//! Rounding margins: the amounts by which the kernels enlarge bounding boxes and triangles. Because
//! of the rounding margins, rounding errors never cause a kernel to miss a hit.
//!
//! The error of the computed distance to a plane of a bounding box is less than 2^-21 of the
//! largest number in this computation.

/// The margin for the computed distance to a plane of a bounding box, relative to the largest
/// number in this computation.
pub(crate) const PLANE_MARGIN: f32 = 1.0 / 2_097_152.0;
/// The margin for the edge functions of the test of a ray against a triangle, relative to the
/// products that an edge function is computed from.
pub(crate) const EDGE_MARGIN: f32 = 1.0 / 524_288.0;
/// The margin that is subtracted from the computed squared distance between a point and a triangle.
///
/// The margin of the squared distance is relative to the square of the largest coordinate that the
/// distance is computed from.
pub(crate) const DISTANCE_MARGIN: f32 = 1.0 / 65_536.0;
/// The range of squared areas of triangles that are computed accurately in `f32`.
///
/// If the squared area of a triangle is outside `RELIABLE_AREAS`, and the projection of the point
/// to the triangle's plane is inside the triangle, the point test uses the distance 0.
pub(crate) const RELIABLE_AREAS: std::ops::Range<f32> = 1.0e-30..1.0e30;
/// The largest coordinate of a triangle, relative to the query point, for which the products in the
/// point test do not overflow.
///
/// A triangle with a coordinate above `MAX_EXACT_COORDINATE` is assumed to be near the point, and
/// is always tested exactly.
pub(crate) const MAX_EXACT_COORDINATE: f32 = 1.0e9;
/// The number of steps along each axis of the grid in which a node stores bounding boxes.
pub(crate) const GRID_STEPS: f32 = 255.0;
