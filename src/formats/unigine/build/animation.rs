//! Building animations: those of meshes, and files of their own.

use std::io::Write;

use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I16, I32, U16};

use super::{Animation, Bone, Key};
use crate::decode::{OffsetScale16, tangent_frame};
use crate::error::Result;
use crate::formats::unigine::anim::coding::Coding;
use crate::formats::unigine::bounds::NOTHING;
use crate::formats::unigine::layout::{AnimationGeneration, RawBounds, RawTransform};
use crate::formats::unigine::write::Writer;
use crate::model::Transform;

/// An animation file to write.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::unigine::{Animation, AnimationGeneration, build};
/// let nod = vec![vec![Default::default()]; 2];
/// let file = build::AnimationFile {
///     bones: vec![build::Bone { name: "head".into(), parent: -1, ..Default::default() }],
///     animations: vec![build::Animation::of_poses("nod", &nod)],
///     ..build::AnimationFile::new(AnimationGeneration::An10)
/// };
/// assert_eq!(Animation::open(file.to_bytes()?)?.animation(0)?.frames, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationFile {
    /// Which layout to write.
    pub generation: AnimationGeneration,
    /// The skeleton. Where a bone rests is written in an10 and an11 only.
    pub bones: Vec<Bone>,
    /// The animations: one without a name from an11 on.
    pub animations: Vec<Animation>,
    /// The GUID of the skeleton that the file is made for, 40 hexadecimal digits in real files: an12 and an13.
    pub skeleton_guid: String,
    /// Its path, `guid://` and the GUID in real files: an12 and an13.
    pub skeleton_path: String,
    /// Frames per second: an12 and an13.
    pub rate: i32,
    /// Not 0 where a bone moves the whole: an12 and an13.
    pub root_motion: u8,
    /// What nobody has explained, 0 in every real file: an13.
    pub unknown: [u8; 12],
}

impl AnimationFile {
    /// Makes a file with nothing in it, and a rate of 30.
    #[must_use]
    pub const fn new(generation: AnimationGeneration) -> Self {
        Self {
            generation,
            bones: Vec::new(),
            animations: Vec::new(),
            skeleton_guid: String::new(),
            skeleton_path: String::new(),
            rate: 30,
            root_motion: 0,
            unknown: [0; 12],
        }
    }

    /// Writes the file to memory.
    ///
    /// # Errors
    ///
    /// As [`write_to`](Self::write_to).
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the file, after testing all of it. Many small writes: give it a [`BufWriter`](std::io::BufWriter).
    ///
    /// Of an10, the boxes are those that the engine would write, and a component whose code is that of the frame before
    /// is left out. From an11 on a component is left out where it is the default.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), by field, for what the format cannot hold: nothing is written then. What the output refuses.
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        self.check()?;
        let generation = self.generation;
        let mut writer = Writer::new(out, generation.magic(), generation.format());
        writer.magic()?;
        if generation.is_quantized() {
            writer.bounds(&RawBounds::new(&NOTHING.0, &NOTHING.1))?;
        }
        if generation.has_skeleton() {
            writer.length_32(self.bones.len())?;
        } else {
            writer.length(self.bones.len())?;
        }
        for bone in &self.bones {
            writer.text(bone.name.as_bytes())?;
            writer.bytes(I16::new(bone.parent).as_bytes())?;
        }
        if generation.is_quantized() {
            writer.length(self.animations.len())?;
            for animation in &self.animations {
                writer.text(animation.name.as_bytes())?;
            }
        }
        if generation.has_skeleton() {
            self.write_skeleton(&mut writer)?;
        }
        writer.magic()?;
        for bone in self.bones.iter().filter(|_| generation.has_binds()) {
            writer.bytes(RawTransform::new(&bone.bind).as_bytes())?;
        }
        for animation in &self.animations {
            let coding = if generation.is_quantized() { animation.quantized() } else { Coding::Whole };
            if !generation.has_skeleton() {
                let flags = generation.is_quantized().then_some(animation.flags);
                writer.animation_head(&animation.bone_ids(), &coding, flags)?;
            }
            animation.write_frames(&mut writer, &coding)?;
        }
        writer.magic()?;
        writer.flush()
    }

    /// Writes what the newest generations say in front of the inner magic.
    fn write_skeleton(&self, writer: &mut Writer<impl Write>) -> Result<()> {
        writer.text_32(self.skeleton_guid.as_bytes())?;
        writer.text_32(self.skeleton_path.as_bytes())?;
        for animation in &self.animations {
            writer.animation_head(&animation.bone_ids(), &Coding::Whole, None)?;
        }
        writer.bytes(I32::new(self.rate).as_bytes())?;
        writer.bytes(&[self.root_motion])?;
        if self.generation == AnimationGeneration::An13 { writer.bytes(&self.unknown) } else { Ok(()) }
    }
}

impl Animation {
    /// Makes an animation of whole poses: for each frame, the transform of each bone of the skeleton. Later frames keep
    /// only what changed.
    #[must_use]
    pub fn of_poses(name: &str, poses: &[Vec<Transform>]) -> Self {
        let bones = poses.first().map_or(0, Vec::len);
        let mut before: &[Transform] = &[];
        let mut frames = Vec::new();
        for pose in poses {
            let keys = pose.iter().enumerate().map(|(bone, to)| Key::from_to(before.get(bone), to));
            frames.push(keys.collect());
            before = pose;
        }
        let bones = (0..bones).map(|bone| i16::try_from(bone).unwrap_or(i16::MAX)).collect();
        Self { name: name.to_owned(), bones, flags: 0x7f, frames }
    }

    /// Returns the numbers of its bones as a file has them.
    pub(super) fn bone_ids(&self) -> Vec<I16> {
        self.bones.iter().map(|bone| I16::new(*bone)).collect()
    }

    /// Returns the boxes that the engine would quantize it in.
    pub(super) fn quantized(&self) -> Coding {
        let keys = || self.frames.iter().flatten();
        Coding::Quantized([boxed(&keys().map(|key| key.position)), boxed(&keys().map(|key| key.scale))])
    }

    /// Writes the number of frames, and their keys.
    pub(super) fn write_frames(&self, writer: &mut Writer<impl Write>, coding: &Coding) -> Result<()> {
        writer.length(self.frames.len())?;
        let mut last = vec![Codes::default(); self.bones.len()];
        for keys in &self.frames {
            for (key, last) in keys.iter().zip(&mut last) {
                let (flags, components) = match coding {
                    Coding::Changes => key.changes(),
                    Coding::Quantized(boxes) => key.codes(boxes, last),
                    Coding::Whole => key.whole(),
                };
                writer.bytes(&[flags])?;
                writer.bytes(&components)?;
            }
        }
        Ok(())
    }
}

/// The codes that a bone was given last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Codes {
    axes: [Option<u16>; 6],
    rotation: Option<[I16; 4]>,
}

impl Key {
    /// Returns a key that tells what differs from `before`, or all where there is nothing before.
    fn from_to(before: Option<&Transform>, to: &Transform) -> Self {
        let changed =
            |one: f32, other: Option<f32>| Some(one).filter(|one| other.map(f32::to_bits) != Some(one.to_bits()));
        let axes = |to: [f32; 3], before: Option<[f32; 3]>| {
            let mut axes = [None; 3];
            for (axis, (out, to)) in axes.iter_mut().zip(to).enumerate() {
                *out = changed(to, before.and_then(|before| before.get(axis).copied()));
            }
            axes
        };
        Self {
            position: axes(to.position, before.map(|before| before.position)),
            rotation: Some(to.rotation).filter(|to| before.map(|before| before.rotation) != Some(*to)),
            scale: axes(to.scale, before.map(|before| before.scale)),
        }
    }

    /// Spells the components in the order of their bits.
    fn spell(
        &self,
        mut axis: impl FnMut(usize, f32, &mut Vec<u8>) -> bool,
        mut turn: impl FnMut([I16; 4]) -> bool,
    ) -> (u8, Vec<u8>) {
        let (mut flags, mut out) = (0, Vec::new());
        let all = self.position.into_iter().chain(self.scale).enumerate();
        for (number, (value, bit)) in
            all.zip([1_u8, 2, 4, 0x10, 0x20, 0x40]).map(|((at, value), bit)| (at, (value, bit)))
        {
            if number == 3
                && let Some(rotation) = self.rotation
            {
                // Keys have no handedness to save, so w is not lifted.
                let rotation = rotation.map(tangent_frame::encode_component);
                if turn(rotation) {
                    flags |= 8;
                    out.extend(rotation.as_bytes());
                }
            }
            if let Some(value) = value
                && axis(number, value, &mut out)
            {
                flags |= bit;
            }
        }
        (flags, out)
    }

    /// Spells what the key tells, as floats.
    fn changes(&self) -> (u8, Vec<u8>) {
        let axis = |_: usize, value: f32, out: &mut Vec<u8>| {
            out.extend(F32::new(value).as_bytes());
            true
        };
        self.spell(axis, |_| true)
    }

    /// Spells what the key tells in boxes, without what has the code that it had.
    fn codes(&self, [positions, scales]: &[OffsetScale16; 2], last: &mut Codes) -> (u8, Vec<u8>) {
        let Codes { axes, rotation: turned } = last;
        let axis = |number: usize, value: f32, out: &mut Vec<u8>| {
            let code = match number.checked_sub(3) {
                None => positions.encode(number, value),
                Some(axis) => scales.encode(axis, value),
            };
            let before = axes.get_mut(number).and_then(|last| last.replace(code));
            if before == Some(code) {
                return false;
            }
            out.extend(U16::new(code).as_bytes());
            true
        };
        self.spell(axis, |rotation| turned.replace(rotation) != Some(rotation))
    }

    /// Spells a transform as floats: what is left out is the default.
    fn whole(&self) -> (u8, Vec<u8>) {
        let rest = Transform::default();
        let of = |axes: [Option<f32>; 3], rest: f32| axes.map(|value| value.unwrap_or(rest));
        let (position, scale) = (of(self.position, 0.0), of(self.scale, 1.0));
        let rotation = self.rotation.unwrap_or(rest.rotation);
        let (mut flags, mut out) = (0, Vec::new());
        let cases = [(1, &position[..], &rest.position[..]), (2, &rotation, &rest.rotation), (4, &scale, &rest.scale)];
        for (bit, found, default) in cases {
            if found.iter().map(|value| value.to_bits()).ne(default.iter().map(|value| value.to_bits())) {
                flags |= bit;
                out.extend(found.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        (flags, out)
    }
}

/// Returns the box around all values: larger by 1 along each axis than they span, as the engine has it, or the engine's
/// empty one.
fn boxed(values: &(impl Iterator<Item = [Option<f32>; 3]> + Clone)) -> OffsetScale16 {
    let mut found = OffsetScale16 { min: NOTHING.0.min, size: [-2e9; 3] };
    for (axis, (min, size)) in found.min.iter_mut().zip(&mut found.size).enumerate() {
        let along = || values.clone().filter_map(|axes| axes.get(axis).copied().flatten());
        if along().next().is_some() {
            let [low, high] = [along().fold(f32::INFINITY, f32::min), along().fold(f32::NEG_INFINITY, f32::max)];
            (*min, *size) = (low, (high - low) + 1.0);
        }
    }
    found
}
