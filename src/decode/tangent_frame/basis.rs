//! Decoders that return the stored quaternion, or the normal, the tangent and the handedness.

use zerocopy::little_endian::I16;

use crate::decode::codec::{Decode, one_by_one};
use crate::decode::divisor::BY_32767;
use crate::decode::stream::in_blocks;
use crate::decode::tangent_frame::axes::Basis;
use crate::decode::tangent_frame::quaternion::{Quat7, Quat8, Quaternion};
use crate::decode::tangent_frame::scalar::{RawQuat7, frame7, frame8, rotation7, rotation8};
#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::decode::tangent_frame::{avx2, avx512};
use crate::simd::kernel;

/// A decoder of stored quaternions, and of the normals and tangents that they represent.
pub trait StoredRotation: Quaternion {
    /// Returns x, y, z and w of the stored quaternion, without scaling it to unit length.
    ///
    /// [`Quat7`] computes w from x, y and z, because the seven bytes do not contain w. The w that
    /// [`Quat7`] computes is not negative.
    fn rotation(&self, raw: &Self::Raw) -> [f32; 4];

    /// Decodes an array of quaternions. The decoded quaternions are bit for bit equal to the
    /// results of [`rotation`](Self::rotation).
    fn rotations(&self, raw: &[Self::Raw], out: &mut [[f32; 4]]);

    /// Decodes the normals and tangents of an array of quaternions. The decoded [`Basis`] records
    /// are bit for bit equal to the results of [`Basis::from`] for each [`TangentFrame`](super::TangentFrame).
    fn bases(&self, raw: &[Self::Raw], out: &mut [Basis]);
}

impl StoredRotation for Quat8 {
    #[inline]
    fn rotation(&self, raw: &[I16; 4]) -> [f32; 4] {
        rotation8(raw)
    }

    fn rotations(&self, raw: &[[I16; 4]], out: &mut [[f32; 4]]) {
        rotations8(raw, out);
    }

    fn bases(&self, raw: &[[I16; 4]], out: &mut [Basis]) {
        bases8(raw, out);
    }
}

impl StoredRotation for Quat7 {
    #[inline]
    fn rotation(&self, raw: &RawQuat7) -> [f32; 4] {
        rotation7(raw)
    }

    fn rotations(&self, raw: &[RawQuat7], out: &mut [[f32; 4]]) {
        rotations7(raw, out);
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

impl<D: StoredRotation> Decode for RotationOf<D> {
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

impl<D: StoredRotation> Decode for BasisOf<D> {
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
