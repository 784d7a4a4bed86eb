//! Tangent frames packed into a quaternion.
//!
//! UNIGINE stores no normals. A quaternion (x, y, z, w) of signed 16-bit integers holds the whole frame: it is scaled
//! by 1/32767 and normalised, and in the usual right-handed column convention of its rotation matrix the normal is the
//! Z axis, the tangent (the direction in which U grows) the X axis, and the bitangent (in which V grows) the Y axis
//! times the sign of w. The sign of w is the handedness, so q and −q are different frames.
//!
//! | form | generations | raw | w | worst error |
//! |---|---|---|---|---|
//! | [`Quat8`] | ms11 and later | 4 × i16 | stored | 0.007°; 0.12° where the encoder lifted abs(w) to 32 |
//! | [`Quat7`] | ms10 | 3 × i16, i8 | √max(0, 1 − x² − y² − z²); the sign is the i8's | as above; 1.2° near w = 0 |
//!
//! The engine truncates toward zero when it encodes, never writes −32768, and keeps abs(w) at 32 or more so that its
//! sign survives. A quaternion of zero length decodes as the identity.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod avx2;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod avx512;
mod part;

pub(crate) use part::components;
pub use part::{Basis, BasisOf, NormalOf, Quaternion, RotationOf};

use bytemuck::{Pod, Zeroable};
use zerocopy::little_endian::I16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::{Decode, truncate};
use crate::simd;

/// The scale of a component.
const SCALE: f32 = 32767.0;
/// The least magnitude of a stored w.
const LEAST_W: i16 = 32;

/// A tangent frame: a rotation and a handedness. Its axes are computed when asked for.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Frame {
    /// Unit quaternion x, y, z, w: rotates X to the tangent and Z to the normal.
    pub rotation: [f32; 4],
    /// 1 or −1: the side of normal × tangent that the bitangent points to.
    pub handedness: f32,
}

impl Default for Frame {
    fn default() -> Self {
        Self { rotation: [0.0, 0.0, 0.0, 1.0], handedness: 1.0 }
    }
}

impl Frame {
    /// Makes the frame of a unit normal and a unit tangent at a right angle to it.
    #[must_use]
    pub fn from_axes(normal: [f32; 3], tangent: [f32; 3], handedness: f32) -> Self {
        let ([xx, xy, xz], [zx, zy, zz]) = (tangent, normal);
        let [yx, yy, yz] = [zy * xz - zz * xy, zz * xx - zx * xz, zx * xy - zy * xx];
        // Shepperd's method: divide by the largest component, never by one near zero.
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

    /// Returns the normal: unit length, pointing out of the surface.
    #[inline]
    #[must_use]
    pub fn normal(&self) -> [f32; 3] {
        let [x, y, z, w] = self.rotation;
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)]
    }

    /// Returns the tangent: unit length, the direction in which U grows.
    #[inline]
    #[must_use]
    pub fn tangent(&self) -> [f32; 3] {
        let [x, y, z, w] = self.rotation;
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)]
    }

    /// Returns the bitangent: unit length, the direction in which the file's V grows (downwards in the image).
    #[inline]
    #[must_use]
    pub fn bitangent(&self) -> [f32; 3] {
        let [x, y, z, w] = self.rotation;
        let axis = [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)];
        axis.map(|value| value * self.handedness)
    }

    /// Returns the rotation with the sign whose w says the handedness.
    fn signed_rotation(&self) -> [f32; 4] {
        let flip = self.rotation[3].is_sign_negative() != self.handedness.is_sign_negative();
        if flip { self.rotation.map(|value| -value) } else { self.rotation }
    }
}

/// Scales to unit length; what has no length becomes the identity.
fn unit(quaternion: [f32; 4]) -> [f32; 4] {
    let [x, y, z, w] = quaternion;
    let square = x * x + y * y + z * z + w * w;
    if square > 0.0 {
        let scale = square.sqrt().recip();
        quaternion.map(|value| value * scale)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// Decodes the eight-byte form.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quat8;

impl Decode for Quat8 {
    type Raw = [I16; 4];
    type Value = Frame;

    #[inline]
    fn decode(&self, raw: &[I16; 4]) -> Frame {
        Frame { rotation: unit(self.rotation(raw)), handedness: if raw[3].get() < 0 { -1.0 } else { 1.0 } }
    }

    fn decode_all(&self, raw: &[[I16; 4]], out: &mut [Frame]) {
        simd::frame8(raw, out);
    }
}

/// Encodes a frame in eight bytes, as the engine does.
#[must_use]
pub fn encode8(frame: &Frame) -> [I16; 4] {
    encode_rotation(frame.signed_rotation())
}

/// Encodes a unit quaternion in eight bytes: each component truncated toward zero, abs(w) lifted to 32 with its sign.
///
/// ```
/// use meshpeek::decode::frame::encode_rotation;
/// let raw = encode_rotation([0.70710678, 0.0, 0.70710678, -0.0]);
/// assert_eq!(raw.map(|component| component.get()), [23169, 0, 23169, -32]);
/// ```
#[must_use]
pub fn encode_rotation(rotation: [f32; 4]) -> [I16; 4] {
    let [x, y, z, w] = rotation.map(component);
    let w = match w {
        w if w.abs() >= LEAST_W => w,
        _ if rotation[3].is_sign_negative() => LEAST_W.wrapping_neg(),
        _ => LEAST_W,
    };
    [x, y, z, w].map(I16::new)
}

/// Encodes one component of a unit quaternion: truncated toward zero, clamped, never −32768.
#[must_use]
pub fn encode_component(value: f32) -> I16 {
    I16::new(component(value))
}

fn component(value: f32) -> i16 {
    i16::try_from(truncate(value, SCALE)).unwrap_or_default()
}

/// The raw seven-byte form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawQuat7 {
    /// x, y, z, scaled by 32767.
    pub xyz: [I16; 3],
    /// The handedness: 127 or −127.
    pub sign: i8,
}

/// Decodes the seven-byte form.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quat7;

impl Decode for Quat7 {
    type Raw = RawQuat7;
    type Value = Frame;

    #[inline]
    fn decode(&self, raw: &RawQuat7) -> Frame {
        Frame { rotation: unit(self.rotation(raw)), handedness: if raw.sign < 0 { -1.0 } else { 1.0 } }
    }

    fn decode_all(&self, raw: &[RawQuat7], out: &mut [Frame]) {
        simd::frame7(raw, out);
    }
}

/// Encodes a frame in seven bytes.
#[must_use]
pub fn encode7(frame: &Frame) -> RawQuat7 {
    let [x, y, z, w] = frame.rotation;
    let turn = if w.is_sign_negative() { -1.0 } else { 1.0 };
    let xyz = [x, y, z].map(|value| I16::new(component(value * turn)));
    RawQuat7 { xyz, sign: if frame.handedness < 0.0 { -127 } else { 127 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: [f32; 3], expected: [f32; 3], error: f32) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= error, "{found} for {expected}");
        }
    }

    fn rotations() -> impl Iterator<Item = [f32; 4]> {
        (0..4096_u16).map(|seed| {
            let part = |shift: u32| f32::from((seed.wrapping_mul(40_503) >> shift) % 9) - 4.0;
            unit([part(0), part(3), part(6), part(9)])
        })
    }

    #[test]
    fn golden_vectors() {
        let raw = [17683, -13893, -13487, 19647].map(I16::new);
        let frame = Quat8.decode(&raw);
        close(frame.normal(), [-0.952_762, -0.298_141, 0.057_935], 2e-6);
        close(frame.tangent(), [0.301_58, -0.951_277, 0.064_204], 2e-6);
        close(frame.bitangent(), [0.035_971, 0.078_644, 0.996_254], 2e-6);
        let raw = RawQuat7 { xyz: [I16::new(16383); 3], sign: -127 };
        let frame = Quat7.decode(&raw);
        close(frame.normal(), [1.0, -6.1e-5, 6.1e-5], 1e-6);
        close(frame.bitangent(), [6.1e-5, -6.1e-5, -1.0], 1e-6);
        let encoded = |rotation: [f32; 4]| encode_rotation(rotation).map(I16::get);
        assert_eq!(encoded([std::f32::consts::FRAC_1_SQRT_2; 4]), [23169; 4]);
        assert_eq!(encoded([-std::f32::consts::FRAC_1_SQRT_2; 4]), [-23169; 4]);
        assert_eq!(encoded([1.5, -1.5, f32::NAN, f32::INFINITY]), [32767, -32767, 0, 32767]);
        assert_eq!(encoded([0.0, 0.0, 1.0, 0.0005]), [0, 0, 32767, 32]);
        assert_eq!(encoded([0.0, 0.0, 1.0, -0.0005]), [0, 0, 32767, -32]);
        assert_eq!(encoded([0.0, 0.0, 1.0, -0.001]), [0, 0, 32767, -32]);
        assert_eq!(encoded([0.0, 0.0, 1.0, -0.0011]), [0, 0, 32767, -36]);
    }

    #[test]
    fn any_bits_decode() {
        for raw in [[0; 4], [-32768; 4], [0, 0, 0, -1], [0, 0, -16383, -32]] {
            let frame = Quat8.decode(&raw.map(I16::new));
            let length: f32 = frame.normal().iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-5, "{raw:?}");
        }
        assert_eq!(Quat8.decode(&[I16::new(0); 4]), Frame::default());
        let wide = Quat7.decode(&RawQuat7 { xyz: [I16::new(-32768); 3], sign: 0 });
        assert!((wide.rotation[3], wide.handedness) == (0.0, 1.0));
    }

    #[test]
    fn axes_survive_both_forms() {
        for rotation in rotations() {
            for handedness in [1.0, -1.0] {
                let original = Frame { rotation, handedness };
                let again = Frame::from_axes(original.normal(), original.tangent(), handedness);
                close(again.bitangent(), original.bitangent(), 1e-5);
                let eight = Quat8.decode(&encode8(&original));
                assert!(eight.handedness.to_bits() == handedness.to_bits());
                close(eight.normal(), original.normal(), 0.003);
                close(eight.tangent(), original.tangent(), 0.003);
                close(eight.bitangent(), original.bitangent(), 0.003);
                let seven = Quat7.decode(&encode7(&original));
                assert!(seven.handedness.to_bits() == handedness.to_bits());
                close(seven.normal(), original.normal(), 0.03);
                close(seven.bitangent(), original.bitangent(), 0.03);
            }
        }
    }
}
