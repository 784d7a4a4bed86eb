//! Decoders and encoders for one stored quaternion at a time. The results of the bulk kernels must
//! be bit for bit equal to the results of these decoders.

#![allow(clippy::trivially_copy_pass_by_ref, reason = "records are passed as `Decode` passes them")]

use zerocopy::little_endian::I16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

#[cfg(any(feature = "cli", feature = "internals"))]
use crate::decode::divisor::truncate;
use crate::decode::tangent_frame::axes::{TangentFrame, unit};

/// The number by which a stored integer is divided to get a component of the quaternion.
pub(super) const SCALE: f32 = 32767.0;
/// The smallest absolute value of a stored w that the UNIGINE engine writes.
#[cfg(any(feature = "cli", feature = "internals"))]
const LEAST_W: i16 = 32;

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

/// Encodes a tangent frame to the same eight bytes as the UNIGINE engine.
#[cfg(any(feature = "cli", feature = "internals"))]
#[must_use]
pub fn encode8(frame: &TangentFrame) -> [I16; 4] {
    encode_rotation(frame.signed_rotation())
}

/// Encodes a unit quaternion in eight bytes.
///
/// Each component of the quaternion is multiplied by 32767 and truncated toward zero. If the
/// absolute value of the code of w is less than 32, the code of w becomes 32 or -32, with the sign
/// of w.
#[cfg(any(feature = "cli", feature = "internals"))]
pub(super) fn encode_rotation(rotation: [f32; 4]) -> [I16; 4] {
    let [x, y, z, w] = rotation.map(component);
    let w = match w {
        w if w.abs() >= LEAST_W => w,
        _ if rotation[3].is_sign_negative() => LEAST_W.wrapping_neg(),
        _ => LEAST_W,
    };
    [x, y, z, w].map(I16::new)
}

/// Encodes one component of a unit quaternion as a 16-bit code.
///
/// The component is clamped to -1..1 and multiplied by 32767, and the product is truncated toward
/// zero. The code of a component is never -32768.
#[cfg(feature = "internals")]
#[must_use]
pub fn encode_component(value: f32) -> I16 {
    I16::new(component(value))
}

#[cfg(any(feature = "cli", feature = "internals"))]
fn component(value: f32) -> i16 {
    i16::try_from(truncate(value, SCALE)).unwrap_or_default()
}

/// Encodes a tangent frame to the same seven bytes as the UNIGINE engine (format ms10).
#[cfg(feature = "internals")]
#[must_use]
pub fn encode7(frame: &TangentFrame) -> RawQuat7 {
    let [x, y, z, w] = frame.rotation;
    let turn = if w.is_sign_negative() { -1.0 } else { 1.0 };
    let xyz = [x, y, z].map(|value| I16::new(component(value * turn)));
    RawQuat7 { xyz, sign: if frame.handedness < 0.0 { -127 } else { 127 } }
}
