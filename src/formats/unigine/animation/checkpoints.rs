//! Checkpoints, which give random access to animation keys of variable length.
//!
//! The number of checkpoints is limited: all checkpoints of a file together take at most 2 % of the
//! file size.
//!
//! An animation frame that stores only the components that differ from the previous frame depends
//! on all frames before it. Checkpoints at regular intervals of frames make it unnecessary to read
//! all earlier frames. A checkpoint stores the offset of its frame and the last stored value of
//! each component before that frame. The component values in a checkpoint are encoded like the keys
//! of one animation frame. If animation frames do not depend on earlier frames, a checkpoint stores
//! only the offset of its frame.

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::coding::{Coding, Sizes};
use super::scan::{empty_key_run, skip_keys};
use crate::math::{as_index, as_u64};
use crate::sidecar::RecordSlice;

/// The maximum total size of all checkpoints of a file is the file size divided by this number.
const FILE_PART: u64 = 50;
/// The minimum number of animation frames from one checkpoint to the next, in encodings with
/// checkpoints that contain component values.
const MIN_INTERVAL: u32 = 64;
/// Size of the frame offset that a checkpoint stores, in bytes.
const START: u64 = 8;

/// The number of an animation's checkpoints, and the number of frames from one checkpoint to the
/// next. The interval between checkpoints is the smallest number of frames that keeps all
/// checkpoints of the file within 2 % of the file size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckpointPlan {
    /// The number of animation frames from one checkpoint to the next.
    pub(crate) interval: u32,
    /// The number of checkpoints of the animation. Animation frame 0 needs no checkpoint.
    pub(crate) count: u32,
    /// The maximum total size of all checkpoints of the animation, in bytes.
    pub(crate) bytes: u64,
}

impl CheckpointPlan {
    /// Plans the checkpoints of an animation with the given numbers of bones and frames.
    ///
    /// `flags` is the union of the flags of all keys. The checkpoints of the animation take at most
    /// 2 % of `file` bytes.
    pub(crate) fn new(coding: &Coding, flags: u8, bones: usize, frames: u32, file: u64) -> Self {
        let bones = as_u64(bones);
        let (entry, least) = if coding.is_delta() {
            // The size of one checkpoint: the offset of its frame, the offset of its component
            // values, and for each bone a key with every component that any key of the animation
            // stores.
            let key = coding.key_size(flags).saturating_add(1);
            (bones.saturating_mul(key).saturating_add(2 * START), MIN_INTERVAL)
        } else {
            (START, 1)
        };
        let beyond = frames.saturating_sub(1);
        let afford = (file / FILE_PART).checked_div(entry).unwrap_or_default();
        let afford = u32::try_from(afford).unwrap_or(u32::MAX);
        // After the first animation frame, every `interval`-th frame has a checkpoint. The interval
        // is so large that the animation has at most `afford` checkpoints.
        let interval = beyond.checked_div(afford.saturating_add(1)).unwrap_or(beyond).saturating_add(1).max(least);
        let count = beyond.checked_div(interval).unwrap_or_default();
        Self { interval, count, bytes: entry.saturating_mul(count.into()) }
    }
}

/// A checkpoint of an animation, as stored in a sidecar.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct RawKeyCheckpoint {
    pub(crate) start: U64,
    /// The location in the sidecar of the last component values before the checkpoint. They are
    /// encoded as keys.
    pub(crate) told: [U64; 3],
}

/// A list of checkpoints in file order.
#[derive(Debug)]
pub(crate) enum CheckpointList {
    Built {
        /// For each checkpoint, the offset of its animation frame, in bytes from the first key.
        starts: Box<[u64]>,
        /// For each checkpoint, the offset in `keys` of the last component values before the
        /// checkpoint. The slice of offsets is empty if animation frames do not depend on earlier
        /// frames.
        told: Box<[u64]>,
        keys: Box<[u8]>,
    },
    Stored(RecordSlice<RawKeyCheckpoint>),
}

impl CheckpointList {
    /// Returns the number of checkpoints in the list.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Built { starts, .. } => starts.len(),
            Self::Stored(points) => usize::try_from(points.count()).unwrap_or(usize::MAX),
        }
    }

    /// Returns the offset of a checkpoint's animation frame, and the last component values before
    /// that frame, encoded as keys.
    ///
    /// Returns `None` if no checkpoint has the index `place`, or if the record of the checkpoint in
    /// a sidecar is damaged.
    pub(crate) fn get(&self, place: usize) -> Option<(u64, &[u8])> {
        match self {
            Self::Built { starts, told, keys } => {
                let from = told.get(place).and_then(|told| usize::try_from(*told).ok());
                Some((*starts.get(place)?, from.and_then(|from| keys.get(from..)).unwrap_or_default()))
            }
            Self::Stored(points) => {
                let point = points.get(as_u64(place))?;
                Some((point.start.get(), points.sidecar().blob(point.told.map(U64::get))?))
            }
        }
    }

    /// Returns the size of the memory that the checkpoints take, in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Built { starts, told, keys } => {
                starts.len().saturating_add(told.len()).saturating_mul(8).saturating_add(keys.len())
            }
            Self::Stored(_) => 0,
        }
    }

    /// Returns the component values of one checkpoint, encoded as keys, without the values of later
    /// checkpoints.
    pub(crate) fn told(&self, place: usize) -> &[u8] {
        let Self::Built { told, .. } = self else { return &[] };
        let Some((_, keys)) = self.get(place) else { return &[] };
        let ends =
            told.get(place.saturating_add(1)).zip(told.get(place)).map(|(end, start)| end.saturating_sub(*start));
        keys.get(..ends.and_then(|length| usize::try_from(length).ok()).unwrap_or(keys.len())).unwrap_or_default()
    }
}

/// The checkpoints of an animation, and the number of frames from one checkpoint to the next.
#[derive(Debug)]
pub(crate) struct CheckpointIndex {
    pub(crate) interval: u32,
    pub(crate) points: CheckpointList,
}

impl CheckpointIndex {
    /// Returns the last checkpoint at or before the animation frame `frame`, or `(0, 0, &[])` if no
    /// checkpoint is at or before this frame.
    ///
    /// The returned tuple contains the index of the checkpoint's animation frame, the byte offset
    /// of that frame from the first key, and the last component values before that frame, encoded
    /// as keys.
    pub(crate) fn find(&self, frame: u32) -> (u32, usize, &[u8]) {
        let number = frame.checked_div(self.interval).unwrap_or_default();
        let number = number.min(u32::try_from(self.points.len()).unwrap_or(u32::MAX));
        let point = number.checked_sub(1).and_then(|place| self.points.get(as_index(place)));
        let Some((start, told)) = point else { return (0, 0, &[]) };
        (number.saturating_mul(self.interval), usize::try_from(start).unwrap_or(usize::MAX), told)
    }

    /// Returns the size of the memory that this checkpoint index takes, in bytes.
    pub(crate) fn size(&self) -> u64 {
        as_u64(self.points.size())
    }
}

/// The last stored components of one bone: the flag bits of the components that the scanned keys
/// store, and for each flag bit, the byte offset of the last stored value.
#[derive(Clone, Copy, Debug, Default)]
struct LastComponents {
    flags: u8,
    at: [usize; 7],
}

impl LastComponents {
    #[inline]
    fn take(&mut self, flags: u8, mut at: usize, width: usize) {
        let mut left = flags & 0x7f;
        self.flags |= left;
        while left != 0 {
            let bit = as_index(left.trailing_zeros());
            if let Some(told) = self.at.get_mut(bit) {
                *told = at;
            }
            at = at.saturating_add(component_size(bit, width));
            left &= left.wrapping_sub(1);
        }
    }

    fn spell(&self, bytes: &[u8], width: usize, out: &mut Vec<u8>) {
        out.push(self.flags);
        for (bit, at) in self.at.iter().copied().enumerate() {
            if self.flags & 1_u8.wrapping_shl(u32::try_from(bit).unwrap_or(0)) != 0 {
                let end = at.saturating_add(component_size(bit, width));
                out.extend_from_slice(bytes.get(at..end).unwrap_or_default());
            }
        }
    }
}

/// Returns the size in bytes of the component that a bit of a key's flags represents.
#[inline]
const fn component_size(bit: usize, width: usize) -> usize {
    if bit == 3 { 8 } else { width }
}

/// Builds the checkpoints of an animation in one scan of its keys.
///
/// Returns `None` if the plan has no checkpoints, if there is not enough memory, or if the bytes of
/// the keys have changed since they were first scanned.
pub(crate) fn build(bytes: &[u8], bones: usize, coding: &Coding, plan: &CheckpointPlan) -> Option<CheckpointIndex> {
    let count = as_index(plan.count);
    if count == 0 || bones == 0 {
        return None;
    }
    let (mut starts, mut told, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    starts.try_reserve_exact(count).ok()?;
    let mut at = 0_usize;
    let mut ahead = crate::io::ReadAhead::default();
    if coding.is_delta() {
        let width = if matches!(coding, Coding::Quantized(_)) { 2 } else { 4 };
        let mut state = Vec::new();
        told.try_reserve_exact(count).ok()?;
        keys.try_reserve_exact(usize::try_from(plan.bytes).ok()?).ok()?;
        state.try_reserve_exact(bones).ok()?;
        state.resize(bones, LastComponents::default());
        for _ in 0..count {
            for _ in 0..plan.interval {
                ahead.pass(bytes, at, || bytes.len().saturating_sub(at));
                at = take_frame(bytes, at, coding.sizes(), &mut state, width)?;
            }
            starts.push(as_u64(at));
            told.push(as_u64(keys.len()));
            for bone in &state {
                bone.spell(bytes, width, &mut keys);
            }
        }
        keys.shrink_to_fit();
    } else {
        let between = u64::from(plan.interval).saturating_mul(as_u64(bones));
        for _ in 0..count {
            ahead.pass(bytes, at, || bytes.len().saturating_sub(at));
            let passed = skip_keys(bytes.get(at..)?, between, coding)?;
            at = at.saturating_add(passed);
            starts.push(as_u64(at));
        }
    }
    let points = CheckpointList::Built { starts: starts.into(), told: told.into(), keys: keys.into() };
    Some(CheckpointIndex { interval: plan.interval, points })
}

/// Records in `state` the components that an animation frame stores for each bone, and returns the
/// offset of the next frame.
#[inline]
fn take_frame(bytes: &[u8], mut at: usize, sizes: &Sizes, state: &mut [LastComponents], width: usize) -> Option<usize> {
    let mut bones = state;
    while !bones.is_empty() {
        let (run, flags) = empty_key_run(bytes.get(at..)?)?;
        if run >= bones.len() {
            return at.checked_add(bones.len());
        }
        at = at.saturating_add(run);
        bones = bones.get_mut(run..)?;
        if flags == 0 {
            continue;
        }
        let (bone, others) = bones.split_first_mut()?;
        let start = at.saturating_add(1);
        at = start.saturating_add(sizes.get(usize::from(flags)).copied()?.into());
        if at > bytes.len() {
            return None;
        }
        bone.take(flags, start, width);
        bones = others;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_the_smallest_interval_that_is_small_enough() {
        for (bones, frames, file) in [(50, 10_000, 4_000_000), (1, 10_000, 30_000), (289, 64, 1000), (10, 65, 1 << 30)]
        {
            for coding in [Coding::Changes, Coding::Whole] {
                let plan = CheckpointPlan::new(&coding, 0x0f, bones, frames, file);
                assert!(plan.bytes <= file / FILE_PART, "{plan:?}");
                let least = if coding.is_delta() { MIN_INTERVAL } else { 1 };
                assert!(plan.interval >= least);
                if plan.interval > least {
                    let denser = (frames - 1) / (plan.interval - 1);
                    let entry = plan.bytes.checked_div(plan.count.into()).unwrap_or(0);
                    let entry = if entry == 0 { as_u64(bones) * 21 + 16 } else { entry };
                    assert!(u64::from(denser) * entry > file / FILE_PART, "{plan:?}");
                }
            }
        }
        assert_eq!(CheckpointPlan::new(&Coding::Whole, 0, 5, 0, 100).count, 0);
    }
}
