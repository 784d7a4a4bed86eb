//! Views of one animation: its keys in the file, and the poses that they give.

use zerocopy::little_endian::I16;

use super::cache::{CacheSlot, MIN_KEYS_TO_INDEX};
use super::checkpoints::{CheckpointIndex, CheckpointPlan, build};
use super::coding::{AnimationKey, Coding};
use super::scan::{KeyScan, empty_key_run, scan};
use super::stored_checkpoints;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::formats::unigine::layout::RawTransform;
use crate::math::as_u64;
use crate::model::Transform;
use crate::parse::{Cursor, Name};
use crate::sidecar::Builder;

/// The numbers of the bones that an animation moves, and their offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoneIds<'a> {
    pub(crate) ids: &'a [I16],
    pub(crate) at: u64,
}

/// An animation of bones, borrowed from the file: embedded in a [`Mesh`](crate::unigine::Mesh), or of an
/// [`Animation`](crate::unigine::Animation) file.
///
/// | call | order | allocates |
/// |---|---|---|
/// | [`pose`](Self::pose), first time beyond the first checkpoint | the flags of all keys, once | the checkpoints, 2 % of the file at most |
/// | [`pose`](Self::pose) again, embedded and an10 | bones × [`interval`](Self::interval) keys at most | nothing |
/// | [`pose`](Self::pose) again, from an11 on | bones keys, and some 400 bytes of others' flags | nothing |
/// | [`play`](Self::play), for each frame | bones | a pose, once |
#[derive(Clone, Copy, Debug)]
pub struct AnimationView<'a> {
    /// Its name; empty where the file gives none.
    pub name: Name<'a>,
    /// The numbers of the bones it moves, as stored.
    pub bones: &'a [I16],
    /// Frames.
    pub frames: u32,
    /// Which components its first frame holds, the bits of a key's flags: of embedded animations and an10.
    pub flags: Option<u8>,
    flags_at: u64,
    /// Frames per second, where the file says so.
    pub rate: Option<f32>,
    coding: Coding,
    /// Where bones rest, in files that say so.
    binds: &'a [RawTransform],
    bone_count: usize,
    bones_at: u64,
    pub(super) keys: &'a [u8],
    keys_at: u64,
    scan: KeyScan,
    cache: CacheSlot<'a>,
    /// Bytes of the file, of which the index may be a part.
    share: u64,
    pub(super) format: &'static str,
    place: Field,
}

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
            format: "unigine",
            place: Field::new(""),
        }
    }

    pub(crate) const fn placed(self, format: &'static str, place: Field) -> Self {
        Self { format, place, ..self }
    }

    pub(crate) const fn named(self, name: Name<'a>) -> Self {
        Self { name, ..self }
    }

    pub(crate) const fn flagged(self, flags: u8, flags_at: u64) -> Self {
        Self { flags: Some(flags), flags_at, ..self }
    }

    /// Says where the bones rest.
    pub(crate) const fn resting(self, binds: &'a [RawTransform]) -> Self {
        Self { binds, bone_count: binds.len(), ..self }
    }

    /// Says how many bones there are in a file that does not say where they rest, and how fast it plays.
    pub(crate) const fn of(self, bone_count: usize, rate: Option<f32>) -> Self {
        Self { rate, bone_count, ..self }
    }

    /// Returns how its keys are spelled.
    #[must_use]
    pub const fn coding(&self) -> Coding {
        self.coding
    }

    /// Returns the number of bones of the skeleton, moved or not: as many as a pose has places.
    #[must_use]
    pub const fn bone_count(&self) -> usize {
        self.bone_count
    }

    /// Returns all keys in file order: all bones of frame 0, then of frame 1, and so on.
    pub fn keys(&self) -> impl Iterator<Item = AnimationKey<'a>> + use<'a> {
        let mut cursor = Cursor::new(self.keys, "unigine");
        let (base, coding) = (self.keys_at, self.coding);
        std::iter::from_fn(move || {
            let offset = base.saturating_add(cursor.offset());
            let flags = *cursor.read::<u8>("flags").ok()?;
            let components = cursor.bytes(coding.key_size(flags), "key").ok()?;
            Some(AnimationKey { flags, components, offset })
        })
    }

    /// Returns the offset of the first bone number from the start of the file.
    #[must_use]
    pub const fn bones_offset(&self) -> u64 {
        self.bones_at
    }

    /// Returns the offset of the flags that the whole animation has.
    pub(crate) const fn flags_offset(&self) -> u64 {
        self.flags_at
    }

    /// Returns the offset of the first key from the start of the file.
    #[must_use]
    pub const fn keys_offset(&self) -> u64 {
        self.keys_at
    }

    /// Returns the bytes of all keys, straight from the file.
    #[must_use]
    pub const fn key_bytes(&self) -> &'a [u8] {
        self.keys
    }

    /// Returns how many frames lie between two checkpoints: what finding a frame walks at most. 64 or more where a frame
    /// tells only what changed; the smallest number that keeps the index within 2 % of the file. Fewer than 64 keys have no
    /// index, and are walked from the first.
    #[must_use]
    pub fn interval(&self) -> u32 {
        let interval = self.plan().interval;
        if self.key_count() < MIN_KEYS_TO_INDEX { interval.max(self.frames) } else { interval }
    }

    /// Returns the bytes of memory that the checkpoints take once they are built; builds them. 0 where a sidecar lends them.
    #[must_use]
    pub fn index_size(&self) -> u64 {
        self.index().map_or(0, CheckpointIndex::size)
    }

    /// Returns where the first key with flags of unknown meaning is, as an offset from the start of the file.
    pub(crate) fn first_unknown(&self) -> Option<u64> {
        self.scan.unknown.map(|at| self.keys_at.saturating_add(at))
    }

    /// Returns the number of keys.
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

    /// Adds to a sidecar what finding its frames again would cost a walk.
    pub(crate) fn push(&self, builder: &mut Builder) -> Result<()> {
        stored_checkpoints::push(builder, (self.keys, self.key_count()), &self.scan, self.index())
    }

    /// Writes where a frame puts each bone of the skeleton, relative to its parent. Rotations are as stored, of nearly
    /// unit length. A bone that the animation does not move rests: at its bind transform, in files that have one, and at
    /// the origin in others. So does a component that the animation never told.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] for a frame that does not exist, [`ErrorKind::Buffer`] where `out` has not as many places as the
    /// skeleton has bones, [`ErrorKind::Value`] where a bone's number names none, or was named before.
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
            // What was told by the frame before the checkpoint is in there, so its own frame comes next.
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

    /// Puts every bone where it rests.
    pub(super) fn rest(&self, out: &mut [Transform]) {
        for (number, bone) in out.iter_mut().enumerate() {
            *bone = self.binds.get(number).map(RawTransform::get).unwrap_or_default();
        }
    }

    /// Applies one frame's keys.
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
        // The keys were walked when the animation was located: what ends early has changed.
        let past = |left: usize| keys.len().saturating_sub(left);
        *at = left.map(past).map_err(|left| self.changed(past(left)))?;
        Ok(())
    }

    /// Applies one frame of keys that tell what changed, by `put`; returns the bytes after them, or those left where the
    /// keys are no longer what they were.
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

    /// Applies one frame of keys that tell all; returns as [`apply_changes`](Self::apply_changes) does.
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
            let kind = ErrorKind::Buffer { needed: as_u64(self.bone_count), given: as_u64(out.len()) };
            return Err(self.error("out", kind));
        }
        if frame >= self.frames {
            return Err(self.error("frame", ErrorKind::NoSuch { count: self.frames.into(), index: frame.into() }));
        }
        self.check_bones()
    }

    /// Tests that each bone number names a bone, and none twice. Nearly all files name all bones in order.
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
                Some(seen) => std::mem::replace(seen, true).then(|| String::from("one that was named before")),
                None => Some(String::from("one that does not exist")),
            };
            if let Some(fault) = fault {
                let expected = format!("bones below {}, each once", self.bone_count).into();
                let kind = ErrorKind::Value { expected, found: format!("{}, {fault}", id.get()).into() };
                let at = self.bones_at.saturating_add(item.saturating_mul(2));
                return Err(Error::new(self.format, self.place.named("bone_ids"), at, kind));
            }
        }
        Ok(())
    }

    /// The keys were walked when the animation was located: they are no longer what they were.
    fn changed(&self, at: usize) -> Error {
        Error::new(
            self.format,
            self.place.named("keys"),
            self.keys_at.saturating_add(as_u64(at)),
            ErrorKind::UnexpectedEnd { needed: 1, left: 0 },
        )
    }

    fn error(&self, name: &'static str, kind: ErrorKind) -> Error {
        Error::without_offset(self.format, self.place.named(name), kind)
    }
}
