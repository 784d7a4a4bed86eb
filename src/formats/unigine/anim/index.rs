//! What makes keys of varying length random-access: checkpoints, so sparse that they take 2 % of the file at most.
//!
//! A frame that tells only what changed needs the frames before it. So every so many frames a checkpoint holds, beside
//! where the next frame starts, all that was told so far, spelled as a frame of keys. A frame that stands alone needs
//! its start, and no more.

use super::coding::{Coding, Sizes};
use super::stored::Points;

/// The part of the file that an index may be as large as.
const PART: u64 = 50;
/// Frames between two checkpoints, at least, where these hold keys.
const LEAST: u32 = 64;
/// Bytes of a start.
const START: u64 = 8;

/// What one walk over all keys found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walked {
    /// Bytes that all keys take together.
    pub(super) bytes: u64,
    /// All flags that some key has.
    pub(super) flags: u8,
    /// Where the first key with unknown flags is, in bytes from the first.
    pub(super) unknown: Option<u64>,
}

/// Returns how many of the next keys tell nothing, and the flags of the key behind them; flags of 0 where all that were
/// looked at tell nothing. Such keys come in runs, of which eight are looked at, lest somebody counts bytes one by one.
#[inline]
pub(super) fn silent(keys: &[u8]) -> Option<(usize, u8)> {
    let Some(word) = keys.first_chunk() else {
        let flags = *keys.first()?;
        return Some((usize::from(flags == 0), flags));
    };
    let word = u64::from_le_bytes(*word);
    let zeros = word.trailing_zeros() & !7;
    let [flags, ..] = word.checked_shr(zeros).unwrap_or_default().to_le_bytes();
    Some((crate::math::as_index(zeros / 8), flags))
}

/// Walks `keys` keys, looking at the flags of each.
///
/// # Errors
///
/// Where the bytes end too soon, in which key.
pub(super) fn walk(bytes: &[u8], keys: u64, coding: &Coding) -> Result<Walked, Cut> {
    if coding.is_delta() { walk_by(bytes, keys, coding, pass_silent) } else { walk_by(bytes, keys, coding, pass_alike) }
}

/// Passes keys that tell nothing, as about half do where a key tells what changed.
#[inline]
fn pass_silent(keys: &[u8], left: u64, _: &Sizes) -> (usize, usize) {
    let (run, _) = silent(keys).unwrap_or_default();
    // The last of all keys is left to be looked at.
    if crate::math::as_u64(run) < left { (run, run) } else { (0, 0) }
}

/// Passes all but the last of a few keys that tell the same components, as most do where each tells all.
#[inline]
fn pass_alike(keys: &[u8], left: u64, sizes: &Sizes) -> (usize, usize) {
    let Some(flags) = keys.first() else { return (0, 0) };
    let size = usize::from(sizes.get(usize::from(*flags)).copied().unwrap_or_default()).saturating_add(1);
    let [two, three] = [size.saturating_mul(2), size.saturating_mul(3)];
    let alike = |at: usize| keys.get(at) == Some(flags);
    if left > 3 && alike(three) && alike(two) && alike(size) { (three, 3) } else { (0, 0) }
}

/// Walks keys. `pass` tells how many bytes it passes of those ahead, and how many keys: fewer than are left, and all of
/// them with nothing to tell or like the one behind them.
#[inline]
fn walk_by(
    bytes: &[u8],
    keys: u64,
    coding: &Coding,
    pass: impl Fn(&[u8], u64, &Sizes) -> (usize, usize),
) -> Result<Walked, Cut> {
    let (sizes, unknown) = (coding.sizes(), coding.unknown());
    let mut found = Walked { bytes: 0, flags: 0, unknown: None };
    let mut ahead = crate::io::ReadAhead::default();
    let (mut at, mut left) = (0_usize, keys);
    while left > 0 {
        ahead.pass(bytes, at, || usize::try_from(left).unwrap_or(usize::MAX).saturating_mul(41));
        let (passed, count) = pass(bytes.get(at..).unwrap_or_default(), left, sizes);
        // Of keys that are alike, the first is the first with its flags.
        let first = if coding.is_delta() { at.saturating_add(passed) } else { at };
        at = at.saturating_add(passed);
        left = left.saturating_sub(crate::math::as_u64(count));
        let here = crate::math::as_u64(at);
        let Some(flags) = bytes.get(at).copied() else {
            return Err(Cut { at: here, needed: 1, unknown: found.unknown });
        };
        let size = usize::from(sizes.get(usize::from(flags)).copied().unwrap_or_default()).saturating_add(1);
        if flags & unknown != 0 {
            found.unknown.get_or_insert(crate::math::as_u64(first));
        }
        found.flags |= flags;
        let next = at.saturating_add(size);
        if next > bytes.len() {
            return Err(Cut { at: here, needed: crate::math::as_u64(size), unknown: found.unknown });
        }
        at = next;
        left = left.saturating_sub(1);
    }
    found.bytes = crate::math::as_u64(at);
    Ok(found)
}

/// Why keys cannot be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Offset of the key that the bytes end in, from the first.
    pub(super) at: u64,
    /// Bytes that it takes.
    pub(super) needed: u64,
    /// Where the first key with unknown flags is, which may announce what is not known.
    pub(super) unknown: Option<u64>,
}

/// How far apart checkpoints are: the smallest number of frames that keeps the index small enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Frames from one checkpoint to the next.
    pub(super) interval: u32,
    /// Checkpoints; that of frame 0 needs none.
    pub(super) count: u32,
    /// Bytes of all, at most.
    pub(super) bytes: u64,
}

impl Plan {
    /// Plans the index of an animation of so many bones and frames, whose keys have some of `flags`, as part of `file`
    /// bytes.
    pub(super) fn new(coding: &Coding, flags: u8, bones: usize, frames: u32, file: u64) -> Self {
        let bones = crate::math::as_u64(bones);
        let (entry, least) = if coding.is_delta() {
            // A start in the file, one in the index, and for each bone a key with all that any key has.
            let key = coding.key_size(flags).saturating_add(1);
            (bones.saturating_mul(key).saturating_add(2 * START), LEAST)
        } else {
            (START, 1)
        };
        let beyond = frames.saturating_sub(1);
        let afford = (file / PART).checked_div(entry).unwrap_or_default();
        let afford = u32::try_from(afford).unwrap_or(u32::MAX);
        // Of the frames beyond the first, each `interval`th has a checkpoint: no more of them than can be afforded.
        let interval = beyond.checked_div(afford.saturating_add(1)).unwrap_or(beyond).saturating_add(1).max(least);
        let count = beyond.checked_div(interval).unwrap_or_default();
        Self { interval, count, bytes: entry.saturating_mul(count.into()) }
    }
}

/// The checkpoints of an animation.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) interval: u32,
    pub(super) points: Points,
}

impl Index {
    /// Returns the checkpoint at or before `frame`: its frame, where that starts, and all that was told before, as
    /// keys.
    pub(super) fn find(&self, frame: u32) -> (u32, usize, &[u8]) {
        let number = frame.checked_div(self.interval).unwrap_or_default();
        let number = number.min(u32::try_from(self.points.len()).unwrap_or(u32::MAX));
        let point = number.checked_sub(1).and_then(|place| self.points.get(crate::math::as_index(place)));
        let Some((start, told)) = point else { return (0, 0, &[]) };
        (number.saturating_mul(self.interval), usize::try_from(start).unwrap_or(usize::MAX), told)
    }

    /// Returns the bytes of memory that it takes.
    pub(super) fn size(&self) -> u64 {
        crate::math::as_u64(self.points.size())
    }
}

/// Which components a bone was told so far, and for each bit of their flags, where it was told last.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    flags: u8,
    at: [usize; 7],
}

impl Told {
    #[inline]
    fn take(&mut self, flags: u8, mut at: usize, width: usize) {
        let mut left = flags & 0x7f;
        self.flags |= left;
        while left != 0 {
            let bit = crate::math::as_index(left.trailing_zeros());
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

/// Returns the bytes of the component that a bit announces.
#[inline]
const fn component_size(bit: usize, width: usize) -> usize {
    if bit == 3 { 8 } else { width }
}

/// Builds the checkpoints: one walk. `None` where none are wanted, there is no memory, or the bytes are not those that
/// were walked before.
pub(super) fn build(bytes: &[u8], bones: usize, coding: &Coding, plan: &Plan) -> Option<Index> {
    let count = crate::math::as_index(plan.count);
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
        state.resize(bones, Told::default());
        for _ in 0..count {
            for _ in 0..plan.interval {
                ahead.pass(bytes, at, || bytes.len().saturating_sub(at));
                at = take_frame(bytes, at, coding.sizes(), &mut state, width)?;
            }
            starts.push(crate::math::as_u64(at));
            told.push(crate::math::as_u64(keys.len()));
            for bone in &state {
                bone.spell(bytes, width, &mut keys);
            }
        }
        keys.shrink_to_fit();
    } else {
        let between = u64::from(plan.interval).saturating_mul(crate::math::as_u64(bones));
        for _ in 0..count {
            ahead.pass(bytes, at, || bytes.len().saturating_sub(at));
            let passed = walk_unread(bytes.get(at..)?, between, coding)?;
            at = at.saturating_add(passed);
            starts.push(crate::math::as_u64(at));
        }
    }
    let points = Points::Built { starts: starts.into(), told: told.into(), keys: keys.into() };
    Some(Index { interval: plan.interval, points })
}

/// Notes what a frame tells each bone; returns where the next starts.
#[inline]
fn take_frame(bytes: &[u8], mut at: usize, sizes: &Sizes, state: &mut [Told], width: usize) -> Option<usize> {
    let mut bones = state;
    while !bones.is_empty() {
        let (run, flags) = silent(bytes.get(at..)?)?;
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

/// Walks keys that were walked before; returns their bytes.
fn walk_unread(bytes: &[u8], keys: u64, coding: &Coding) -> Option<usize> {
    let sizes = coding.sizes();
    let (mut at, mut left) = (0_usize, keys);
    while left > 0 {
        let (passed, count) = pass_alike(bytes.get(at..)?, left, sizes);
        at = at.saturating_add(passed);
        let size = sizes.get(usize::from(*bytes.get(at)?)).copied()?;
        at = at.saturating_add(1).saturating_add(size.into());
        left = left.saturating_sub(crate::math::as_u64(count)).saturating_sub(1);
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::as_u64;

    #[test]
    fn plans_the_smallest_interval_that_is_small_enough() {
        for (bones, frames, file) in [(50, 10_000, 4_000_000), (1, 10_000, 30_000), (289, 64, 1000), (10, 65, 1 << 30)]
        {
            for coding in [Coding::Changes, Coding::Whole] {
                let plan = Plan::new(&coding, 0x0f, bones, frames, file);
                assert!(plan.bytes <= file / PART, "{plan:?}");
                let least = if coding.is_delta() { LEAST } else { 1 };
                assert!(plan.interval >= least);
                if plan.interval > least {
                    let denser = (frames - 1) / (plan.interval - 1);
                    let entry = plan.bytes.checked_div(plan.count.into()).unwrap_or(0);
                    let entry = if entry == 0 { as_u64(bones) * 21 + 16 } else { entry };
                    assert!(u64::from(denser) * entry > file / PART, "{plan:?}");
                }
            }
        }
        assert_eq!(Plan::new(&Coding::Whole, 0, 5, 0, 100).count, 0);
    }

    #[test]
    fn walks_keys() {
        let bytes = [0, 1, 9, 9, 9, 9, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let found = walk(&bytes, 12, &Coding::Changes).unwrap();
        assert_eq!(found, Walked { bytes: 16, flags: 0x81, unknown: Some(6) });
        let cut = |at, needed, unknown| Cut { at, needed, unknown };
        assert_eq!(walk(&bytes, 13, &Coding::Changes).unwrap_err(), cut(16, 1, Some(6)));
        for keys in 0..=12 {
            let one_by_one = walk_by(&bytes, keys, &Coding::Changes, |_, _, _| (0, 0)).unwrap();
            assert_eq!(walk(&bytes, keys, &Coding::Changes).unwrap(), one_by_one, "{keys}");
        }
        assert_eq!(walk(&bytes[..4], 2, &Coding::Changes).unwrap_err(), cut(1, 5, None));
    }

    #[test]
    fn walks_keys_that_are_alike() {
        // One with nothing, six of unknown flags with a scale, then three with a position.
        let mut bytes = vec![0];
        [0x84; 6].iter().for_each(|flags| bytes.extend([&[*flags][..], &[7; 12]].concat()));
        [1; 3].iter().for_each(|flags| bytes.extend([&[*flags][..], &[1; 12]].concat()));
        for keys in 0..=10 {
            let one_by_one = walk_by(&bytes, keys, &Coding::Whole, |_, _, _| (0, 0)).unwrap();
            assert_eq!(walk(&bytes, keys, &Coding::Whole).unwrap(), one_by_one, "{keys}");
            assert_eq!(walk_unread(&bytes, keys, &Coding::Whole), usize::try_from(one_by_one.bytes).ok());
            assert_eq!(one_by_one.unknown, (keys > 1).then_some(1));
        }
        for length in 0..bytes.len() {
            let one_by_one = walk_by(&bytes[..length], 10, &Coding::Whole, |_, _, _| (0, 0)).unwrap_err();
            assert_eq!(walk(&bytes[..length], 10, &Coding::Whole).unwrap_err(), one_by_one, "{length}");
        }
    }
}
