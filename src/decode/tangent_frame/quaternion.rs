//! Decoders of a tangent frame that is stored as a quaternion.
//!
//! For each stored quaternion, a decoder returns a [`TangentFrame`] or a normal.

use zerocopy::little_endian::I16;

use crate::decode::codec::{Decode, one_by_one};
use crate::decode::stream::in_blocks;
use crate::decode::tangent_frame::axes::TangentFrame;
use crate::decode::tangent_frame::scalar::{RawQuat7, frame7, frame8};
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
    /// Decodes the normals of an array of quaternions. The decoded normals are bit for bit equal to
    /// the results of [`TangentFrame::normal`].
    fn normals(&self, raw: &[Self::Raw], out: &mut [[f32; 3]]);
}

impl Quaternion for Quat8 {
    fn normals(&self, raw: &[[I16; 4]], out: &mut [[f32; 3]]) {
        normals8(raw, out);
    }
}

impl Quaternion for Quat7 {
    fn normals(&self, raw: &[RawQuat7], out: &mut [[f32; 3]]) {
        normals7(raw, out);
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
