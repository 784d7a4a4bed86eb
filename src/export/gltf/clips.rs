//! Animations: the keys of clips.

use super::attributes::write_little_endian;
use super::buffers::BufferSink;
use super::document::{AccessorType, AnimationObject, ArraySpec, ChannelObject, Sampler, add};
use super::keys::{ChannelKeys, KeyTable, ReplacedKeys};
use super::skeleton::SkeletonPlan;
use crate::error::Result;
use crate::export::clip_rate;
use crate::export::loss::{LossKind, LossList, counted};
use crate::math::{as_index, narrow};
use crate::model::animation::{Animations, Clip, Property};

/// The file of a clip, and what it is exported with.
pub(super) struct ClipInput<'s> {
    pub(super) animations: &'s dyn Animations,
    pub(super) clip: usize,
    /// The name of the animation if the file stores none.
    pub(super) name: Option<&'s str>,
    /// The rate of a clip for which the file stores none, in frames per second.
    pub(super) rate: f32,
}

impl ClipInput<'_> {
    /// Makes an animation without channels. Events whose time is not finite are added to `losses`.
    fn object(&self, clip: &Clip<'_>, losses: &mut LossList) -> Result<AnimationObject> {
        let stored = clip.name.to_string_lossy();
        let name = if stored.is_empty() { self.name.map(str::to_owned) } else { Some(stored) };
        let (rate, has_rate) = clip_rate(clip.rate, self.rate);
        let mut object = AnimationObject { name, frames: clip.frames, rate, has_rate, ..AnimationObject::default() };
        for index in 0.. {
            let Some(event) = self.animations.event(self.clip, index)? else { break };
            let function = event.function.to_string_lossy();
            if event.time.is_finite() {
                object.events.push((event.time, function));
            } else {
                let text = format!("the event `{function}`, whose time is not finite");
                losses.add(LossKind::Metadata, None, text);
            }
        }
        Ok(object)
    }

    /// Writes the keys of a clip that moves bones. `bones` has the bone of the skeleton for each
    /// bone of the file, and `nodes` the first node of each copy of the skeleton.
    ///
    /// `table` is a table of keys, which is overwritten. Returns `None` if the clip moves no bone.
    pub(super) fn bones(
        &self,
        skeleton: &SkeletonPlan,
        bones: &[Option<usize>],
        nodes: &[u32],
        table: &mut KeyTable,
        sink: &mut dyn BufferSink,
        losses: &mut LossList,
    ) -> Result<Option<AnimationObject>> {
        let clip = self.animations.clip(self.clip)?;
        let mut object = self.object(&clip, losses)?;
        table.clear(skeleton.bone_count());
        let ReplacedKeys { bones: missing, not_finite } = table.read(self.animations, self.clip, bones)?;
        if clip.frames > 0 {
            table.add_rest(self.animations, self.clip, bones, skeleton)?;
        }
        if missing > 0 {
            let name = object.name.clone().unwrap_or_default();
            let text = format!("{} of clip `{name}`, which the mesh does not have", counted(missing, "bone"));
            losses.add(LossKind::ClipBones, None, text);
        }
        if not_finite > 0 {
            let name = object.name.clone().unwrap_or_default();
            let text = format!("{} of clip `{name}` that are not finite", counted(not_finite, "key"));
            losses.add(LossKind::Values, None, text);
        }
        let mut times: Option<(Vec<u32>, u32)> = None;
        for (number, channel) in table.channels(skeleton, clip.frames).enumerate() {
            let input = match times.take().filter(|(frames, _)| *frames == channel.frames) {
                Some(same) => same,
                None => (channel.frames.clone(), write_times(&object, &channel.frames, sink)?),
            };
            let sampler = Sampler { input: input.1, output: write_values(&channel, sink)? };
            times = Some(input);
            object.samplers.push(sampler);
            let sampler = u32::try_from(number).unwrap_or(u32::MAX);
            for first in nodes {
                let node = first.saturating_add(u32::try_from(channel.bone).unwrap_or(u32::MAX));
                object.channels.push(ChannelObject { sampler, node, path: path_of(channel.property) });
            }
        }
        Ok(Some(object).filter(|object| !object.channels.is_empty()))
    }

    /// Writes the weights of the morph targets of a clip of vertex frames. Target *n* is the vertex
    /// frame `first` + 1 + *n*, and `nodes` are the nodes of the mesh.
    pub(super) fn vertex_frames(
        &self,
        first: u32,
        targets: u32,
        nodes: &[u32],
        sink: &mut dyn BufferSink,
        losses: &mut LossList,
    ) -> Result<Option<AnimationObject>> {
        let clip = self.animations.clip(self.clip)?;
        let Some(start) = clip.first_vertex_frame.filter(|_| clip.frames > 0 && !nodes.is_empty()) else {
            return Ok(None);
        };
        let mut object = self.object(&clip, losses)?;
        let active = start.saturating_sub(first);
        add_weights(&mut object, active, targets, nodes, sink)?;
        Ok(Some(object))
    }
}

/// Writes the times of frames, in seconds.
fn write_times(object: &AnimationObject, frames: &[u32], sink: &mut dyn BufferSink) -> Result<u32> {
    let spec = ArraySpec::other(AccessorType::SCALARS, frames.len()).with_bounds();
    let rate = f64::from(object.rate);
    sink.array(&spec, &mut |out| {
        frames.iter().try_for_each(|frame| write_little_endian(&[narrow(f64::from(*frame) / rate)], out))
    })
}

/// Writes the times and the weights of all frames. In frame *f*, the target `active` + *f* - 1
/// has the weight 1; target -1 is the base shape.
///
/// The last key repeats the first frame, because an engine that repeats a clip blends its last
/// frame into its first. The clip lasts its number of frames divided by its rate.
fn add_weights(
    object: &mut AnimationObject,
    active: u32,
    targets: u32,
    nodes: &[u32],
    sink: &mut dyn BufferSink,
) -> Result<()> {
    let frames = object.frames;
    let all: Vec<u32> = (0..=frames).collect();
    let input = write_times(object, &all, sink)?;
    let count = all.len().saturating_mul(as_index(targets));
    let spec = ArraySpec::other(AccessorType::SCALARS, count);
    let output = sink.array(&spec, &mut |out| {
        let mut row = vec![0.0; as_index(targets)];
        for frame in (0..frames).chain([0]) {
            row.fill(0.0);
            // An incomplete last frame of the file is not a target. The frame before it is held.
            let target = active.saturating_add(frame).min(targets).checked_sub(1);
            if let Some(weight) = target.and_then(|target| row.get_mut(as_index(target))) {
                *weight = 1.0;
            }
            write_little_endian(&row, out)?;
        }
        Ok(())
    })?;
    let sampler = add(&mut object.samplers, Sampler { input, output });
    object.channels.extend(nodes.iter().map(|node| ChannelObject { sampler, node: *node, path: "weights" }));
    Ok(())
}

fn write_values(channel: &ChannelKeys, sink: &mut dyn BufferSink) -> Result<u32> {
    let width: u8 = if channel.property == Property::Rotation { 4 } else { 3 };
    let elements = [AccessorType::floats(width)];
    let spec = ArraySpec::other(&elements, channel.values.len());
    sink.array(&spec, &mut |out| {
        let values = channel.values.iter();
        values
            .map(|value| value.get(..width.into()).unwrap_or(value))
            .try_for_each(|value| write_little_endian(value, out))
    })
}

const fn path_of(property: Property) -> &'static str {
    match property {
        Property::Position => "translation",
        Property::Rotation => "rotation",
        Property::Scale => "scale",
        Property::VertexFrame => "weights",
    }
}
