//! Tangent frames that are stored as quaternions.
//!
//! UNIGINE does not store a normal as a vector. UNIGINE stores the normal, the tangent and the
//! bitangent of a vertex together, as a quaternion (x, y, z, w) of signed 16-bit integers. The
//! decoder divides the integers by 32767 and normalises the quaternion. The columns of the rotation
//! matrix of this quaternion, in the usual right-handed convention, are the axes of the tangent
//! frame. The normal is the Z axis of the tangent frame. The tangent is the X axis of the tangent
//! frame, which is the direction in which U grows. The bitangent is the Y axis of the tangent
//! frame, times the sign of w, which is the direction in which V grows. The sign of w is the
//! handedness. The quaternions q and -q are the same rotation but different tangent frames, because
//! they differ in the sign of w.
//!
//! | form | generations | raw | w | worst error |
//! |---|---|---|---|---|
//! | [`Quat8`] | ms11 and later | 4 × i16 | stored | 0.007°; 0.12° if the encoder raised abs(w) to 32 |
//! | [`Quat7`] | ms10 | 3 × i16, i8 | √max(0, 1 - x² - y² - z²); the sign is that of the i8 | as above; 1.2° near w = 0 |
//!
//! When the UNIGINE engine encodes a component of a quaternion, it truncates toward zero. The
//! UNIGINE engine never writes the integer -32768 in a quaternion. The engine writes w with an
//! absolute value of 32 or more, because a code of 0 would lose the sign of w. A quaternion of zero
//! length decodes to the identity rotation.

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx512;
mod axes;
mod quaternion;
mod scalar;
mod snorm8x4;

pub use axes::TangentFrame;
pub use quaternion::{NormalOf, Quat7, Quat8};
pub use scalar::RawQuat7;
#[cfg(any(feature = "cli", feature = "internals"))]
pub use scalar::encode8;
#[cfg(feature = "internals")]
pub use scalar::{encode_component, encode7};
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) use snorm8x4::{EightNormals, eight_from_floats};
pub(crate) use snorm8x4::{normal8_to_snorm8x4, normals8_to_snorm8x4};

#[cfg(test)]
mod tests {
    use zerocopy::little_endian::I16;

    use super::*;
    use crate::decode::Decode;
    use crate::decode::tangent_frame::axes::unit;

    fn close(found: [f32; 3], expected: [f32; 3], error: f32) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= error, "{found} for {expected}");
        }
    }

    fn rotations() -> impl Iterator<Item = [f32; 4]> {
        (0..4096_u16).step_by(if cfg!(miri) { 61 } else { 1 }).map(|seed| {
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
        let encoded = |rotation: [f32; 4]| scalar::encode_rotation(rotation).map(I16::get);
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
        assert_eq!(Quat8.decode(&[I16::new(0); 4]), TangentFrame::default());
        let wide = Quat7.decode(&RawQuat7 { xyz: [I16::new(-32768); 3], sign: 0 });
        assert!((wide.rotation[3], wide.handedness) == (0.0, 1.0));
    }

    #[test]
    fn axes_survive_both_forms() {
        for rotation in rotations() {
            for handedness in [1.0, -1.0] {
                let original = TangentFrame { rotation, handedness };
                let again = TangentFrame::from_axes(original.normal(), original.tangent(), handedness);
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
