//! An animation to write, in a mesh or in a file of its own.

use std::io::Write;

use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I16, U16};

use crate::decode::{OffsetScale16, tangent_frame};
use crate::error::Result;
use crate::formats::unigine::animation::coding::Coding;
use crate::formats::unigine::bounds::EMPTY;
use crate::formats::unigine::writer::FieldWriter;
use crate::model::Transform;

/// An animation to write, in a mesh or in a file of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// Its name, without NUL.
    pub name: String,
    /// The numbers of the bones it moves.
    pub bones: Vec<i16>,
    /// Which components frame 0 holds: bits 0–2 position x, y, z, bit 3 rotation, bits 4–6 scale x, y, z. Not written
    /// from an11 on.
    pub flags: u8,
    /// For each frame, a key for each of its bones.
    pub frames: Vec<Vec<BoneKey>>,
}

/// One bone at one frame: what is left out keeps its value; from an11 on, it is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoneKey {
    /// Offset along each axis.
    pub position: [Option<f32>; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: Option<[f32; 4]>,
    /// Factor along each axis.
    pub scale: [Option<f32>; 3],
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
            let keys = pose.iter().enumerate().map(|(bone, to)| BoneKey::from_to(before.get(bone), to));
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
    pub(super) fn write_frames(&self, writer: &mut FieldWriter<impl Write>, coding: &Coding) -> Result<()> {
        writer.length(self.frames.len())?;
        let mut last = vec![LastCodes::default(); self.bones.len()];
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
struct LastCodes {
    axes: [Option<u16>; 6],
    rotation: Option<[I16; 4]>,
}

impl BoneKey {
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
    fn codes(&self, [positions, scales]: &[OffsetScale16; 2], last: &mut LastCodes) -> (u8, Vec<u8>) {
        let LastCodes { axes, rotation: turned } = last;
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
    let mut found = OffsetScale16 { min: EMPTY.0.min, size: [-2e9; 3] };
    for (axis, (min, size)) in found.min.iter_mut().zip(&mut found.size).enumerate() {
        let along = || values.clone().filter_map(|axes| axes.get(axis).copied().flatten());
        if along().next().is_some() {
            let [low, high] = [along().fold(f32::INFINITY, f32::min), along().fold(f32::NEG_INFINITY, f32::max)];
            (*min, *size) = (low, (high - low) + 1.0);
        }
    }
    found
}
