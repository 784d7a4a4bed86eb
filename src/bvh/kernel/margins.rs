//! Rounding margins: how much boxes and triangles are widened, so that the kernels never miss one.
//!
//! What is computed of a plane is off by less than 2^-21 of the largest number on the way.

/// What is added to a plane's distance, as a part of the largest number that it was computed from.
pub(crate) const PLANE_MARGIN: f32 = 1.0 / 2_097_152.0;
/// What is added to an edge function, as a part of the products that it was computed from.
pub(crate) const EDGE_MARGIN: f32 = 1.0 / 524_288.0;
/// What is taken off a squared distance, as a part of the square of the largest coordinate that it was computed from.
pub(crate) const DISTANCE_MARGIN: f32 = 1.0 / 65_536.0;
/// Squared areas that an `f32` computes well; of others, whatever is above the triangle may touch it.
pub(crate) const RELIABLE_AREAS: std::ops::Range<f32> = 1.0e-30..1.0e30;
/// Coordinates beyond which products of them overflow: whatever is as far may be near.
pub(crate) const MAX_EXACT_COORDINATE: f32 = 1.0e9;
/// Steps of a node's grid.
pub(crate) const GRID_STEPS: f32 = 255.0;
