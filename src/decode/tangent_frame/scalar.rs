//! Decoders for one stored quaternion at a time. The results of the bulk kernels must be bit for
//! bit equal to the results of these decoders.

#![allow(clippy::trivially_copy_pass_by_ref, reason = "records are passed as `Decode` passes them")]

use zerocopy::little_endian::I16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::tangent_frame::axes::{TangentFrame, unit};

/// The number by which a stored integer is divided to get a component of the quaternion.
pub(super) const SCALE: f32 = 32767.0;

/// The seven bytes of a stored quaternion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawQuat7 {
    /// x, y and z of the quaternion, multiplied by 32767.
    pub xyz: [I16; 3],
    /// The handedness of the tangent frame: 127 for 1, or -127 for -1.
    pub sign: i8,
}

/// Decodes x, y, z and w of a quaternion from eight bytes. The quaternion is not scaled to unit
/// length.
#[inline]
pub(super) fn rotation8(raw: &[I16; 4]) -> [f32; 4] {
    raw.map(|component| f32::from(component.get()) / SCALE)
}

/// Decodes x, y and z of a quaternion from seven bytes, and computes w from them. The computed w is
/// not negative. The quaternion is not scaled to unit length.
#[inline]
pub(super) fn rotation7(raw: &RawQuat7) -> [f32; 4] {
    let [x, y, z] = raw.xyz.map(|component| f32::from(component.get()) / SCALE);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    [x, y, z, w]
}

/// Decodes a tangent frame from eight bytes.
#[inline]
pub(super) fn frame8(raw: &[I16; 4]) -> TangentFrame {
    TangentFrame { rotation: unit(rotation8(raw)), handedness: if raw[3].get() < 0 { -1.0 } else { 1.0 } }
}

/// Decodes a tangent frame from seven bytes.
#[inline]
pub(super) fn frame7(raw: &RawQuat7) -> TangentFrame {
    TangentFrame { rotation: unit(rotation7(raw)), handedness: if raw.sign < 0 { -1.0 } else { 1.0 } }
}
