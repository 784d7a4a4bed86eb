//! The view of one animation: its keys in the file, and the poses that are computed from the keys.

use zerocopy::little_endian::I16;

use super::cache::{CacheSlot, MIN_KEYS_TO_INDEX};
use super::checkpoints::{CheckpointIndex, CheckpointPlan, build};
use super::coding::{AnimationKey, Coding};
use super::scan::{KeyScan, empty_key_run, scan};
use super::stored_checkpoints;
use crate::error::debug::{items, short_debug};
use crate::error::{Cause, Error, Field, FormatName, Result};
use crate::formats::unigine::layout::{RawTransform, UNIGINE};
use crate::formats::unigine::validate::rules::ANIMATED_BONE;
use crate::math::as_u64;
use crate::model::Transform;
use crate::parse::{Cursor, Name};
use crate::sidecar::Builder;

/// The indices of the bones that an animation moves, and their byte offset in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoneIds<'a> {
    pub(crate) ids: &'a [I16],
    pub(crate) at: u64,
}

/// A bone animation, whose bytes are borrowed from the file.
///
/// The animation is embedded in a [`Mesh`](crate::unigine::Mesh), or belongs to an
/// [`Animation`](crate::unigine::Animation) file.
///
/// | call | time proportional to | allocates |
/// |---|---|---|
/// | [`pose`](Self::pose), first call for a frame after the first checkpoint | the flags of all keys, once | the checkpoints, at most 2 % of the file |
/// | [`pose`](Self::pose) again, embedded and an10 | the keys of at most [`interval`](Self::interval) frames | nothing |
/// | [`pose`](Self::pose) again, from an11 on | one key per bone, and about 400 bytes of flags of other keys | nothing |
/// | [`play`](Self::play), for each frame | bones | one pose, once |
#[derive(Clone, Copy)]
pub struct AnimationView<'a> {
    /// The name of the animation; empty if the file does not store a name.
    pub name: Name<'a>,
    /// The indices of the bones that the animation moves, as stored in the file.
    pub bones: &'a [I16],
    /// The number of animation frames.
    pub frames: u32,
    /// The global flags: a bit mask of the components that the keys of frame 0 store, with the bits
    /// of the flags of a key. The global flags are `None` in an11 to an13 files.
    pub flags: Option<u8>,
    flags_at: u64,
    /// The frame rate in frames per second, if the file stores a frame rate above 0.
    pub rate: Option<f32>,
    coding: Coding,
    /// The bind transforms of the bones. The slice is empty if the file stores no bind transforms.
    pub(super) binds: &'a [RawTransform],
    bone_count: usize,
    bones_at: u64,
    pub(super) keys: &'a [u8],
    keys_at: u64,
    scan: KeyScan,
    cache: CacheSlot<'a>,
    /// The file size per animation, in bytes. The checkpoints take at most 2 % of it.
    share: u64,
    pub(super) format: &'static FormatName,
    place: Field,
}

short_debug!(AnimationView<'_>: |view| {
    format: view.format, name: view.name, bones: items(view.bones), frames: view.frames, rate: view.rate,
});

impl<'a> AnimationView<'a> {
    pub(crate) fn new(
        bones: BoneIds<'a>,
        coding: Coding,
        frames: u32,
        (keys, keys_at): (&'a [u8], u64),
        (scan, cache): (KeyScan, CacheSlot<'a>),
        share: u64,
    ) -> Self {
        Self {
            name: Name::default(),
            bones: bones.ids,
            frames,
            flags: None,
            flags_at: 0,
            rate: None,
            coding,
            binds: &[],
            bone_count: 0,
            bones_at: bones.at,
            keys,
            keys_at,
            scan,
            cache,
            share,
            format: UNIGINE,
            place: Field::new(""),
        }
    }

    pub(crate) const fn placed(self, format: &'static FormatName, place: Field) -> Self {
        Self { format, place, ..self }
    }

    pub(crate) const fn named(self, name: Name<'a>) -> Self {
        Self { name, ..self }
    }

    pub(crate) const fn flagged(self, flags: u8, flags_at: u64) -> Self {
        Self { flags: Some(flags), flags_at, ..self }
    }

    /// Sets the bind transforms of the bones.
    pub(crate) const fn resting(self, binds: &'a [RawTransform]) -> Self {
        Self { binds, bone_count: binds.len(), ..self }
    }

    /// Sets the number of bones of the skeleton, for files without bind transforms, and the frame
    /// rate.
    pub(crate) const fn of(self, bone_count: usize, rate: Option<f32>) -> Self {
        Self { rate, bone_count, ..self }
    }

    /// Returns the encoding of the animation's keys.
    #[must_use]
    pub const fn coding(&self) -> Coding {
        self.coding
    }

    /// Returns the number of bones of the skeleton, including bones that the animation does not
    /// move.
    ///
    /// A pose has one transform per bone of the skeleton.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.bone_count
    }

    /// Returns an iterator over all keys in file order: the keys of all animated bones at frame 0,
    /// then at frame 1, and so on.
    pub fn keys(&self) -> impl Iterator<Item = AnimationKey<'a>> + use<'a> {
        let mut cursor = Cursor::new(self.keys, UNIGINE);
        let (base, coding) = (self.keys_at, self.coding);
        std::iter::from_fn(move || {
            let offset = base.saturating_add(cursor.offset());
            let flags = *cursor.read::<u8>("flags").ok()?;
            let components = cursor.bytes(coding.key_size(flags), "key").ok()?;
            Some(AnimationKey { flags, components, offset })
        })
    }

    /// Returns the offset of the first bone index, in bytes from the start of the file.
    #[must_use]
    pub const fn bones_offset(&self) -> u64 {
        self.bones_at
    }

    /// Returns the offset of the global flags of the animation.
    pub(crate) const fn flags_offset(&self) -> u64 {
        self.flags_at
    }

    /// Returns the offset of the first key, in bytes from the start of the file.
    #[must_use]
    pub const fn keys_offset(&self) -> u64 {
        self.keys_at
    }

    /// Returns the bytes of all keys, borrowed from the file.
    #[must_use]
    pub const fn key_bytes(&self) -> &'a [u8] {
        self.keys
    }

    /// Returns the number of animation frames from one checkpoint to the next.
    ///
    /// To locate an animation frame, the reader scans the keys of at most the returned number of
    /// frames. The checkpoint interval is the smallest number of frames that keeps the size of all
    /// checkpoints within 2 % of the file size. If animation frames store only the values that
    /// change, the checkpoint interval is at least 64 frames. An animation with fewer than 64 keys
    /// has no checkpoints, and the reader scans its keys from the first key on.
    #[must_use]
    pub fn interval(&self) -> u32 {
        let interval = self.plan().interval;
        if self.key_count() < MIN_KEYS_TO_INDEX { interval.max(self.frames) } else { interval }
    }

    /// Returns the size of the memory that the checkpoints of the animation take, in bytes.
    ///
    /// The method builds the checkpoints if the checkpoints do not exist yet. The returned size is
    /// 0 if a sidecar provides the checkpoints.
    #[must_use]
    pub fn index_size(&self) -> u64 {
        self.index().map_or(0, CheckpointIndex::size)
    }

    /// Returns the offset of the first key that has flags of unknown meaning, in bytes from the
    /// start of the file. Returns `None` if there is no such key.
    pub(crate) fn first_unknown(&self) -> Option<u64> {
        self.scan.unknown.map(|at| self.keys_at.saturating_add(at))
    }

    /// Returns the number of keys of the animation.
    fn key_count(&self) -> u64 {
        as_u64(self.bones.len()).saturating_mul(self.frames.into())
    }

    fn plan(&self) -> CheckpointPlan {
        CheckpointPlan::new(&self.coding, self.scan.flags, self.bones.len(), self.frames, self.share)
    }

    fn index(&self) -> Option<&'a CheckpointIndex> {
        let plan = self.plan();
        self.cache.index(self.keys, self.key_count(), &plan, || build(self.keys, self.bones.len(), &self.coding, &plan))
    }

    /// Adds the checkpoints of the animation to a sidecar. With checkpoints in the sidecar, a
    /// program that opens the file later can locate animation frames without reading all keys
    /// again.
    pub(crate) fn push(&self, builder: &mut Builder) -> Result<()> {
        stored_checkpoints::push(builder, (self.keys, self.key_count()), &self.scan, self.index())
    }

    /// Writes the pose of an animation frame to `out`: the transform of each bone of the skeleton,
    /// relative to the parent bone.
    ///
    /// The rotations are quaternions as stored in the file, with a length of nearly 1. A bone that
    /// the animation does not move has its bind transform, or the default transform if the file
    /// does not store bind transforms. If animation frames store only changes, a translation,
    /// rotation or scale that no frame up to the requested frame stores also has its bind or
    /// default value.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if `frame` is not below the number of animation frames.
    /// - [`ErrorKind::Buffer`](crate::ErrorKind::Buffer) if the length of `out` is not the number of bones of the skeleton.
    /// - [`ErrorKind::Value`](crate::ErrorKind::Value) if a bone index of the animation refers to no bone of the skeleton,
    ///   or occurs twice.
    pub fn pose(&self, frame: u32, out: &mut [Transform]) -> Result<()> {
        self.check_pose(frame, out)?;
        self.rest(out);
        if self.bones.is_empty() {
            return Ok(());
        }
        let (mut first, mut at, mut told) = (0, 0, &[][..]);
        if frame >= self.interval() {
            (first, at, told) = self.index().map_or((0, 0, &[][..]), |index| index.find(frame));
        }
        if !told.is_empty() {
            self.apply(told, &mut 0, out)?;
        }
        if self.coding.is_delta() {
            // The checkpoint contains the last values of all components before the frame of the
            // checkpoint. The keys of the checkpoint's frame are therefore the first keys to apply.
            for _ in first..=frame {
                self.apply(self.keys, &mut at, out)?;
            }
            return Ok(());
        }
        let between = u64::from(frame.saturating_sub(first)).saturating_mul(as_u64(self.bones.len()));
        let rest = self.keys.get(at..).unwrap_or_default();
        let passed = scan(rest, between, &self.coding).map_err(|_| self.changed(at))?;
        at = at.saturating_add(usize::try_from(passed.bytes).unwrap_or(usize::MAX));
        self.apply(self.keys, &mut at, out)
    }

    /// Sets every bone in `out` to its bind transform.
    pub(super) fn rest(&self, out: &mut [Transform]) {
        for (number, bone) in out.iter_mut().enumerate() {
            *bone = self.binds.get(number).map(RawTransform::get).unwrap_or_default();
        }
    }

    /// Applies the keys of one animation frame to the pose `out`, and moves `at` to the end of
    /// these keys.
    pub(super) fn apply(&self, keys: &[u8], at: &mut usize, out: &mut [Transform]) -> Result<()> {
        let rest = keys.get(*at..).unwrap_or_default();
        let left = match &self.coding {
            Coding::Changes => self.apply_changes(rest, out, |flags, components, bone| {
                Coding::Changes.apply(flags, components, bone);
            }),
            Coding::Quantized(boxes) => {
                let coding = Coding::Quantized(*boxes);
                self.apply_changes(rest, out, move |flags, components, bone| coding.apply(flags, components, bone))
            }
            Coding::Whole => self.apply_whole(rest, out),
        };
        // The sizes of all keys were checked when the animation was located. If the keys now end
        // too early, the bytes of the file have changed.
        let past = |left: usize| keys.len().saturating_sub(left);
        *at = left.map(past).map_err(|left| self.changed(past(left)))?;
        Ok(())
    }

    /// Applies the keys of one animation frame that stores only the components that change. The
    /// closure `put` applies one key to the transform of one bone.
    ///
    /// Returns the number of bytes after the keys of this frame. If the keys have changed since the
    /// animation was located, the method fails, and the error is the number of unread bytes.
    #[inline]
    fn apply_changes(
        &self,
        mut keys: &[u8],
        out: &mut [Transform],
        put: impl Fn(u8, &[u8], &mut Transform),
    ) -> std::result::Result<usize, usize> {
        let sizes = self.coding.sizes();
        let mut ids = self.bones;
        while !ids.is_empty() {
            let (run, flags) = empty_key_run(keys).ok_or(keys.len())?;
            if run >= ids.len() {
                return keys.len().checked_sub(ids.len()).ok_or(keys.len());
            }
            (ids, keys) = (ids.get(run..).unwrap_or_default(), keys.get(run..).unwrap_or_default());
            if flags == 0 {
                continue;
            }
            let size = sizes.get(usize::from(flags)).copied().unwrap_or_default();
            let key = keys.get(1..).and_then(|keys| keys.split_at_checked(size.into()));
            let (Some((id, others)), Some((components, next))) = (ids.split_first(), key) else {
                return Err(keys.len());
            };
            let bone = usize::try_from(id.get()).ok().and_then(|id| out.get_mut(id));
            put(flags, components, bone.ok_or(keys.len())?);
            (ids, keys) = (others, next);
        }
        Ok(keys.len())
    }

    /// Applies the keys of one animation frame that does not depend on the frames before it.
    ///
    /// Like [`apply_changes`](Self::apply_changes), returns the number of bytes after the keys of
    /// the frame, or the number of unread bytes as the error.
    fn apply_whole(&self, mut keys: &[u8], out: &mut [Transform]) -> std::result::Result<usize, usize> {
        let sizes = self.coding.sizes();
        for id in self.bones {
            let (flags, after) = keys.split_first().ok_or(keys.len())?;
            let size = sizes.get(usize::from(*flags)).copied().unwrap_or_default();
            let (components, next) = after.split_at_checked(size.into()).ok_or(keys.len())?;
            let bone = usize::try_from(id.get()).ok().and_then(|id| out.get_mut(id)).ok_or(keys.len())?;
            *bone = Transform::default();
            Coding::Whole.apply(*flags, components, bone);
            keys = next;
        }
        Ok(keys.len())
    }

    fn check_pose(&self, frame: u32, out: &[Transform]) -> Result<()> {
        if out.len() != self.bone_count {
            let kind = Cause::Buffer { needed: as_u64(self.bone_count), given: as_u64(out.len()) };
            return Err(self.error("out", kind));
        }
        if frame >= self.frames {
            return Err(self.no_frame(frame.into()));
        }
        self.check_bones()
    }

    /// Checks that each bone index of the animation refers to a bone of the skeleton, and that no
    /// bone index occurs twice.
    ///
    /// Bone indices in ascending order are checked without an allocation, because nearly all files
    /// store the bone indices in ascending order.
    pub(super) fn check_bones(&self) -> Result<()> {
        let in_order = self.bones.windows(2).all(|pair| matches!(pair, [one, next] if one.get() < next.get()));
        let ends = [self.bones.first(), self.bones.last()];
        let known = |id: &I16| usize::try_from(id.get()).is_ok_and(|id| id < self.bone_count);
        if in_order && ends.into_iter().flatten().all(known) {
            return Ok(());
        }
        let mut seen = crate::parse::filled(self.format, "bone_ids", self.bone_count, false)?;
        for (item, id) in (0_u64..).zip(self.bones) {
            let place = usize::try_from(id.get()).ok().and_then(|id| seen.get_mut(id));
            let fault = match place {
                Some(seen) => std::mem::replace(seen, true).then(|| String::from("a bone that was listed before")),
                None => Some(String::from("a bone that does not exist")),
            };
            if let Some(fault) = fault {
                let expected = format!("bone numbers below {}, each at most once", self.bone_count);
                let kind = Cause::value(expected, format!("{}, {fault}", id.get()));
                let at = self.bones_at.saturating_add(item.saturating_mul(2));
                return Err(Error::new(self.format, self.place.named("bone_ids"), at, kind).breaking(&ANIMATED_BONE));
            }
        }
        Ok(())
    }

    /// Creates the error for an animation whose keys have changed since the animation was located.
    pub(super) fn changed(&self, at: usize) -> Error {
        Error::new(
            self.format,
            self.place.named("keys"),
            self.keys_at.saturating_add(as_u64(at)),
            Cause::UnexpectedEnd { needed: 1, left: 0 },
        )
    }

    pub(super) fn error(&self, name: &'static str, kind: Cause) -> Error {
        Error::without_offset(self.format, self.place.named(name), kind)
    }
}
