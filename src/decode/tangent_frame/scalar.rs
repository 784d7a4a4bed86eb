//! One stored quaternion at a time: what kernels for many must give to the bit.

#![allow(clippy::trivially_copy_pass_by_ref, reason = "records are passed as `Decode` passes them")]

use zerocopy::little_endian::I16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::tangent_frame::axes::{TangentFrame, unit};

/// The scale of a component.
pub(super) const SCALE: f32 = 32767.0;

/// The raw seven-byte form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawQuat7 {
    /// x, y, z, scaled by 32767.
    pub xyz: [I16; 3],
    /// The handedness: 127 or −127.
    pub sign: i8,
}

/// Decodes x, y, z and w of eight bytes, not normalised.
#[inline]
pub(super) fn rotation8(raw: &[I16; 4]) -> [f32; 4] {
    raw.map(|component| f32::from(component.get()) / SCALE)
}

/// Decodes x, y and z of seven bytes, not normalised, and computes w, which is not negative.
#[inline]
pub(super) fn rotation7(raw: &RawQuat7) -> [f32; 4] {
    let [x, y, z] = raw.xyz.map(|component| f32::from(component.get()) / SCALE);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    [x, y, z, w]
}

/// Decodes a frame of eight bytes.
#[inline]
pub(super) fn frame8(raw: &[I16; 4]) -> TangentFrame {
    TangentFrame { rotation: unit(rotation8(raw)), handedness: if raw[3].get() < 0 { -1.0 } else { 1.0 } }
}

/// Decodes a frame of seven bytes.
#[inline]
pub(super) fn frame7(raw: &RawQuat7) -> TangentFrame {
    TangentFrame { rotation: unit(rotation7(raw)), handedness: if raw.sign < 0 { -1.0 } else { 1.0 } }
}
