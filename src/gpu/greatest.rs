//! The four greatest bone weights of one vertex, which sum to exactly 1.

use super::layout::VertexFormat;
use crate::array::Array;
use crate::decode::Influence;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_u64, narrow};
use crate::model::{Influences, SkinningRules};

/// The number of bones of a vertex.
pub(super) const BONES: usize = 4;

/// The four influences with the greatest weights on a vertex, from the greatest weight to the
/// least. Influences with equal weights stay in file order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Greatest {
    pub(super) bones: [i32; BONES],
    pub(super) weights: [f32; BONES],
}

impl Greatest {
    /// An empty list: each weight is 0.
    const NONE: Self = Self { bones: [0; BONES], weights: [0.0; BONES] };

    /// Finds the greatest weights. Weights that are negative, zero or not finite are left out.
    pub(super) fn of(influences: Option<&Influences<'_>>) -> Self {
        let all = influences.map_or(Self::NONE, |influences| influences.fold(Self::NONE, Self::with));
        let [greatest, ..] = all.weights;
        if greatest > 0.0 { all } else { Self { weights: [1.0, 0.0, 0.0, 0.0], ..Self::NONE } }
    }

    /// Adds an influence after those with at least its weight. The last of four is removed.
    #[allow(clippy::many_single_char_names, reason = "four weights and four bones")]
    fn with(self, influence: Influence) -> Self {
        let Influence { bone, weight } = influence;
        if !(weight > 0.0 && weight.is_finite()) {
            return self;
        }
        // An influence moves back by one place if its weight is less. The new influence takes the
        // place of the first that moves.
        let ([a, b, c, d], [e, f, g, h]) = (self.weights, self.bones);
        let [first, second, third, fourth] = self.weights.map(|other| weight > other);
        let choose =
            |moves: bool, before_moves: bool, stays: (f32, i32), before: (f32, i32)| match (before_moves, moves) {
                (true, _) => before,
                (false, true) => (weight, bone),
                (false, false) => stays,
            };
        let [a, b, c, d] = [
            choose(first, false, (a, e), (a, e)),
            choose(second, first, (b, f), (a, e)),
            choose(third, second, (c, g), (b, f)),
            choose(fourth, third, (d, h), (c, g)),
        ];
        Self { weights: [a.0, b.0, c.0, d.0], bones: [a.1, b.1, c.1, d.1] }
    }

    /// Replaces bones that are out of range by the last bone, or returns an error, as the rules of
    /// the format demand. Unused numbers are 0.
    pub(super) fn limit_bones(&mut self, count: usize, rules: SkinningRules, vertex: usize) -> Result<()> {
        for (bone, weight) in self.bones.iter_mut().zip(self.weights) {
            if usize::try_from(*bone).is_ok_and(|bone| bone < count) || weight == 0.0 {
                continue;
            }
            let last = count.checked_sub(1).and_then(|last| i32::try_from(last).ok());
            let Some(last) = last.filter(|_| rules == SkinningRules::Clamped) else {
                let kind = Cause::value(format!("a bone below {count}"), format!("bone {bone}"));
                return Err(Error::without_offset("vertices", field(vertex), kind));
            };
            *bone = last;
        }
        Ok(())
    }

    /// Writes the numbers of the bones. Returns an error if a number does not fit.
    pub(super) fn write_joints(&self, format: VertexFormat, vertex: usize, out: &mut [u8]) -> Result<()> {
        match format {
            VertexFormat::Uint8x4 => put(out, &self.bones.map(|bone| u8::try_from(bone).map(u8::to_le_bytes).ok())),
            _ => put(out, &self.bones.map(|bone| u16::try_from(bone).map(u16::to_le_bytes).ok())),
        }
        .ok_or_else(|| self.fault(format, vertex))
    }

    fn fault(&self, format: VertexFormat, vertex: usize) -> Error {
        let (most, advice) = match format {
            VertexFormat::Uint8x4 => (i32::from(u8::MAX), "; uint16x4 holds numbers up to 65535"),
            _ => (i32::from(u16::MAX), ""),
        };
        let bone = self.bones.iter().find(|bone| !(0..=most).contains(*bone)).copied().unwrap_or_default();
        let kind = Cause::Refused {
            expected: format!("a bone of 0 to {most} in the format {}{advice}", format.wgpu_name()).into(),
            found: format!("bone {bone}").into(),
        };
        Error::without_offset("vertices", field(vertex), kind)
    }

    /// Writes the weights divided by their sum. The written integers sum to exactly 1, and the
    /// floats sum to 1 within their rounding errors.
    pub(super) fn write_weights(&self, format: VertexFormat, out: &mut [u8]) {
        let written = match format {
            VertexFormat::Unorm8x4 => {
                put(out, &self.shares::<255>().map(|part| part.to_le_bytes().first_chunk::<1>().copied()))
            }
            VertexFormat::Unorm16x4 => put(out, &self.shares::<65535>().map(|part| Some(part.to_le_bytes()))),
            _ => {
                let sum: f64 = self.weights.iter().map(|weight| f64::from(*weight)).sum();
                put(out, &self.weights.map(|weight| Some(narrow(f64::from(weight) / sum).to_le_bytes())))
            }
        };
        debug_assert!(written.is_some(), "every weight fits");
    }

    /// Returns integers that are proportional to the weights and sum to exactly `ONE`.
    ///
    /// Each weight is rounded down. The integers that are rounded down most are then raised by 1
    /// until the sum is `ONE`, so each error is less than 1.
    #[allow(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share is 0 to 65535"
    )]
    fn shares<const ONE: u16>(&self) -> [u16; BONES] {
        let weights = self.weights.map(f64::from);
        let scale = f64::from(ONE) / weights.iter().sum::<f64>();
        let exact = weights.map(|weight| weight * scale);
        let mut shares = exact.map(|share| share as u16);
        let mut lost = exact;
        for (lost, share) in lost.iter_mut().zip(shares) {
            *lost -= f64::from(share);
        }
        let rounded: u16 = shares.iter().fold(0, |sum, share| sum.wrapping_add(*share));
        let missing = ONE.wrapping_sub(rounded);
        // The rank of a share is the number of shares that lose more, or that are equal and first.
        for (number, share) in shares.iter_mut().enumerate() {
            let mine = lost.get(number).copied().unwrap_or_default();
            let ahead =
                lost.iter().enumerate().filter(|(other, lost)| **lost > mine || (**lost >= mine && *other < number));
            *share = share.wrapping_add(u16::from(ahead.count() < usize::from(missing)));
        }
        shares
    }
}

/// Returns the field of the joints of a vertex.
fn field(vertex: usize) -> Field {
    Field::new("joints").in_list("vertex", as_u64(vertex))
}

/// Writes parts after each other. Returns `None` if a part is missing, or if there is no room.
fn put<const N: usize>(out: &mut [u8], parts: &[Option<[u8; N]>; BONES]) -> Option<()> {
    for (place, part) in out.as_chunks_mut::<N>().0.iter_mut().zip(parts) {
        *place = (*part)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greatest(list: &[(i32, f32)]) -> Greatest {
        list.iter().fold(Greatest::NONE, |all, (bone, weight)| all.with(Influence { bone: *bone, weight: *weight }))
    }

    #[test]
    fn takes_the_greatest_weights_in_file_order() {
        let all = greatest(&[(9, 0.1), (1, 0.2), (2, f32::NAN), (3, 0.2), (4, -1.0), (5, 0.3), (6, 0.1), (7, 0.2)]);
        assert_eq!((all.bones, all.weights), ([5, 1, 3, 7], [0.3, 0.2, 0.2, 0.2]));
        assert_eq!(greatest(&[(4, 0.0), (5, f32::INFINITY)]), Greatest::NONE);
        assert_eq!(Greatest::of(None).weights.map(f32::to_bits), [1.0_f32, 0.0, 0.0, 0.0].map(f32::to_bits));
    }

    #[test]
    fn bones_out_of_range_follow_the_rules() {
        let all = greatest(&[(3, 0.5), (200, 0.25), (-1, 0.25)]);
        let limited = |rules, count| {
            let mut copy = all;
            copy.limit_bones(count, rules, 7).map(|()| copy.bones)
        };
        assert_eq!(limited(SkinningRules::Clamped, 4).unwrap(), [3, 3, 3, 0]);
        assert_eq!(greatest(&[(0, 1.0)]).limit_bones(1, SkinningRules::Strict, 0).ok(), Some(()));
        for (rules, count) in [(SkinningRules::Strict, 4), (SkinningRules::Clamped, 0)] {
            let message = limited(rules, count).unwrap_err().to_string();
            assert!(message.contains("vertex[7].joints") && message.contains(&format!("below {count}")), "{message}");
        }
    }

    #[test]
    fn sums_are_exact() {
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from(u16::try_from(seed >> 16).unwrap()) * 2.0_f32.powi(i32::try_from(seed % 40).unwrap() - 30)
        };
        for round in 0..2000 {
            let list: Vec<_> = (0..=(round % 5)).map(|bone| (bone, random() + f32::MIN_POSITIVE)).collect();
            let all = greatest(&list);
            let sum: f64 = all.weights.iter().map(|weight| f64::from(*weight)).sum();
            let (bytes, words) = (all.shares::<255>(), all.shares::<65535>());
            assert_eq!(bytes.iter().sum::<u16>(), 255, "{list:?}");
            assert_eq!(words.iter().map(|word| u32::from(*word)).sum::<u32>(), 65535, "{list:?}");
            for ((byte, word), weight) in bytes.into_iter().zip(words).zip(all.weights) {
                let exact = f64::from(weight) / sum;
                assert!(
                    (f64::from(byte) - exact * 255.0).abs() < 1.0 && (f64::from(word) - exact * 65535.0).abs() < 1.0
                );
                assert!(weight > 0.0 || (byte, word) == (0, 0), "a weight of 0 stays 0: {list:?}");
            }
            let mut out = [0; 16];
            all.write_weights(VertexFormat::Float32x4, &mut out);
            let sum: f32 = out.as_chunks::<4>().0.iter().map(|part| f32::from_le_bytes(*part)).sum();
            assert!((sum - 1.0).abs() <= 2.0 * f32::EPSILON, "{sum}");
        }
        assert_eq!(greatest(&[(0, 0.25), (1, 0.25), (2, 0.25), (3, 0.25)]).shares::<255>(), [64, 64, 64, 63]);
    }
}
