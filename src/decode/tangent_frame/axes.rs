//! A decoded tangent frame, and the computation of its normal, tangent and bitangent.

use bytemuck::{Pod, Zeroable};

/// A tangent frame: a rotation and a handedness. The methods of `TangentFrame` compute the normal,
/// the tangent and the bitangent from the quaternion on each call.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TangentFrame {
    /// The rotation as a unit quaternion x, y, z, w. The rotation maps the X axis to the tangent
    /// and the Z axis to the normal.
    pub rotation: [f32; 4],
    /// The handedness, 1 or -1. The bitangent is the cross product of the normal and the tangent,
    /// times the handedness.
    pub handedness: f32,
}

impl Default for TangentFrame {
    fn default() -> Self {
        Self { rotation: [0.0, 0.0, 0.0, 1.0], handedness: 1.0 }
    }
}

impl TangentFrame {
    /// Creates a tangent frame from a unit normal, a unit tangent perpendicular to it, and a
    /// handedness, whose sign is used.
    #[must_use]
    pub fn from_axes(normal: [f32; 3], tangent: [f32; 3], handedness: f32) -> Self {
        let ([xx, xy, xz], [zx, zy, zz]) = (tangent, normal);
        let [yx, yy, yz] = [zy * xz - zz * xy, zz * xx - zx * xz, zx * xy - zy * xx];
        // Shepperd's method: the quaternion is computed from its largest component, so no division
        // by a number near zero occurs.
        let trace = xx + yy + zz;
        let rotation = if trace > 0.0 {
            [yz - zy, zx - xz, xy - yx, trace + 1.0]
        } else if xx >= yy && xx >= zz {
            [1.0 + xx - yy - zz, xy + yx, zx + xz, yz - zy]
        } else if yy >= zz {
            [xy + yx, 1.0 - xx + yy - zz, yz + zy, zx - xz]
        } else {
            [zx + xz, yz + zy, 1.0 - xx - yy + zz, xy - yx]
        };
        Self { rotation: unit(rotation), handedness: if handedness < 0.0 { -1.0 } else { 1.0 } }
    }

    /// Returns the normal of the tangent frame: a unit vector that points out of the surface.
    #[inline]
    #[must_use]
    pub fn normal(&self) -> [f32; 3] {
        let [x, y, z, w] = self.rotation;
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)]
    }

    /// Returns the tangent of the tangent frame: a unit vector in the direction in which U grows.
    #[inline]
    #[must_use]
    pub fn tangent(&self) -> [f32; 3] {
        let [x, y, z, w] = self.rotation;
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)]
    }

    /// Returns the bitangent of the tangent frame: a unit vector in the direction in which V grows.
    ///
    /// V is the texture coordinate as stored in the file. V grows downwards in the image.
    #[inline]
    #[must_use]
    pub fn bitangent(&self) -> [f32; 3] {
        let [x, y, z, w] = self.rotation;
        let axis = [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)];
        axis.map(|value| value * self.handedness)
    }

    /// Returns the quaternion of the rotation. The returned quaternion is negated if the sign of w
    /// differs from the sign of the handedness.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub(super) fn signed_rotation(&self) -> [f32; 4] {
        let flip = self.rotation[3].is_sign_negative() != self.handedness.is_sign_negative();
        if flip { self.rotation.map(|value| -value) } else { self.rotation }
    }
}

/// Scales a quaternion to unit length. For a quaternion of zero length, returns the identity
/// rotation.
pub(super) fn unit(quaternion: [f32; 4]) -> [f32; 4] {
    let [x, y, z, w] = quaternion;
    let square = x * x + y * y + z * z + w * w;
    if square > 0.0 {
        let scale = square.sqrt().recip();
        quaternion.map(|value| value * scale)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}
