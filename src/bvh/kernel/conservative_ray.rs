//! The ray in the form that the kernels use: in `f32`, with derived values that are computed once
//! per ray. The rounding margins, by which the kernels enlarge bounding boxes and triangles:
//! rounding errors then never cause a kernel to miss a hit.

use crate::bvh::coordinates::MAX_COORDINATE;
use crate::bvh::layout::WIDTH;

/// The maximum magnitude of the inverse (1 / component) of a component of the ray's direction. If a
/// component is zero or nearly zero, `MAX_INVERSE` with the sign of the component is used instead
/// of its inverse.
const MAX_INVERSE: f32 = MAX_COORDINATE;
/// The margin for the computed distance to a plane of a bounding box, relative to the largest
/// number in this computation: the error is less than 2^-21 of that number.
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

/// A ray in `f32` for the tests in the kernels.
///
/// The tests in the kernels may accept a triangle that the ray does not hit, but never reject a
/// triangle that the ray hits. The direction of the ray is scaled: its largest component has the
/// absolute value 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConservativeRay {
    pub(crate) origin: [f32; 3],
    /// The inverse of each component of the direction, limited to a magnitude of [`MAX_INVERSE`].
    pub(crate) inverse: [f32; 3],
    /// Copies of `origin` and `inverse`, each padded to four lanes.
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) padded: [[f32; 4]; 2],
    /// For each axis, the maximum error of the computed distance at which the ray meets a plane, in
    /// addition to [`PLANE_MARGIN`](PLANE_MARGIN). The method
    /// [`widen`](Self::widen) sets this maximum error of the distance.
    pub(crate) widened: [f32; 4],
    /// For each axis, eight equal bytes, one per child of a node: 255 if the ray's direction along
    /// the axis is negative, and 0 otherwise.
    ///
    /// A ray with a negative direction along an axis meets the upper plane of a bounding box first.
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) down: [[u8; WIDTH]; 4],
    /// The indices of the axes x, y and z (0, 1 and 2) in the order in which the triangle test uses
    /// them.
    ///
    /// The axis along which the direction has its largest component is last.
    pub(crate) axes: [usize; 3],
    /// The distance that the ray moves along each of the first two `axes` for a distance of 1 along
    /// the last of the `axes`.
    pub(crate) shear: [f32; 2],
    /// The sign of the direction's largest component, 1 or -1.
    pub(crate) sign: f32,
    /// The least distance at which a hit is accepted, in multiples of the length of the scaled
    /// direction.
    pub(crate) from: f32,
}

impl ConservativeRay {
    /// Creates a ray. All components of `origin` and `direction` must be finite, and the largest
    /// component of `direction` must be 1 or -1.
    pub(crate) fn new(origin: [f32; 3], direction: [f32; 3], from: f32) -> Self {
        let [x, y, z] = direction.map(f32::abs);
        let axes = if x >= y && x >= z {
            [1, 2, 0]
        } else if y >= z {
            [2, 0, 1]
        } else {
            [0, 1, 2]
        };
        let part = |axis: usize| direction.get(axis).copied().unwrap_or_default();
        let [first, second, last] = axes.map(part);
        let inverse = direction.map(|part| {
            let inverse = 1.0 / part;
            if inverse.abs() <= MAX_INVERSE { inverse } else { MAX_INVERSE.copysign(part) }
        });
        let [x, y, z] = inverse.map(|part| [if part < 0.0 { 0xff } else { 0 }; WIDTH]);
        let shear = [first / last, second / last];
        let padded = [origin, inverse].map(|[x, y, z]| [x, y, z, 0.0]);
        Self {
            origin,
            inverse,
            padded,
            widened: [0.0; 4],
            down: [x, y, z, [0; WIDTH]],
            axes,
            shear,
            sign: last.signum(),
            from,
        }
    }

    /// Enlarges all bounding boxes in the tests of this ray by `length` on each side, in scene
    /// units.
    ///
    /// `length` is the maximum error of the exact test in `f64`. The error of the exact test grows
    /// with the size of the mesh and with the distance of the ray's origin from the mesh.
    pub(crate) fn widen(&mut self, length: f32) {
        let [x, y, z] = self.inverse.map(|inverse| inverse.abs() * length);
        self.widened = [x, y, z, 0.0];
    }
}
