//! Rounding margins: how much bounding boxes and triangles are enlarged, which ensures that the
//! kernels never miss one.
//!
//! The error of a plane's computed distance is less than 2^-21 of the largest number in its
//! computation.

/// The margin added to the computed distance of a plane, relative to the largest number in the
/// computation.
pub(crate) const PLANE_MARGIN: f32 = 1.0 / 2_097_152.0;
/// The margin added to an edge function of the ray test, relative to the products that the edge
/// function is computed from.
pub(crate) const EDGE_MARGIN: f32 = 1.0 / 524_288.0;
/// The margin subtracted from a computed squared distance.
///
/// The margin is relative to the square of the largest coordinate that the distance is computed
/// from.
pub(crate) const DISTANCE_MARGIN: f32 = 1.0 / 65_536.0;
/// The range of squared areas of triangles that are computed accurately in `f32`.
///
/// For a triangle with a squared area outside this range, the test assumes that a point above the
/// triangle may touch it.
pub(crate) const RELIABLE_AREAS: std::ops::Range<f32> = 1.0e-30..1.0e30;
/// The largest coordinate for which the products in the point test do not overflow.
///
/// A triangle with a larger coordinate, relative to the point, is assumed to be near the point.
pub(crate) const MAX_EXACT_COORDINATE: f32 = 1.0e9;
/// The number of steps of a node's grid along each axis.
pub(crate) const GRID_STEPS: f32 = 255.0;
