//! Decoders of a part of a frame: the normal alone, normal and tangent, or the quaternion as it is stored.

use bytemuck::{Pod, Zeroable};
use zerocopy::little_endian::I16;

use crate::decode::Decode;
use crate::decode::frame::{Frame, Quat7, Quat8, RawQuat7, SCALE};
use crate::simd::{self, BY_32767};

/// A form that quaternions are stored in, [`Quat8`] or [`Quat7`].
pub trait Quaternion: Decode<Value = Frame> {
    /// Returns x, y, z and w as they are stored, before they are brought to unit length; of the seven-byte form, w is what
    /// the others leave, and has no sign.
    fn rotation(&self, raw: &Self::Raw) -> [f32; 4];

    /// As [`rotation`](Self::rotation), of many; the values are the same.
    fn rotations(&self, raw: &[Self::Raw], out: &mut [[f32; 4]]);

    /// As [`Frame::normal`] of each; the values are the same.
    fn normals(&self, raw: &[Self::Raw], out: &mut [[f32; 3]]);

    /// As [`Basis::from`] of each frame; the values are the same.
    fn bases(&self, raw: &[Self::Raw], out: &mut [Basis]);
}

impl Quaternion for Quat8 {
    #[inline]
    fn rotation(&self, raw: &[I16; 4]) -> [f32; 4] {
        raw.map(|component| f32::from(component.get()) / SCALE)
    }

    fn rotations(&self, raw: &[[I16; 4]], out: &mut [[f32; 4]]) {
        simd::rotation8(raw, out);
    }

    fn normals(&self, raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        simd::normal8(raw, out);
    }

    fn bases(&self, raw: &[[I16; 4]], out: &mut [Basis]) {
        simd::basis8(raw, out);
    }
}

impl Quaternion for Quat7 {
    #[inline]
    fn rotation(&self, raw: &RawQuat7) -> [f32; 4] {
        let [x, y, z] = raw.xyz.map(|component| f32::from(component.get()) / SCALE);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        [x, y, z, w]
    }

    fn rotations(&self, raw: &[RawQuat7], out: &mut [[f32; 4]]) {
        simd::rotation7(raw, out);
    }

    fn normals(&self, raw: &[RawQuat7], out: &mut [[f32; 3]]) {
        simd::normal7(raw, out);
    }

    fn bases(&self, raw: &[RawQuat7], out: &mut [Basis]) {
        simd::basis7(raw, out);
    }
}

/// Decodes the quaternion as it is stored: x, y, z, w, nearly of unit length. The seven-byte form does not say the
/// handedness in w; [`BasisOf`] tells it.
///
/// ```
/// use meshpeek::decode::{Decode, Quat8, RotationOf};
/// use zerocopy::little_endian::I16;
/// assert_eq!(RotationOf(Quat8).decode(&[0, 32767, 0, -32767].map(I16::new)), [0.0, 1.0, 0.0, -1.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RotationOf<D>(pub D);

impl<D: Quaternion> Decode for RotationOf<D> {
    type Raw = D::Raw;
    type Value = [f32; 4];

    #[inline]
    fn decode(&self, raw: &D::Raw) -> [f32; 4] {
        self.0.rotation(raw)
    }

    fn decode_all(&self, raw: &[D::Raw], out: &mut [[f32; 4]]) {
        self.0.rotations(raw, out);
    }
}

/// Decodes the normal alone: unit length.
#[derive(Clone, Copy, Debug, Default)]
pub struct NormalOf<D>(pub D);

impl<D: Quaternion> Decode for NormalOf<D> {
    type Raw = D::Raw;
    type Value = [f32; 3];

    #[inline]
    fn decode(&self, raw: &D::Raw) -> [f32; 3] {
        self.0.decode(raw).normal()
    }

    fn decode_all(&self, raw: &[D::Raw], out: &mut [[f32; 3]]) {
        self.0.normals(raw, out);
    }
}

/// A tangent frame as shaders are given it: 28 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Basis {
    /// Unit length, pointing out of the surface.
    pub normal: [f32; 3],
    /// x, y, z: unit length, the direction in which U grows; and the handedness, 1 or −1: the bitangent is
    /// normal × tangent, times it.
    pub tangent: [f32; 4],
}

impl From<Frame> for Basis {
    #[inline]
    fn from(frame: Frame) -> Self {
        let [x, y, z] = frame.tangent();
        Self { normal: frame.normal(), tangent: [x, y, z, frame.handedness] }
    }
}

/// Decodes normal, tangent and handedness.
///
/// ```
/// use meshpeek::decode::{BasisOf, Decode, Quat8};
/// use zerocopy::little_endian::I16;
/// let basis = BasisOf(Quat8).decode(&[0, 0, 0, -32767].map(I16::new));
/// assert_eq!((basis.normal, basis.tangent), ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0]));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct BasisOf<D>(pub D);

impl<D: Quaternion> Decode for BasisOf<D> {
    type Raw = D::Raw;
    type Value = Basis;

    #[inline]
    fn decode(&self, raw: &D::Raw) -> Basis {
        self.0.decode(raw).into()
    }

    fn decode_all(&self, raw: &[D::Raw], out: &mut [Basis]) {
        self.0.bases(raw, out);
    }
}

/// Decodes stored components one after another.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn components<const FUSED: bool>(raw: &[[I16; 4]], out: &mut [[f32; 4]]) {
    for (value, raw) in out.as_flattened_mut().iter_mut().zip(raw.as_flattened()) {
        *value = BY_32767.divide::<FUSED>(f32::from(raw.get()));
    }
}
