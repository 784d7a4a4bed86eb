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
