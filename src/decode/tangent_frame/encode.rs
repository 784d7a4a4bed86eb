//! Encoders of tangent frames and quaternions, which produce the same bytes as the UNIGINE engine.

use zerocopy::little_endian::I16;

use crate::decode::divisor::truncate;
use crate::decode::tangent_frame::axes::TangentFrame;
use crate::decode::tangent_frame::scalar::SCALE;

/// The smallest absolute value of a stored w that the UNIGINE engine writes.
const LEAST_W: i16 = 32;

/// Encodes a tangent frame to the same eight bytes as the UNIGINE engine.
#[must_use]
pub fn encode8(frame: &TangentFrame) -> [I16; 4] {
    encode_rotation(frame.signed_rotation())
}

/// Encodes a unit quaternion in eight bytes.
///
/// Each component of the quaternion is multiplied by 32767 and truncated toward zero. If the
/// absolute value of the code of w is less than 32, the code of w becomes 32 or -32, with the sign
/// of w.
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

fn component(value: f32) -> i16 {
    i16::try_from(truncate(value, SCALE)).unwrap_or_default()
}

/// Encodes a tangent frame to the same seven bytes as the UNIGINE engine (format ms10).
#[cfg(feature = "internals")]
#[must_use]
pub fn encode7(frame: &TangentFrame) -> super::RawQuat7 {
    let [x, y, z, w] = frame.rotation;
    let turn = if w.is_sign_negative() { -1.0 } else { 1.0 };
    let xyz = [x, y, z].map(|value| I16::new(component(value * turn)));
    super::RawQuat7 { xyz, sign: if frame.handedness < 0.0 { -127 } else { 127 } }
}
