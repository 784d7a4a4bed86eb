//! What every codec implements.

use bytemuck::Pod;

use crate::parse::Record;

/// Makes a value of a raw record. Total: any bits give a value, and nothing panics.
pub trait Decode: Copy {
    /// What the file holds.
    type Raw: Record;
    /// What the caller gets: plain bytes, which a GPU can be handed as they are.
    type Value: Pod;

    /// Decodes one record.
    fn decode(&self, raw: &Self::Raw) -> Self::Value;

    /// Decodes records one after another, until either they or the places for their values end. An encoding that has a
    /// faster way than one by one goes it here; the values are the same.
    fn decode_all(&self, raw: &[Self::Raw], out: &mut [Self::Value]) {
        one_by_one(raw, out, |raw| self.decode(raw));
    }
}

/// Decodes records one after another.
#[inline(always)]
pub(crate) fn one_by_one<R, V>(raw: &[R], out: &mut [V], decode: impl Fn(&R) -> V) {
    out.iter_mut().zip(raw).for_each(|(value, raw)| *value = decode(raw));
}
