//! A joint's influence on a vertex: joint number `u8`, weight `u16` / 65535.
//!
//! Viewers truncate when they encode: worst error 1.6e-5, and the stored weights of a vertex sum to 65532..65535.

use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::decode::influence::Influence;
use crate::decode::{Decode, influence};
use crate::simd;

/// The three bytes of an influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawJoint {
    /// The joint's number in the list of names: 0 to 254.
    pub joint: u8,
    /// Its weight, scaled by 65535.
    pub weight: U16,
}

/// Decodes an influence. The joint's number is its bone's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Joint16;

impl Decode for Joint16 {
    type Raw = RawJoint;
    type Value = Influence;

    #[inline]
    fn decode(&self, raw: &RawJoint) -> Influence {
        Influence { bone: raw.joint.into(), weight: f32::from(raw.weight.get()) / 65535.0 }
    }

    fn decode_all(&self, raw: &[RawJoint], out: &mut [Influence]) {
        simd::joint16(raw, out);
    }
}

/// Decodes influences one after another.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor of whoever calls it")]
pub(crate) fn all<const FUSED: bool>(raw: &[RawJoint], out: &mut [Influence]) {
    for (value, raw) in out.iter_mut().zip(raw) {
        *value = Influence { bone: raw.joint.into(), weight: influence::weight::<FUSED>(raw.weight) };
    }
}

/// Encodes an influence, the weight rounded and clamped to 0..1; `None` where the bone's number is not 0 to 254.
///
/// ```
/// use meshpeek::decode::{Influence, joint::encode};
/// assert_eq!(encode(Influence { bone: 7, weight: 0.5 }).unwrap().weight.get(), 32768);
/// assert_eq!(encode(Influence { bone: 255, weight: 0.5 }), None);
/// ```
#[must_use]
pub fn encode(influence: Influence) -> Option<RawJoint> {
    let joint = u8::try_from(influence.bone).ok().filter(|joint| *joint < u8::MAX)?;
    let weight = crate::decode::domain16::round(f64::from(influence.weight) * 65535.0);
    Some(RawJoint { joint, weight: U16::new(weight) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_returns() {
        for code in 0..=u16::MAX {
            let raw = RawJoint { joint: 33, weight: U16::new(code) };
            assert_eq!(encode(Joint16.decode(&raw)), Some(raw));
        }
        let code = |weight| encode(Influence { bone: 0, weight }).unwrap().weight.get();
        assert_eq!([-1.0, 2.0, f32::NAN].map(code), [0, 65535, 0]);
        assert_eq!(encode(Influence { bone: -1, weight: 1.0 }), None);
        assert!(encode(Influence { bone: 254, weight: 1.0 }).is_some());
    }
}
