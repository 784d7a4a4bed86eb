//! The trait that the decoders of all encodings implement.

use std::any::TypeId;

use bytemuck::Pod;
use zerocopy::IntoBytes as _;

use crate::decode::endian::ByteOrder;
use crate::decode::stream::in_blocks;
use crate::parse::Record;
use crate::simd::Store128;

/// Decodes a record of a file to a value.
///
/// Every record can be decoded: any bit pattern of a record gives a value, and decoding never
/// panics.
pub trait Decode: Copy {
    /// The type of an encoded record in the file.
    type Raw: Record;
    /// The type of the decoded value. It implements [`Pod`], so the bytes of a value can be copied
    /// to a GPU buffer unchanged.
    type Value: Pod;

    /// Decodes one record to its value.
    fn decode(&self, raw: &Self::Raw) -> Self::Value;

    /// Decodes the records in `raw` to `out`, in order, until one of the two slices ends.
    ///
    /// A decoder overrides `decode_all` if it can decode many records faster than one by one. The
    /// values that `decode_all` writes to `out` are bit for bit equal to the results of
    /// [`decode`](Self::decode).
    ///
    /// The decoders of this crate write an output of 32 MiB or more past the processor's cache.
    fn decode_all(&self, raw: &[Self::Raw], out: &mut [Self::Value]) {
        in_blocks::<Store128, _, _, 16>(raw, out, |raw, out| one_by_one(raw, out, |raw| self.decode(raw)));
    }

    /// Returns whether the bytes of each record are the bytes of its value on this machine. If so,
    /// a record and a value have the same size, and decoding copies the bytes.
    fn is_copy(&self) -> bool {
        false
    }

    /// Returns the records as a slice of `T`, without copying, or `None` if a record is not stored
    /// as a `T` of this machine or is not aligned for `T`.
    ///
    /// [`Array::as_slice`](crate::Array::as_slice) lists the types.
    fn as_slice<'a, T: Pod>(&self, raw: &'a [Self::Raw]) -> Option<&'a [T]> {
        let _ = raw;
        None
    }
}

/// Returns records as a slice of `T`, or `None` if `T` is not the type `V` of the stored values, if
/// the values are not in the byte order of the machine, or if the records are not aligned for `V`.
pub(crate) fn cast<V: Pod, T: Pod, R: Record>(raw: &[R], order: ByteOrder) -> Option<&[T]> {
    if TypeId::of::<T>() != TypeId::of::<V>() || order != ByteOrder::NATIVE {
        return None;
    }
    if raw.is_empty() { Some(&[]) } else { bytemuck::try_cast_slice(raw.as_bytes()).ok() }
}

/// Decodes each number of a record, like the method `map` of arrays. If the crate is compiled in
/// several codegen units without link-time optimisation, that method calls a function for each.
#[inline(always)]
pub(crate) fn each<T: Copy, V: Pod, const N: usize>(numbers: &[T; N], decode: impl Fn(T) -> V) -> [V; N] {
    let mut values = [V::zeroed(); N];
    let mut left = numbers.iter();
    for value in &mut values {
        *value = left.next().map_or(*value, |number| decode(*number));
    }
    values
}

/// Decodes records one at a time, in order, with the given closure.
#[inline(always)]
pub(crate) fn one_by_one<R, V>(raw: &[R], out: &mut [V], decode: impl Fn(&R) -> V) {
    out.iter_mut().zip(raw).for_each(|(value, raw)| *value = decode(raw));
}
