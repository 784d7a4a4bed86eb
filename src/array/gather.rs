//! Decoding of single items of an array, in the order of a list of indices.

use zerocopy::{FromBytes, IntoBytes};

use crate::array::access::Array;
use crate::array::chunk_buffer::ChunkBuffer;
use crate::array::{Consecutive, CornerArray, Packed, Strided};
use crate::decode::Decode;
use crate::decode::polygon::DecodeCorners;
use crate::math::as_index;

/// An array whose items can be decoded in any order.
pub(crate) trait Gather: Array {
    /// Decodes the items with the given indices into `out`, in order, up to the shorter of the two
    /// lengths. Returns `None` if an index is out of range.
    ///
    /// `records` is memory for encoded items.
    fn gather(&self, indices: &[u32], records: &mut ChunkBuffer, out: &mut [Self::Item]) -> Option<()> {
        let _ = records;
        for (out, index) in out.iter_mut().zip(indices) {
            *out = self.get(as_index(*index))?;
        }
        Some(())
    }
}

impl<D: Decode> Gather for Packed<'_, D> {
    /// Copies the records of a chunk of items to `records`, and then decodes all of them at once.
    fn gather(&self, indices: &[u32], records: &mut ChunkBuffer, out: &mut [D::Value]) -> Option<()> {
        let count = indices.len().min(out.len());
        let (indices, out) = (indices.get(..count)?, out.get_mut(..count)?);
        let room = records.values::<u8>();
        let size = size_of::<D::Raw>();
        let step = room.len().checked_div(size)?.max(1);
        for (indices, out) in indices.chunks(step).zip(out.chunks_mut(step)) {
            let bytes = room.get_mut(..indices.len().checked_mul(size)?)?;
            for (place, index) in bytes.chunks_exact_mut(size).zip(indices) {
                place.copy_from_slice(self.raw().get(as_index(*index))?.as_bytes());
            }
            self.decoder().decode_all(<[D::Raw]>::ref_from_bytes(bytes).ok()?, out);
        }
        Some(())
    }
}

impl<D: Decode> Gather for Strided<'_, D> {}
impl<D: DecodeCorners> Gather for CornerArray<'_, D> {}
impl Gather for Consecutive {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::decode::{Index, Packed64};

    #[test]
    fn gathers_what_get_returns() {
        let bytes = any_bytes(3000 * 8);
        let array = Packed::new(<[_]>::ref_from_bytes(&bytes).unwrap(), Packed64);
        let indices: Vec<u32> = (0..2500_u32).map(|number| number.wrapping_mul(40_503) % 3000).collect();
        let mut records = ChunkBuffer::EMPTY;
        for count in [0, 1, 7, 1023, 1024, 1025, 2500] {
            let mut out = vec![[0.0; 3]; count];
            array.gather(&indices, &mut records, &mut out).unwrap();
            let expected = indices[..count].iter().map(|index| Packed64.decode(&array.raw()[as_index(*index)]));
            assert!(out.iter().map(|item| item.map(f32::to_bits)).eq(expected.map(|item| item.map(f32::to_bits))));
        }
        assert!(array.gather(&[0, 3000], &mut records, &mut [[0.0; 3]; 2]).is_none());
        let bytes = Packed::new(&bytes, Index::<u8>::new());
        assert!(bytes.gather(&[u32::MAX], &mut records, &mut [0]).is_none());
    }
}
