//! Lists of at most four influences in lanes.

#![allow(clippy::inline_always, reason = "the loops must be compiled for each instruction set")]
#![allow(clippy::indexing_slicing, reason = "a lane is below the length of each row")]

use std::array::from_fn;

use zerocopy::transmute_ref;

use super::{EncodingIter, WeightsIter};
use crate::decode::Influence;

/// The number of lists that are read together.
pub(crate) const LANES: usize = 16;
/// The greatest number of influences in a lane.
const PLACES: usize = 4;
/// The bits of the first influences of a lane, for each number of influences.
const FIRST: [[u32; PLACES]; PLACES + 1] = {
    const ALL: u32 = u32::MAX;
    [[0; PLACES], [ALL, 0, 0, 0], [ALL, ALL, 0, 0], [ALL, ALL, ALL, 0], [ALL; PLACES]]
};

/// The influences of some lists. A lane contains the influences of one list in file order, and
/// influences of the bone 0 with the weight 0 after them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InfluenceLanes {
    pub(crate) bones: [[i32; LANES]; PLACES],
    pub(crate) weights: [[f32; LANES]; PLACES],
}

impl WeightsIter<'_> {
    /// Reads the next lists to the first lanes. Returns their number, which is `count` unless the
    /// next list has more than four influences, is missing, or is one of the last in the file.
    #[inline(always)]
    pub(crate) fn read_lanes(&mut self, lanes: &mut InfluenceLanes, count: usize) -> usize {
        match &mut self.0 {
            EncodingIter::Counted(runs) => lanes.read_codes(count, || {
                let (count, records) = runs.next_padded::<PLACES>()?;
                let words: &[[u8; 4]; PLACES] = transmute_ref!(records);
                Some(from_fn(|place| u32::from_le_bytes(words[place]) & FIRST[count][place]))
            }),
            EncodingIter::Terminated(runs) => lanes.read_codes(count, || {
                let run = runs.next()?;
                let word =
                    |place: usize| run.get(place).map(|raw| u32::from(raw.bone) | u32::from(raw.weight.get()) << 16);
                Some(from_fn(|place| word(place).unwrap_or_default()))
            }),
            EncodingIter::Fixed(lists) => fill(
                count,
                || Some(lists.next()?.padded()),
                |lane, influences| {
                    for (place, Influence { bone, weight }) in influences.into_iter().enumerate() {
                        (lanes.bones[place][lane], lanes.weights[place][lane]) = (bone, weight);
                    }
                },
            ),
        }
    }
}

impl InfluenceLanes {
    /// Lanes without influences.
    pub(crate) const EMPTY: Self = Self { bones: [[0; LANES]; PLACES], weights: [[0.0; LANES]; PLACES] };

    /// Reads lists of integers, which have the bone in the low half and the weight in the high one.
    #[inline(always)]
    fn read_codes(&mut self, count: usize, next: impl FnMut() -> Option<[u32; PLACES]>) -> usize {
        let mut codes = [[0_u32; LANES]; PLACES];
        let read = fill(count, next, |lane, list| {
            for (row, code) in codes.iter_mut().zip(list) {
                row[lane] = code;
            }
        });
        let places = self.bones.as_flattened_mut().iter_mut().zip(self.weights.as_flattened_mut());
        for ((bone, weight), code) in places.zip(codes.as_flattened()) {
            let [a, b, c, d] = code.to_le_bytes();
            *bone = i16::from_le_bytes([a, b]).into();
            *weight = f32::from(u16::from_le_bytes([c, d])) / 65535.0;
        }
        read
    }
}

/// Passes the next lists to `put`, at most one for each of the first `count` lanes. Returns their
/// number.
#[inline(always)]
fn fill<T>(count: usize, mut next: impl FnMut() -> Option<T>, mut put: impl FnMut(usize, T)) -> usize {
    let count = count.min(LANES);
    for lane in 0..count {
        let Some(list) = next() else { return lane };
        put(lane, list);
    }
    count
}
