//! The influence of a bone on a vertex, stored in four bytes: a bone index (`i16`) and a weight
//! (`u16`, divided by 65535).
//!
//! When the UNIGINE engine encodes a weight, it rounds `weight * 65535` toward zero. A truncated
//! weight has an absolute error of up to 1.6e-5, and the stored weights of one vertex add up to
//! 65532 to 65535, because each weight may be truncated.

use zerocopy::little_endian::{I16, U16};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::codec::Decode;
use crate::decode::influence::{Influence, weight};
use crate::decode::rounding::truncate;
use crate::simd::kernel;

/// The four bytes of a stored influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawInfluence4 {
    /// Index of the bone in the array of bones in the file.
    pub bone: I16,
    /// The weight, multiplied by 65535.
    pub weight: U16,
}

/// Decodes an influence that is stored in four bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Influence4;

impl Decode for Influence4 {
    type Raw = RawInfluence4;
    type Value = Influence;

    #[inline]
    fn decode(&self, raw: &RawInfluence4) -> Influence {
        Influence { bone: raw.bone.get().into(), weight: f32::from(raw.weight.get()) / 65535.0 }
    }

    fn decode_all(&self, raw: &[RawInfluence4], out: &mut [Influence]) {
        decode_bulk(raw, out);
    }
}

kernel! {
    /// Decodes the influences in `raw` to `out`, until one of the two slices ends.
    fn decode_bulk(raw: &[RawInfluence4], out: &mut [Influence]) {
        avx512 | avx2 => decode_each::<true>(raw, out),
        _ => decode_each::<false>(raw, out),
    }
}

#[inline(always)]
fn decode_each<const FUSED: bool>(raw: &[RawInfluence4], out: &mut [Influence]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = Influence { bone: raw.bone.get().into(), weight: weight::<FUSED>(raw.weight) };
    }
}

/// Encodes an influence to the same four bytes as the UNIGINE engine: the weight is clamped to 0..1
/// and truncated to a 16-bit code.
///
/// ```
/// use meshpeek::decode::{Influence, influence4::encode};
/// assert_eq!(encode(Influence { bone: 7, weight: 1.0 / 3.0 }).weight.get(), 21845);
/// ```
#[must_use]
pub fn encode(influence: Influence) -> RawInfluence4 {
    let weight = u16::try_from(truncate(influence.weight, 65535.0)).unwrap_or_default();
    // A bone index that does not fit in 16 bits becomes -1, which is not the index of a bone.
    let bone = i16::try_from(influence.bone).unwrap_or(-1);
    RawInfluence4 { bone: I16::new(bone), weight: U16::new(weight) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::equivalence_tests::every_code;

    #[test]
    fn golden_vectors() {
        let weight = |weight| encode(Influence { bone: -1, weight }).weight.get();
        assert_eq!([0.0, 1.0, 0.5, 0.999_99, 2.0, -1.0, f32::NAN].map(weight), [0, 65535, 32767, 65534, 65535, 0, 0]);
    }

    #[test]
    fn every_code_is_within_one_of_itself() {
        for code in every_code() {
            let value = Influence4.decode(&RawInfluence4 { bone: I16::new(3), weight: U16::new(code) });
            let again = encode(value);
            assert_eq!(again.bone.get(), 3);
            assert!(code - again.weight.get() <= 1, "{code}");
            assert!((0.0..=1.0).contains(&value.weight));
        }
    }
}
