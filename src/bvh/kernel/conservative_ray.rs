//! The ray as the kernels take it: in `f32`, prepared once per ray.

use crate::bvh::coordinates::MAX_COORDINATE;
use crate::bvh::layout::WIDTH;

/// What stands for the inverse of a direction's component that is zero, or nearly.
const MAX_INVERSE: f32 = MAX_COORDINATE;

/// A ray in `f32`, its direction scaled so that its largest component is 1: for sifting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConservativeRay {
    pub(crate) origin: [f32; 3],
    /// One divided by each part of the direction, which is never 0, nor so little that this overflows.
    pub(crate) inverse: [f32; 3],
    /// Both again, in four lanes.
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) padded: [[f32; 4]; 2],
    /// How far planes may be off, along each axis, beyond what [`PLANE_MARGIN`] says: see [`widen`](Self::widen).
    pub(crate) widened: [f32; 4],
    /// A byte of ones for each child, axis by axis, where the ray goes down: it meets the upper plane first.
    #[cfg_attr(not(all(target_arch = "x86_64", not(miri))), allow(dead_code, reason = "kernels for AVX2 use it"))]
    pub(crate) down: [[u8; WIDTH]; 4],
    /// The axes in the order that the triangle's test has them: the one along which the direction is longest is last.
    pub(crate) axes: [usize; 3],
    /// How far the first two axes move for one of the last.
    pub(crate) shear: [f32; 2],
    /// The sign of the direction's largest component.
    pub(crate) sign: f32,
    /// The least distance that counts, in the scaled direction.
    pub(crate) from: f32,
}

impl ConservativeRay {
    /// Takes a ray whose parts are finite, with the direction scaled.
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

    /// Widens boxes by a length, in scene units: by what the exact test may be off, whose numbers are as large as the mesh
    /// and the way to it.
    pub(crate) fn widen(&mut self, length: f32) {
        let [x, y, z] = self.inverse.map(|inverse| inverse.abs() * length);
        self.widened = [x, y, z, 0.0];
    }
}
