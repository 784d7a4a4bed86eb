//! The keys of a clip, sorted by channel.

// Rule: this file sorts and maps by copies only.

use super::skeleton::SkeletonPlan;
use crate::error::Result;
use crate::model::Transform;
use crate::model::animation::{Animations, ClipKey, KeyValue, Property};
use crate::scene::shape::is_finite;

/// The properties of a bone that keys change.
const PROPERTIES: [Property; 3] = [Property::Position, Property::Rotation, Property::Scale];

/// The keys of one channel, as glTF stores them.
///
/// glTF interpolates linearly from each key to the next. In a mesh file, a value stays until the
/// frame before its next key, so this frame has a key, too.
#[derive(Debug)]
pub(super) struct ChannelKeys {
    pub(super) bone: usize,
    pub(super) property: Property,
    /// The frame of each key, in ascending order.
    pub(super) frames: Vec<u32>,
    /// The value of each key. Only a rotation has a fourth number.
    pub(super) values: Vec<[f32; 4]>,
}

/// What an animation does not contain of the keys of a clip.
pub(super) struct ReplacedKeys {
    /// The number of bones with keys that have no bone in the table.
    pub(super) bones: usize,
    /// The number of keys with a number that is not finite.
    pub(super) not_finite: usize,
}

/// The stored keys of all channels of a clip. The table is used for one clip after another, because
/// a file may have many more bones and clips than keys.
#[derive(Default)]
pub(super) struct KeyTable {
    /// The keys of each bone.
    bones: Vec<[Vec<StoredKey>; 3]>,
    /// The bones that have keys.
    moved: Vec<usize>,
}

/// The frame and the value of a stored key. Only a rotation has a fourth number.
type StoredKey = (u32, [f32; 4]);

impl KeyTable {
    /// Removes all keys. The table then has `bones` bones.
    pub(super) fn clear(&mut self, bones: usize) {
        for bone in self.moved.drain(..) {
            self.bones.get_mut(bone).into_iter().flatten().for_each(Vec::clear);
        }
        self.bones.resize_with(bones, Default::default);
    }

    /// Returns the lists of a bone, to which keys are added.
    fn lists(&mut self, bone: usize) -> Option<&mut [Vec<StoredKey>; 3]> {
        let lists = self.bones.get_mut(bone)?;
        if lists.iter().all(Vec::is_empty) && self.moved.last() != Some(&bone) {
            self.moved.push(bone);
        }
        Some(lists)
    }

    /// Reads the keys of a clip. `bones` has the bone of the table for each bone of the file.
    pub(super) fn read(
        &mut self,
        animations: &dyn Animations,
        clip: usize,
        bones: &[Option<usize>],
    ) -> Result<ReplacedKeys> {
        let (mut missing, mut not_finite) = (vec![false; bones.len()], 0_usize);
        for key in animations.keys(clip, None)? {
            let ClipKey { frame, bone: Some(bone), value } = key? else { continue };
            let Some(target) = bones.get(bone).copied().flatten().and_then(|bone| self.lists(bone)) else {
                missing.get_mut(bone).into_iter().for_each(|missing| *missing = true);
                continue;
            };
            let wide = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
            let [positions, rotations, scales] = target;
            let (list, value) = match value {
                KeyValue::Position(value) => (positions, wide(value)),
                KeyValue::Rotation(value) => (rotations, value),
                KeyValue::Scale(value) => (scales, wide(value)),
                KeyValue::VertexFrame(_) => continue,
            };
            not_finite = not_finite.saturating_add(usize::from(!is_finite(value)));
            list.push((frame, value));
        }
        Ok(ReplacedKeys { bones: missing.into_iter().filter(|missing| *missing).count(), not_finite })
    }

    /// Adds the rest transforms of another file as keys at frame 0, where a bone that the clip
    /// moves has no key and another rest transform than in the skeleton.
    pub(super) fn add_rest(
        &mut self,
        animations: &dyn Animations,
        clip: usize,
        bones: &[Option<usize>],
        skeleton: &SkeletonPlan,
    ) -> Result<()> {
        let mut is_moved = vec![false; bones.len()];
        animations.animated_bones(clip, &mut is_moved)?;
        for (source, (target, _)) in bones.iter().zip(is_moved).enumerate().filter(|(_, (_, is_moved))| *is_moved) {
            let Some((target, lists)) = target.and_then(|target| Some((target, self.lists(target)?))) else {
                continue;
            };
            let [own, other] = [skeleton.stored_rest(target), animations.bone(source)?.bind];
            for (property, keys) in PROPERTIES.into_iter().zip(lists) {
                let [own, other] = [own, other].map(|rest| value_of(&rest, property));
                let bits = |value: [f32; 4]| value.map(f32::to_bits);
                if bits(own) != bits(other) && keys.first().is_none_or(|(frame, _)| *frame > 0) {
                    keys.insert(0, (0, other));
                }
            }
        }
        Ok(())
    }

    /// Returns the channels with keys, sorted by bone and property. `frames` is the number of
    /// frames of the clip: the first channel has a key at the last frame, because glTF has no other
    /// place for the length of an animation.
    pub(super) fn channels<'t>(
        &'t mut self,
        skeleton: &'t SkeletonPlan,
        frames: u32,
    ) -> impl Iterator<Item = ChannelKeys> + 't {
        self.moved.sort_unstable();
        self.moved.dedup();
        let bones = self.moved.iter().filter_map(|bone| Some((*bone, self.bones.get(*bone)?)));
        let channels = bones.flat_map(|(bone, properties)| {
            PROPERTIES.into_iter().zip(properties).map(move |(property, keys)| (bone, property, keys))
        });
        let channels = channels.filter(|(.., keys)| !keys.is_empty()).enumerate();
        channels.map(move |(number, (bone, property, keys))| {
            let last = frames.saturating_sub(1);
            channel(skeleton, bone, property, keys, if number == 0 { Some(last) } else { None })
        })
    }
}

/// Converts the keys of a channel, and adds the keys that hold a value until the next key.
fn channel(
    skeleton: &SkeletonPlan,
    bone: usize,
    property: Property,
    keys: &[StoredKey],
    last: Option<u32>,
) -> ChannelKeys {
    let mut out = ChannelKeys { bone, property, frames: Vec::new(), values: Vec::new() };
    let rest = value_of(&skeleton.rest(bone), property);
    let start = keys.first().map_or(0, |(frame, _)| *frame);
    let first = keys.first().map(|(_, value)| value.map(f32::to_bits));
    let is_constant = start == 0 && keys.iter().all(|(_, value)| Some(value.map(f32::to_bits)) == first);
    let used = if is_constant { keys.get(..1).unwrap_or(keys) } else { keys };
    if start > 0 {
        out.push(0, rest);
    }
    for (frame, value) in used {
        out.hold(frame.saturating_sub(1));
        out.push(*frame, value_of(&skeleton.convert(&with_value(property, value)), property));
    }
    if let Some(last) = last {
        out.hold(last);
    }
    out
}

impl ChannelKeys {
    /// Adds a key. A second key at the same frame replaces the first.
    fn push(&mut self, frame: u32, value: [f32; 4]) {
        let value = match self.values.last().filter(|_| self.property == Property::Rotation) {
            Some(before) => nearer(before, value),
            None => value,
        };
        if self.frames.last().is_some_and(|last| *last >= frame) {
            self.frames.pop();
            self.values.pop();
        }
        self.frames.push(frame);
        self.values.push(value);
    }

    /// Holds the last value until a frame, if the frame is after the last key.
    fn hold(&mut self, frame: u32) {
        if let Some((last, value)) = self.frames.last().copied().zip(self.values.last().copied())
            && last < frame
        {
            self.push(frame, value);
        }
    }
}

/// Returns a quaternion or its negative, which is the same rotation: the one that is nearer to
/// `before`.
fn nearer(before: &[f32; 4], value: [f32; 4]) -> [f32; 4] {
    let dot: f32 = before.iter().zip(value).map(|(one, other)| one * other).sum();
    if dot < 0.0 { value.map(|part| -part) } else { value }
}

fn with_value(property: Property, value: &[f32; 4]) -> Transform {
    let [x, y, z, _] = *value;
    match property {
        Property::Position => Transform { position: [x, y, z], ..Transform::default() },
        Property::Rotation => Transform { rotation: *value, ..Transform::default() },
        Property::Scale | Property::VertexFrame => Transform { scale: [x, y, z], ..Transform::default() },
    }
}

fn value_of(transform: &Transform, property: Property) -> [f32; 4] {
    let wide = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
    match property {
        Property::Position => wide(transform.position),
        Property::Rotation => transform.rotation,
        Property::Scale | Property::VertexFrame => wide(transform.scale),
    }
}
