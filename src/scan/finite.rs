//! A scan of an array for floats that are not finite: infinities and NaNs.

use zerocopy::little_endian::F32;

use crate::array::{Array, Packed};
use crate::decode::Floats;
use crate::math::as_u64;
use crate::simd::kernel;

/// The number of array items that contain an infinity or a NaN, and the index of the first such
/// item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NonFinite {
    /// The number of array items that contain an infinity or a NaN.
    pub count: u64,
    /// The index of the first array item that contains an infinity or a NaN, or 0 if no item does
    /// (`count` is 0).
    pub first: u64,
}

/// The number of array items in a batch. Each batch is checked for infinities and NaNs as a whole.
///
/// The items of a batch are examined one by one only if the batch contains an infinity or a NaN,
/// and most arrays contain no infinities and no NaNs.
const ITEM_BATCH: usize = 1024;

impl<const N: usize> Packed<'_, Floats<N>> {
    /// Counts the array items that contain an infinity or a NaN, and finds the index of the first
    /// such item.
    ///
    /// ```
    /// use meshpeek::{Packed, decode::Floats};
    /// use zerocopy::little_endian::F32;
    /// let raw = [[1.0, 2.0], [f32::NAN, 0.0]].map(|uv| uv.map(F32::new));
    /// let found = Packed::new(&raw, Floats::<2>).non_finite();
    /// assert_eq!((found.count, found.first), (1, 1));
    /// ```
    #[must_use]
    pub fn non_finite(&self) -> NonFinite {
        self.prefetch();
        let mut found = NonFinite::default();
        let starts = (0_usize..).step_by(ITEM_BATCH);
        for (start, items) in
            starts.zip(self.raw().chunks(ITEM_BATCH)).filter(|(_, items)| any_non_finite(items.as_flattened()))
        {
            for (item, _) in (start..).zip(items).filter(|(_, item)| item.iter().any(is_non_finite)) {
                found.first = if found.count == 0 { as_u64(item) } else { found.first };
                found.count = found.count.saturating_add(1);
            }
        }
        found
    }
}

kernel! {
    fn any_non_finite(floats: &[F32]) -> bool {
        floats.iter().fold(false, |any, float| any | is_non_finite(float))
    }
}

/// Returns whether a float is an infinity or a NaN, for which all bits of the exponent are set.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
fn is_non_finite(float: &F32) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    u32::from_le_bytes(float.to_bytes()) & EXPONENT == EXPONENT
}

#[cfg(test)]
mod tests {
    use zerocopy::FromBytes;

    use super::*;
    use crate::array::arbitrary::{any_bytes, places};

    /// The reference implementation of the search for infinities and NaNs, which the tests compare
    /// with the scan. It processes one array item at a time.
    fn naive<const N: usize>(raw: &[[F32; N]]) -> NonFinite {
        let wild: Vec<usize> =
            (0..raw.len()).filter(|item| !raw[*item].iter().all(|value| value.get().is_finite())).collect();
        NonFinite { count: as_u64(wild.len()), first: as_u64(wild.first().copied().unwrap_or(0)) }
    }

    fn agree<const N: usize>(raw: &[[F32; N]]) {
        assert_eq!(Packed::new(raw, Floats).non_finite(), naive(raw), "{}", raw.len());
    }

    #[test]
    fn agrees_with_its_naive_twin() {
        for (start, len) in places() {
            let bytes = any_bytes(start + len * 12);
            agree(<[[F32; 3]]>::ref_from_bytes(&bytes[start..start + len * 12]).unwrap());
            agree(<[[F32; 2]]>::ref_from_bytes(&bytes[start..start + len * 8]).unwrap());
        }
        for wild in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0xff80_0001)] {
            for at in [0, 1, 1023, 1024, 1025, 2999] {
                let mut raw = vec![[F32::new(f32::MAX), F32::new(-0.0), F32::new(f32::MIN_POSITIVE)]; 3000];
                agree(&raw);
                raw[at][at % 3] = F32::new(wild);
                assert_eq!(Packed::new(&raw, Floats).non_finite(), NonFinite { count: 1, first: as_u64(at) });
            }
        }
    }
}
