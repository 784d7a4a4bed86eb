//! Little-endian `f32`, one or several, at any address: decoded exactly.

use zerocopy::little_endian::F32;

use super::Decode;

/// Decodes `N` floats that stand together: a position, a UV pair. Exact, NaN payloads included.
#[derive(Clone, Copy, Debug, Default)]
pub struct Floats<const N: usize>;

impl<const N: usize> Decode for Floats<N> {
    type Raw = [F32; N];
    type Value = [f32; N];

    #[inline]
    fn decode(&self, raw: &[F32; N]) -> [f32; N] {
        raw.map(F32::get)
    }
}

/// Encodes `N` floats. Exact.
#[must_use]
pub fn encode<const N: usize>(value: [f32; N]) -> [F32; N] {
    value.map(F32::new)
}
