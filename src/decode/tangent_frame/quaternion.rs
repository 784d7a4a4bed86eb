//! Decoders of a tangent frame that is stored as a quaternion.
//!
//! For each stored quaternion, a decoder returns one of the following: a [`TangentFrame`], a
//! normal, a normal with a tangent, or the quaternion.

use zerocopy::little_endian::I16;

use crate::decode::codec::{Decode, one_by_one};
use crate::decode::divisor::BY_32767;
use crate::decode::stream::in_blocks;
use crate::decode::tangent_frame::axes::{Basis, TangentFrame};
use crate::decode::tangent_frame::scalar::{RawQuat7, frame7, frame8, rotation7, rotation8};
#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::decode::tangent_frame::{avx2, avx512};
use crate::simd::kernel;

/// Decodes a tangent frame that is stored in eight bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quat8;

impl Decode for Quat8 {
    type Raw = [I16; 4];
    type Value = TangentFrame;

    #[inline]
    fn decode(&self, raw: &[I16; 4]) -> TangentFrame {
        frame8(raw)
    }

    fn decode_all(&self, raw: &[[I16; 4]], out: &mut [TangentFrame]) {
        frames8(raw, out);
    }
}

/// Decodes a tangent frame that is stored in seven bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quat7;

impl Decode for Quat7 {
    type Raw = RawQuat7;
    type Value = TangentFrame;

    #[inline]
    fn decode(&self, raw: &RawQuat7) -> TangentFrame {
        frame7(raw)
    }

    fn decode_all(&self, raw: &[RawQuat7], out: &mut [TangentFrame]) {
        frames7(raw, out);
    }
}

/// A decoder of stored quaternions: [`Quat8`] for eight bytes or [`Quat7`] for seven bytes.
pub trait Quaternion: Decode<Value = TangentFrame> {
    /// Returns x, y, z and w of the stored quaternion, without scaling it to unit length.
    ///
    /// [`Quat7`] computes w from x, y and z, because the seven bytes do not contain w. The w that
    /// [`Quat7`] computes is not negative.
    fn rotation(&self, raw: &Self::Raw) -> [f32; 4];

    /// Decodes an array of quaternions. The decoded quaternions are bit for bit equal to the
    /// results of [`rotation`](Self::rotation).
    fn rotations(&self, raw: &[Self::Raw], out: &mut [[f32; 4]]);

    /// Decodes the normals of an array of quaternions. The decoded normals are bit for bit equal to
    /// the results of [`TangentFrame::normal`].
    fn normals(&self, raw: &[Self::Raw], out: &mut [[f32; 3]]);

    /// Decodes the normals and tangents of an array of quaternions. The decoded [`Basis`] records
    /// are bit for bit equal to the results of [`Basis::from`] for each [`TangentFrame`].
    fn bases(&self, raw: &[Self::Raw], out: &mut [Basis]);
}

impl Quaternion for Quat8 {
    #[inline]
    fn rotation(&self, raw: &[I16; 4]) -> [f32; 4] {
        rotation8(raw)
    }

    fn rotations(&self, raw: &[[I16; 4]], out: &mut [[f32; 4]]) {
        rotations8(raw, out);
    }

    fn normals(&self, raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        normals8(raw, out);
    }

    fn bases(&self, raw: &[[I16; 4]], out: &mut [Basis]) {
        bases8(raw, out);
    }
}

impl Quaternion for Quat7 {
    #[inline]
    fn rotation(&self, raw: &RawQuat7) -> [f32; 4] {
        rotation7(raw)
    }

    fn rotations(&self, raw: &[RawQuat7], out: &mut [[f32; 4]]) {
        rotations7(raw, out);
    }

    fn normals(&self, raw: &[RawQuat7], out: &mut [[f32; 3]]) {
        normals7(raw, out);
    }

    fn bases(&self, raw: &[RawQuat7], out: &mut [Basis]) {
        bases7(raw, out);
    }
}

/// Decodes the stored quaternion x, y, z, w, whose length is nearly 1.
///
/// In a quaternion of seven bytes ([`Quat7`]), the sign of w is not the handedness. To get the
/// handedness, use [`BasisOf`].
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

/// Decodes only the normal of a stored tangent frame. The normal has unit length.
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

/// Decodes the normal, the tangent and the handedness of a stored tangent frame.
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

kernel! {
    /// Decodes quaternions that are stored in eight bytes, without scaling them to unit length.
    fn rotations8(raw: &[[I16; 4]], out: &mut [[f32; 4]]) {
        avx512 | avx2 => in_blocks::<Store, _, _, 16>(raw, out, components::<true>),
        _ => in_blocks::<Store, _, _, 16>(raw, out, components::<false>),
    }
}

kernel! {
    /// Decodes quaternions that are stored in seven bytes, without scaling them to unit length.
    fn rotations7(raw: &[RawQuat7], out: &mut [[f32; 4]]) {
        avx512 => avx512::rotations7::<Store>(raw, out),
        avx2 => avx2::rotations7::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, rotation7)),
    }
}

kernel! {
    /// Decodes tangent frames that are stored in eight bytes.
    fn frames8(raw: &[[I16; 4]], out: &mut [TangentFrame]) {
        avx512 => avx512::frames8::<Store>(raw, out),
        avx2 => avx2::frames8::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, frame8)),
    }
}

kernel! {
    /// Decodes tangent frames that are stored in seven bytes.
    fn frames7(raw: &[RawQuat7], out: &mut [TangentFrame]) {
        avx512 => avx512::frames7::<Store>(raw, out),
        avx2 => avx2::frames7::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, frame7)),
    }
}

kernel! {
    /// Decodes the normals of tangent frames that are stored in eight bytes.
    fn normals8(raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        avx512 => avx512::normals8::<Store>(raw, out),
        avx2 => avx2::normals8::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, |raw| frame8(raw).normal())),
    }
}

kernel! {
    /// Decodes the normals of tangent frames that are stored in seven bytes.
    fn normals7(raw: &[RawQuat7], out: &mut [[f32; 3]]) {
        avx512 => avx512::normals7::<Store>(raw, out),
        avx2 => avx2::normals7::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, |raw| frame7(raw).normal())),
    }
}

kernel! {
    /// Decodes the normals, tangents and handedness of tangent frames that are stored in eight
    /// bytes.
    fn bases8(raw: &[[I16; 4]], out: &mut [Basis]) {
        avx512 => avx512::bases8::<Store>(raw, out),
        avx2 => avx2::bases8::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, |raw| frame8(raw).into())),
    }
}

kernel! {
    /// Decodes the normals, tangents and handedness of tangent frames that are stored in seven
    /// bytes.
    fn bases7(raw: &[RawQuat7], out: &mut [Basis]) {
        avx512 => avx512::bases7::<Store>(raw, out),
        avx2 => avx2::bases7::<Store>(raw, out),
        _ => in_blocks::<Store, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, |raw| frame7(raw).into())),
    }
}

#[inline(always)]
fn components<const FUSED: bool>(raw: &[[I16; 4]], out: &mut [[f32; 4]]) {
    for (value, raw) in out.as_flattened_mut().iter_mut().zip(raw.as_flattened()) {
        *value = BY_32767.divide::<FUSED>(f32::from(raw.get()));
    }
}
