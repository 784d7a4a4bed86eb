//! Decoding of single items of an array, in the order of a list of indices.

use zerocopy::{FromBytes, IntoBytes};

use crate::array::access::Array;
use crate::array::bulk::{CHUNK_BYTES, ChunkBuffer};
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
    fn gather_with(&self, indices: &[u32], records: &mut ChunkBuffer, out: &mut [Self::Item]) -> Option<()> {
        let _ = records;
        for (out, index) in out.iter_mut().zip(indices) {
            *out = self.get(as_index(*index))?;
        }
        Some(())
    }
}

impl<D: Decode> Packed<'_, D> {
    /// Copies the records with the given indices to `records`, in order. Returns `None` if an index
    /// is out of range, or if `records` has room for fewer.
    pub(crate) fn gather_records<'r>(&self, indices: &[u32], records: &'r mut ChunkBuffer) -> Option<&'r [D::Raw]> {
        let bytes = records.values::<u8>().get_mut(..indices.len().checked_mul(size_of::<D::Raw>())?)?;
        let places = <[D::Raw]>::mut_from_bytes(bytes).ok()?;
        self.copy_records(indices, places)?;
        Some(places)
    }

    /// Copies the records with the given indices to `places`, in order. The two slices have the
    /// same length. Returns `None` if an index is out of range.
    fn copy_records(&self, indices: &[u32], places: &mut [D::Raw]) -> Option<()> {
        let raw = self.raw();
        let copy = |place: &mut D::Raw, index: u32| {
            place.as_mut_bytes().copy_from_slice(raw.get(as_index(index))?.as_bytes());
            Some(())
        };
        let (fours, last) = places.as_chunks_mut::<4>();
        let (four_indices, last_indices) = indices.as_chunks::<4>();
        for ([a, b, c, d], [first, second, third, fourth]) in fours.iter_mut().zip(four_indices) {
            copy(a, *first)?;
            copy(b, *second)?;
            copy(c, *third)?;
            copy(d, *fourth)?;
        }
        for (place, index) in last.iter_mut().zip(last_indices) {
            copy(place, *index)?;
        }
        Some(())
    }
}

impl<D: Decode> Gather for Packed<'_, D> {
    /// Copies the records of a chunk of items to `records`, and then decodes all of them at once.
    /// If the decoder copies, the records are copied to `out`.
    fn gather_with(&self, indices: &[u32], records: &mut ChunkBuffer, out: &mut [D::Value]) -> Option<()> {
        let count = indices.len().min(out.len());
        let (indices, out) = (indices.get(..count)?, out.get_mut(..count)?);
        if self.decoder().is_copy() {
            return self.copy_records(indices, <[D::Raw]>::mut_from_bytes(bytemuck::cast_slice_mut(out)).ok()?);
        }
        let step = CHUNK_BYTES.checked_div(size_of::<D::Raw>())?.max(1);
        for (indices, out) in indices.chunks(step).zip(out.chunks_mut(step)) {
            self.decoder().decode_all(self.gather_records(indices, records)?, out);
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
    use crate::decode::{Floats, Index, Packed64};

    #[test]
    fn gathers_what_get_returns() {
        let bytes = any_bytes(3000 * 8);
        let array = Packed::new(<[_]>::ref_from_bytes(&bytes).unwrap(), Packed64);
        let indices: Vec<u32> = (0..2500_u32).map(|number| number.wrapping_mul(40_503) % 3000).collect();
        let mut records = ChunkBuffer::EMPTY;
        for count in [0, 1, 7, 1023, 1024, 1025, 2500] {
            let mut out = vec![[0.0; 3]; count];
            array.gather_with(&indices, &mut records, &mut out).unwrap();
            let expected = indices[..count].iter().map(|index| Packed64.decode(&array.raw()[as_index(*index)]));
            assert!(out.iter().map(|item| item.map(f32::to_bits)).eq(expected.map(|item| item.map(f32::to_bits))));
        }
        assert!(array.gather_with(&[0, 3000], &mut records, &mut [[0.0; 3]; 2]).is_none());
        let floats = Packed::new(<[_]>::ref_from_bytes(&bytes[..2000 * 12]).unwrap(), Floats::<3>);
        for count in [0, 1, 3, 4, 5, 2000] {
            let indices: Vec<u32> = (0..count).map(|number| number * 7 % 2000).collect();
            let mut out = vec![[0.0; 3]; indices.len()];
            floats.gather_with(&indices, &mut records, &mut out).unwrap();
            let expected = indices.iter().map(|index| floats.get(as_index(*index)).unwrap());
            assert!(out.iter().map(|item| item.map(f32::to_bits)).eq(expected.map(|item| item.map(f32::to_bits))));
        }
        assert!(floats.gather_with(&[2000], &mut records, &mut [[0.0; 3]]).is_none());
        let bytes = Packed::new(&bytes, Index::<u8>::new());
        assert!(bytes.gather_with(&[u32::MAX], &mut records, &mut [0]).is_none());
    }
}
