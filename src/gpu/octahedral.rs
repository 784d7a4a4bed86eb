//! The octahedral mapping of unit vectors to two numbers.

use crate::simd::kernel;

kernel! {
    /// Maps normals to points of the square from -1, -1 to 1, 1.
    pub(super) fn encode_all(normals: &[[f32; 3]], out: &mut [[f32; 2]]) {
        for (out, normal) in out.iter_mut().zip(normals) {
            *out = encode(*normal);
        }
    }
}

/// Maps a normal of any length to a point of the square. A normal without length, or with a
/// component that is not finite, becomes 0, 0, which is the direction 0, 0, 1.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the loop must be compiled for the instructions of the kernel")]
fn encode([x, y, z]: [f32; 3]) -> [f32; 2] {
    let sum = x.abs() + y.abs() + z.abs();
    let has_direction = sum > 0.0 && sum < f32::INFINITY;
    let flat = [x, y].map(|part| if has_direction { part / sum } else { 0.0 });
    if z < 0.0 && has_direction { fold(flat) } else { flat }
}

/// Maps a point of the upper half of the octahedron to the point of the lower half above or below
/// it.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the loop must be compiled for the instructions of the kernel")]
fn fold([u, v]: [f32; 2]) -> [f32; 2] {
    let sign = |part: f32| if part < 0.0 { -1.0 } else { 1.0 };
    [(1.0 - v.abs()) * sign(u), (1.0 - u.abs()) * sign(v)]
}
