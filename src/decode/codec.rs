//! The trait that the decoders of all encodings implement.

use bytemuck::Pod;

use crate::parse::Record;

/// Decodes a record of a file to a value.
///
/// Every record can be decoded: any bits give a value, and decoding never panics.
pub trait Decode: Copy {
    /// The type of the record in the file.
    type Raw: Record;
    /// The type of the decoded value. It is plain bytes, which can be passed to a GPU unchanged.
    type Value: Pod;

    /// Decodes one record to its value.
    fn decode(&self, raw: &Self::Raw) -> Self::Value;

    /// Decodes records in order, until the end of the shorter slice, `raw` or `out`.
    ///
    /// An encoding overrides this method if it has a faster way to decode many records. The values
    /// are the same as those of [`decode`](Self::decode).
    fn decode_all(&self, raw: &[Self::Raw], out: &mut [Self::Value]) {
        one_by_one(raw, out, |raw| self.decode(raw));
    }
}

/// Decodes records one at a time, in order, with the given closure.
#[inline(always)]
pub(crate) fn one_by_one<R, V>(raw: &[R], out: &mut [V], decode: impl Fn(&R) -> V) {
    out.iter_mut().zip(raw).for_each(|(value, raw)| *value = decode(raw));
}
