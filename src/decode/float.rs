//! Decoder and encoder of little-endian `f32` values at any address. Decoding and encoding a float
//! are exact.

use bytemuck::Pod;
use zerocopy::IntoBytes;
use zerocopy::little_endian::F32;

use crate::decode::codec::{Decode, cast, each, one_by_one};
use crate::decode::endian::ByteOrder;
use crate::decode::stream::copy;

/// Decodes `N` adjacent floats, such as a position or a UV pair. Decoding a float is exact,
/// including NaN payloads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Floats<const N: usize>;

impl<const N: usize> Decode for Floats<N> {
    type Raw = [F32; N];
    type Value = [f32; N];

    #[inline]
    fn decode(&self, raw: &[F32; N]) -> [f32; N] {
        each(raw, F32::get)
    }

    fn decode_all(&self, raw: &[[F32; N]], out: &mut [[f32; N]]) {
        if self.is_copy() {
            // On a little-endian machine, the floats of the file are copied byte for byte.
            let count = raw.len().min(out.len());
            let raw = raw.get(..count).unwrap_or_default().as_bytes();
            let out = out.get_mut(..count).unwrap_or_default();
            copy(raw, bytemuck::cast_slice_mut(out.as_flattened_mut()));
        } else {
            one_by_one(raw, out, |raw| self.decode(raw));
        }
    }

    fn is_copy(&self) -> bool {
        cfg!(target_endian = "little")
    }

    fn as_slice<'a, T: Pod>(&self, raw: &'a [[F32; N]]) -> Option<&'a [T]> {
        cast::<[f32; N], T, _>(raw, ByteOrder::Little)
    }
}

/// Encodes `N` floats as little-endian bytes. Encoding a float is exact.
#[cfg(any(feature = "cli", feature = "internals"))]
#[must_use]
pub fn encode<const N: usize>(value: [f32; N]) -> [F32; N] {
    value.map(F32::new)
}
