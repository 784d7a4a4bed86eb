//! Keys and channels of clips: the values that a file stores, without interpolation.

use std::ops::Range;

use super::animations::Animations;
use crate::error::Result;
use crate::model::bone::Transform;
use crate::parse::{filled, room};

/// The property that the keys of a channel change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Property {
    /// The translation of a bone, relative to its parent.
    Position,
    /// The rotation of a bone, relative to its parent.
    Rotation,
    /// The scale of a bone, relative to its parent.
    Scale,
    /// The vertex frame that gives the positions of all vertices of the mesh.
    VertexFrame,
}

/// A channel of a clip: one property of one bone, or the vertex frame of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    /// Index of the bone, or `None` for the vertex frame of the mesh.
    pub bone: Option<usize>,
    /// The property that the keys of the channel change.
    pub property: Property,
}

/// The value of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum KeyValue {
    /// Translation in scene units.
    Position([f32; 3]),
    /// Rotation as a quaternion x, y, z, w, as stored in the file. In an undamaged file, the length
    /// of the quaternion is nearly 1.
    Rotation([f32; 4]),
    /// Scale factor along each axis.
    Scale([f32; 3]),
    /// Index of a vertex frame among all vertex frames of the mesh, for the method
    /// [`vertex_frame`](crate::Surface::vertex_frame).
    VertexFrame(u32),
}

impl KeyValue {
    /// Returns the property that has this value.
    #[doc(hidden)]
    #[must_use]
    pub const fn property(&self) -> Property {
        match self {
            Self::Position(_) => Property::Position,
            Self::Rotation(_) => Property::Rotation,
            Self::Scale(_) => Property::Scale,
            Self::VertexFrame(_) => Property::VertexFrame,
        }
    }
}

/// A key of a clip: the value of one channel from an animation frame on.
///
/// [`Clip::seconds`](super::Clip::seconds) returns the time of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipKey {
    /// Index of the animation frame within the clip.
    pub frame: u32,
    /// Index of the bone, or `None` for the vertex frame of the mesh.
    pub bone: Option<usize>,
    /// The value of the channel from this frame on.
    pub value: KeyValue,
}

impl ClipKey {
    /// Returns the channel of the key.
    #[doc(hidden)]
    #[must_use]
    pub const fn channel(&self) -> Channel {
        Channel { bone: self.bone, property: self.value.property() }
    }
}

/// The bits of the properties that a [`BoneKey`] stores.
pub(crate) const POSITION: u8 = 1;
pub(crate) const ROTATION: u8 = 2;
pub(crate) const SCALE: u8 = 4;

/// The keys of one bone at one animation frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoneKey {
    pub(crate) frame: u32,
    pub(crate) bone: usize,
    /// The bits of the properties for which the file stores a key. The other properties of
    /// `transform` have no meaning.
    pub(crate) stored: u8,
    pub(crate) transform: Transform,
}

impl BoneKey {
    /// Removes the first property from the keys, and returns its key. Returns `None` if no property
    /// is left.
    fn take(&mut self) -> Option<ClipKey> {
        let Transform { position, rotation, scale } = self.transform;
        let first = self.stored & self.stored.wrapping_neg();
        self.stored ^= first;
        let value = match first {
            POSITION => KeyValue::Position(position),
            ROTATION => KeyValue::Rotation(rotation),
            SCALE => KeyValue::Scale(scale),
            _ => return None,
        };
        Some(ClipKey { frame: self.frame, bone: Some(self.bone), value })
    }
}

/// The keys of a clip, read from the file one after another.
///
/// The iterator returns an error, and then ends, if the bytes of a key cannot be read. The frames
/// of a channel ascend. The keys of different channels are in file order: some formats store
/// all bones of one frame after another, and some store all frames of one bone after another.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use std::collections::BTreeMap;
/// let file = meshpeek::open("data/unigine/wave_an10.anim")?;
/// let mut channels: BTreeMap<_, Vec<_>> = BTreeMap::new();
/// for key in file.animations().keys(0, None)? {
///     let key = key?;
///     channels.entry(key.channel()).or_default().push((key.frame, key.value));
/// }
/// assert_eq!(channels.into_keys().collect::<Vec<_>>(), file.animations().channels(0)?);
/// # Ok(())
/// # }
/// ```
pub struct ClipKeys<'a> {
    source: Source<'a>,
    left: Option<BoneKey>,
}

enum Source<'a> {
    Bones(Box<dyn Iterator<Item = Result<BoneKey>> + 'a>),
    /// The frames of the clip, and the vertex frame of frame 0.
    VertexFrames(Range<u32>, u32),
    Ended,
}

impl<'a> ClipKeys<'a> {
    pub(crate) fn of_bones(keys: impl Iterator<Item = Result<BoneKey>> + 'a) -> Self {
        Self { source: Source::Bones(Box::new(keys)), left: None }
    }

    /// Returns the keys of a clip of vertex frames, one for each frame.
    const fn of_vertex_frames(first: u32, frames: u32) -> Self {
        Self { source: Source::VertexFrames(0..frames, first), left: None }
    }

    pub(crate) const fn empty() -> Self {
        Self { source: Source::Ended, left: None }
    }
}

impl std::fmt::Debug for ClipKeys<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ClipKeys").finish_non_exhaustive()
    }
}

impl Iterator for ClipKeys<'_> {
    type Item = Result<ClipKey>;

    fn next(&mut self) -> Option<Result<ClipKey>> {
        loop {
            if let Some(key) = self.left.as_mut().and_then(BoneKey::take) {
                return Some(Ok(key));
            }
            match &mut self.source {
                Source::Ended => return None,
                Source::VertexFrames(frames, first) => {
                    let frame = frames.next()?;
                    let value = KeyValue::VertexFrame(first.saturating_add(frame));
                    return Some(Ok(ClipKey { frame, bone: None, value }));
                }
                Source::Bones(keys) => match keys.next() {
                    Some(Ok(key)) => self.left = Some(key),
                    ended => {
                        self.source = Source::Ended;
                        return ended.and_then(Result::err).map(Err);
                    }
                },
            }
        }
    }
}

/// Finds the keys of a clip by comparing the poses of its frames, for a file of a format that does
/// not return its keys. A clip of vertex frames has a key for each frame.
pub(super) fn keys_of_poses<A: Animations + ?Sized>(
    motion: &A,
    clip: usize,
    only: Option<usize>,
) -> Result<ClipKeys<'_>> {
    let found = motion.clip(clip)?;
    if let Some(bone) = only {
        motion.bone(bone)?;
    }
    if let Some(first) = found.first_vertex_frame {
        return Ok(if only.is_none() { ClipKeys::of_vertex_frames(first, found.frames) } else { ClipKeys::empty() });
    }
    let (format, count) = (motion.format(), motion.bone_count()?);
    let mut moved = filled(format, "bones", count, false)?;
    motion.animated_bones(clip, &mut moved)?;
    let [before, pose] = [(); 2].map(|()| filled(format, "pose", count, Transform::default()));
    let (before, pose) = (before?, pose?);
    Ok(ClipKeys::of_bones(PoseKeys {
        motion,
        clip,
        only,
        frames: 0..found.frames,
        frame: 0,
        bone: count,
        moved,
        before,
        pose,
    }))
}

/// The differences between the poses of a clip.
struct PoseKeys<'a, A: ?Sized> {
    motion: &'a A,
    clip: usize,
    only: Option<usize>,
    /// The frames after the frame `frame`.
    frames: Range<u32>,
    frame: u32,
    /// The next bone of the frame.
    bone: usize,
    moved: Vec<bool>,
    before: Vec<Transform>,
    pose: Vec<Transform>,
}

impl<A: Animations + ?Sized> Iterator for PoseKeys<'_, A> {
    type Item = Result<BoneKey>;

    fn next(&mut self) -> Option<Result<BoneKey>> {
        loop {
            while let Some((before, now)) = self.before.get(self.bone).zip(self.pose.get(self.bone)) {
                let bone = self.bone;
                self.bone = bone.saturating_add(1);
                let is_wanted = self.only.is_none_or(|only| only == bone) && self.moved.get(bone) == Some(&true);
                let stored = if self.frame == 0 { POSITION | ROTATION | SCALE } else { changes(before, now) };
                if is_wanted && stored != 0 {
                    return Some(Ok(BoneKey { frame: self.frame, bone, stored, transform: *now }));
                }
            }
            (self.frame, self.bone) = (self.frames.next()?, 0);
            std::mem::swap(&mut self.before, &mut self.pose);
            let frame = usize::try_from(self.frame).unwrap_or(usize::MAX);
            if let Err(error) = self.motion.pose(self.clip, frame, &mut self.pose) {
                return Some(Err(error));
            }
        }
    }
}

/// Returns the bits of the properties whose stored numbers differ.
fn changes(before: &Transform, now: &Transform) -> u8 {
    let differ =
        |one: &[f32], other: &[f32]| one.iter().zip(other).any(|(one, other)| one.to_bits() != other.to_bits());
    let bit = |differs: bool, bit: u8| if differs { bit } else { 0 };
    bit(differ(&before.position, &now.position), POSITION)
        | bit(differ(&before.rotation, &now.rotation), ROTATION)
        | bit(differ(&before.scale, &now.scale), SCALE)
}

/// Returns the channels of the keys of a clip, sorted.
pub(super) fn channels_of_keys<A: Animations + ?Sized>(motion: &A, clip: usize) -> Result<Vec<Channel>> {
    let (format, count) = (motion.format(), motion.bone_count()?);
    let mut stored = filled(format, "channels", count, 0_u8)?;
    let mut has_frames = false;
    for key in motion.keys(clip, None)? {
        let Channel { bone, property } = key?.channel();
        match bone.and_then(|bone| stored.get_mut(bone)) {
            Some(stored) => *stored |= bit_of(property),
            None => has_frames = true,
        }
    }
    if has_frames {
        return Ok(vec![Channel { bone: None, property: Property::VertexFrame }]);
    }
    channels_of_bits(format, &stored)
}

/// Returns the channels of bones. `stored` has the bits of the properties of each bone.
pub(crate) fn channels_of_bits(format: &'static str, stored: &[u8]) -> Result<Vec<Channel>> {
    let properties = [Property::Position, Property::Rotation, Property::Scale];
    let all = stored.iter().enumerate().flat_map(|(bone, stored)| {
        let stored = *stored;
        let of = move |property| Channel { bone: Some(bone), property };
        properties.into_iter().filter(move |property| stored & bit_of(*property) != 0).map(of)
    });
    let mut channels = room(format, "channels", all.clone().count())?;
    channels.extend(all);
    Ok(channels)
}

const fn bit_of(property: Property) -> u8 {
    match property {
        Property::Position => POSITION,
        Property::Rotation => ROTATION,
        Property::Scale => SCALE,
        Property::VertexFrame => 0,
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;
    use crate::model::animation::rig::{Rig, at};

    /// A rig with a clip of three frames. Bone 0 moves in frame 2 and turns in frame 1, bone 1 is
    /// not moved, and bone 2 is moved and stays.
    fn rig() -> Rig {
        let turned = Transform { rotation: [0.0, 1.0, 0.0, 0.0], ..at(1.0) };
        let later = Transform { position: [5.0; 3], ..turned };
        let frames = [at(1.0), turned, later].map(|first| vec![first, at(2.0), at(3.0)]);
        let bones = [("a", -1, at(0.0)), ("b", -1, at(2.0)), ("c", -1, at(0.0))];
        Rig::new(&bones).with_clip(Some(10.0), &[true, false, true], frames.to_vec())
    }

    fn told(keys: ClipKeys<'_>) -> Vec<(u32, usize, KeyValue)> {
        keys.map(|key| key.map(|key| (key.frame, key.bone.unwrap(), key.value)).unwrap()).collect()
    }

    #[test]
    fn poses_without_keys_become_keys() {
        let rig = rig();
        let rest = |frame, bone, x| {
            let Transform { position, rotation, scale } = at(x);
            let values = [KeyValue::Position(position), KeyValue::Rotation(rotation), KeyValue::Scale(scale)];
            values.map(|value| (frame, bone, value))
        };
        let turned = (1, 0, KeyValue::Rotation([0.0, 1.0, 0.0, 0.0]));
        let moved = (2, 0, KeyValue::Position([5.0; 3]));
        let first = [rest(0, 0, 1.0), rest(0, 2, 3.0)].concat();
        assert_eq!(told(rig.keys(0, None).unwrap()), [&first[..], &[turned, moved]].concat());
        assert_eq!(told(rig.keys(0, Some(0)).unwrap()), [&first[..3], &[turned, moved]].concat());
        assert_eq!(told(rig.keys(0, Some(1)).unwrap()), []);
        assert_eq!(rig.channels(0).unwrap().len(), 6);
        assert_eq!(rig.keys(1, None).unwrap_err().kind().id(), "no-such");
    }

    #[test]
    fn a_pose_that_fails_ends_the_keys() {
        let frames = vec![vec![at(1.0)]; 3];
        let rig = Rig::new(&[("a", -1, at(0.0))]).with_clip(None, &[true], frames).with_failing_pose(1);
        let mut keys = rig.keys(0, None).unwrap();
        assert!(keys.by_ref().take(3).all(|key| key.is_ok()));
        assert_eq!(keys.next().unwrap().unwrap_err().field().name(), "frame");
        assert!(keys.next().is_none());
        assert!(rig.channels(0).is_err());
    }
}
