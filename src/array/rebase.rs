//! Decodes an array from a copy of its bytes, such as bytes that were read from the file into a
//! buffer.

use bytemuck::Zeroable as _;
use zerocopy::FromBytes as _;

use crate::array::access::Array;
use crate::array::{Consecutive, CornerArray, Packed, Strided};
use crate::decode::Decode;
use crate::decode::polygon::DecodeCorners;

/// An array that can be decoded from a copy of its bytes.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the bench of the program uses it"))]
pub(crate) trait Rebase: Array {
    /// The type of the array over bytes with the lifetime `'b`.
    type Over<'b>: Array<Item = Self::Item>
    where
        Self: 'b;

    /// Returns the array with the same encoding over `bytes`, which are a copy of
    /// [`as_bytes`](Array::as_bytes).
    ///
    /// Returns `None` if `bytes` does not have the same length.
    fn over<'b>(&self, bytes: &'b [u8]) -> Option<Self::Over<'b>>
    where
        Self: 'b;

    /// Returns whether [`as_bytes`](Array::as_bytes) may contain more than the items of the array,
    /// because the format interleaves arrays.
    fn is_interleaved(&self) -> bool {
        false
    }

    /// Returns whether the bytes of the array are the bytes of its decoded items on this machine,
    /// at any alignment. No byte of the array is read.
    fn is_stored_decoded(&self) -> bool {
        let item = [Self::Item::zeroed()];
        let first = self.slice(0..1).and_then(|first| first.over(bytemuck::cast_slice(&item)));
        first.is_some_and(|first| first.as_slice::<Self::Item>().is_some())
    }
}

impl<D: Decode> Rebase for Packed<'_, D> {
    type Over<'b>
        = Packed<'b, D>
    where
        Self: 'b;

    fn over<'b>(&self, bytes: &'b [u8]) -> Option<Packed<'b, D>>
    where
        Self: 'b,
    {
        let raw = <[D::Raw]>::ref_from_bytes(bytes).ok().filter(|raw| raw.len() == self.len())?;
        Some(Packed::new(raw, self.decoder()))
    }
}

impl<D: Decode> Rebase for Strided<'_, D> {
    type Over<'b>
        = Strided<'b, D>
    where
        Self: 'b;

    fn over<'b>(&self, bytes: &'b [u8]) -> Option<Strided<'b, D>>
    where
        Self: 'b,
    {
        let array = Strided::new(bytes, self.fields().1, self.byte_offset(0), self.decoder());
        array.filter(|array| array.len() == self.len())
    }

    fn is_interleaved(&self) -> bool {
        self.fields().1 != size_of::<D::Raw>()
    }
}

impl<D: DecodeCorners> Rebase for CornerArray<'_, D> {
    type Over<'b>
        = CornerArray<'b, D>
    where
        Self: 'b;

    fn over<'b>(&self, bytes: &'b [u8]) -> Option<CornerArray<'b, D>>
    where
        Self: 'b,
    {
        let records = <[D::Raw]>::ref_from_bytes(bytes).ok().filter(|_| bytes.len() == self.as_bytes().len())?;
        Some(self.with_records(records))
    }

    fn is_interleaved(&self) -> bool {
        true
    }
}

impl Rebase for Consecutive {
    type Over<'b> = Self;

    fn over<'b>(&self, bytes: &'b [u8]) -> Option<Self>
    where
        Self: 'b,
    {
        bytes.is_empty().then_some(*self)
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::little_endian::{F32, U32};

    use super::*;
    use crate::array::arbitrary::any_bytes;
    use crate::decode::polygon::{PolygonIndices, RawPolygon};
    use crate::decode::{ByteOrder, EndianFloats, Floats, Index, Packed32};

    /// Checks that the array over a copy of its bytes has the same items, and that bytes of another
    /// length are refused.
    fn agree<A: Rebase<Item: PartialEq + std::fmt::Debug>>(array: A) {
        let copy = array.as_bytes().to_vec();
        let over = array.over(&copy).unwrap();
        assert_eq!(over.as_bytes().as_ptr_range(), copy.as_ptr_range());
        assert!(over.iter().eq(array.iter()));
        let longer = [copy.as_slice(), &[0; 64]].concat();
        assert!(array.over(&longer).is_none());
        if let Some(part) = array.slice(1..array.len().min(5)) {
            let copy = part.as_bytes().to_vec();
            assert!(part.over(&copy).unwrap().iter().eq(part.iter()));
        }
    }

    #[test]
    fn an_array_over_a_copy_of_its_bytes_is_equal() {
        // Bytes below 64 make no NaN and no index that is out of range.
        let bytes: Vec<u8> = any_bytes(960).iter().map(|byte| byte % 64).collect();
        agree(Packed::new(zerocopy::FromBytes::ref_from_bytes(&bytes[..40]).unwrap(), Packed32));
        agree(Strided::new(&bytes, 20, 4, EndianFloats::<3>(ByteOrder::Little)).unwrap());
        let polygons = <[RawPolygon]>::ref_from_bytes(&bytes).unwrap();
        agree(CornerArray::new(polygons, &[7, 2, 50], PolygonIndices));
        let counted = Consecutive::new(3);
        assert!(counted.over(&[]) == Some(counted) && counted.over(&[1]).is_none());
    }

    #[test]
    fn an_array_of_values_is_recognised_at_any_address() {
        let bytes = any_bytes(97);
        for start in 0..4 {
            let bytes = &bytes[start..start + 60];
            let floats = <[[F32; 3]]>::ref_from_bytes(bytes).unwrap();
            assert_eq!(Packed::new(floats, Floats::<3>).is_stored_decoded(), cfg!(target_endian = "little"));
            let indices = <[U32]>::ref_from_bytes(bytes).unwrap();
            assert_eq!(Packed::new(indices, Index::<U32>::new()).is_stored_decoded(), cfg!(target_endian = "little"));
            assert!(!Packed::new(bytes, Index::<u8>::new()).is_stored_decoded());
            for order in [ByteOrder::Little, ByteOrder::Big] {
                let dense = Strided::new(bytes, 12, 0, EndianFloats::<3>(order)).unwrap();
                assert_eq!(dense.is_stored_decoded(), order == ByteOrder::NATIVE);
                assert!(!Strided::new(bytes, 20, 0, EndianFloats::<3>(order)).unwrap().is_stored_decoded());
            }
        }
        assert!(!Consecutive::new(3).is_stored_decoded());
    }
}
