//! A new animation file that can be written.

use zerocopy::IntoBytes;
use zerocopy::little_endian::{I16, I32};

use super::animation::Animation;
use super::bounds::EMPTY;
use super::check::{check_skeleton, wrong};
use super::mesh::Bone;
use super::writer::Writer;
use meshpeek::decode::OffsetScale16;
use meshpeek::unigine::layout::{RawBounds, RawTransform};
use meshpeek::unigine::{AnimationGeneration, Coding};
use meshpeek::{Field, Result};

/// A new animation file that can be written.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationFile {
    /// The format version (an10 to an13) of the written file. The format version determines the
    /// layout of the file.
    pub generation: AnimationGeneration,
    /// The bones of the skeleton. The bind transforms of the bones are written in an10 and an11
    /// only.
    pub bones: Vec<Bone>,
    /// The animations of the file. From an11 on, a file must contain exactly one animation, whose
    /// name must be empty.
    pub animations: Vec<Animation>,
    /// The GUID of the skeleton that the animation moves: 40 hexadecimal digits in the examined
    /// files. The GUID is written in an12 and an13 only.
    pub skeleton_guid: String,
    /// The path of the skeleton asset: `guid://` and the GUID in the examined files. The path of
    /// the skeleton asset is written in an12 and an13 only.
    pub skeleton_path: String,
    /// The frame rate in frames per second. The frame rate is written in an12 and an13 only.
    pub rate: i32,
    /// The root motion flag: not 0 if a bone moves the whole model. The root motion flag is written
    /// in an12 and an13 only.
    pub root_motion: u8,
    /// Twelve bytes of unknown meaning after the root motion flag, which are 0 in all examined
    /// files. The twelve unknown bytes are written in an13 only.
    pub unknown: [u8; 12],
}

impl AnimationFile {
    /// Creates an animation file without bones and animations, with a frame rate of 30 frames per
    /// second.
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

    /// Returns the bytes of the file. A value that the format cannot store is an error of the kind
    /// `Refused` with the name of the field.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        let generation = self.generation;
        let mut writer = Writer::new(generation.magic());
        writer.magic();
        if generation.is_quantized() {
            writer.bounds(RawBounds::new(&EMPTY.0, &EMPTY.1));
        }
        if generation.has_skeleton() {
            writer.length_32(self.bones.len());
        } else {
            writer.length(self.bones.len());
        }
        for bone in &self.bones {
            writer.text(bone.name.as_bytes());
            writer.put(I16::new(bone.parent).as_bytes());
        }
        if generation.is_quantized() {
            writer.length(self.animations.len());
            for animation in &self.animations {
                writer.text(animation.name.as_bytes());
            }
        }
        if generation.has_skeleton() {
            self.write_skeleton(&mut writer);
        }
        writer.magic();
        for bone in self.bones.iter().filter(|_| generation.has_binds()) {
            writer.put(RawTransform::new(&bone.bind).as_bytes());
        }
        for animation in &self.animations {
            let coding = if generation.is_quantized() { animation.quantized() } else { Coding::Whole };
            if !generation.has_skeleton() {
                let flags = generation.is_quantized().then_some(animation.flags);
                writer.animation_head(&animation.bone_ids(), &coding, flags);
            }
            animation.write_frames(&mut writer, &coding);
        }
        writer.magic();
        Ok(writer.bytes)
    }

    /// Writes the header fields that only an12 and an13 have. The header fields of an12 and an13
    /// are located directly before the inner magic number.
    fn write_skeleton(&self, writer: &mut Writer) {
        writer.text_32(self.skeleton_guid.as_bytes());
        writer.text_32(self.skeleton_path.as_bytes());
        for animation in &self.animations {
            writer.animation_head(&animation.bone_ids(), &Coding::Whole, None);
        }
        writer.put(I32::new(self.rate).as_bytes());
        writer.put(&[self.root_motion]);
        if self.generation == AnimationGeneration::An13 {
            writer.put(&self.unknown);
        }
    }
}

impl AnimationFile {
    /// Returns an error if the format version of the animation file cannot store a value of the
    /// file.
    fn check(&self) -> Result<()> {
        let format = self.generation.format();
        check_skeleton(format, &self.bones, &self.animations)?;
        for (name, text) in [("skeleton_guid", &self.skeleton_guid), ("skeleton_path", &self.skeleton_path)] {
            if text.contains('\0') {
                return Err(wrong(format, Field::new(name), "a string without NUL", &format!("{text:?}")));
            }
        }
        if self.generation.is_quantized() {
            return (0..).zip(&self.animations).try_for_each(|(index, animation)| animation.check_boxes(index));
        }
        match &*self.animations {
            [only] if only.name.is_empty() => Ok(()),
            [named] => {
                let field = Field::new("name").in_list("animation", 0);
                Err(wrong(format, field, "no name in this generation", &format!("{:?}", named.name)))
            }
            all => {
                let found = all.len().to_string();
                Err(wrong(format, Field::new("animations"), "exactly one animation in this generation", &found))
            }
        }
    }
}

impl Animation {
    /// Returns the 16-bit quantized encoding of this animation, with the same offsets and scales
    /// that the engine would use.
    fn quantized(&self) -> Coding {
        let keys = || self.frames.iter().flatten();
        Coding::Quantized([boxed(&keys().map(|key| key.position)), boxed(&keys().map(|key| key.scale))])
    }

    /// Returns an error if a position or scale of a key is not finite, or if the difference between
    /// the largest and the smallest value overflows `f32`. The 16-bit quantization of an10 requires
    /// finite offsets and scales.
    fn check_boxes(&self, index: u64) -> Result<()> {
        let Coding::Quantized(boxes) = self.quantized() else { return Ok(()) };
        let keys = self.frames.iter().flatten();
        let told = keys.flat_map(|key| key.position.into_iter().chain(key.scale)).flatten();
        let sizes = boxes.iter().flat_map(|one| one.size);
        match told.chain(sizes).find(|value| !value.is_finite()) {
            None => Ok(()),
            Some(found) => {
                let field = Field::new("keys").in_list("animation", index);
                let expected = "finite positions and scales whose box has a finite size";
                Err(wrong(AnimationGeneration::An10.format(), field, expected, &found.to_string()))
            }
        }
    }
}

/// Returns the offset and the scale with which the engine quantizes the given values to 16 bits. An
/// axis without values gets the offset 1e9 and the scale -2e9, as in the engine's empty bounding
/// box.
///
/// As in the engine, the scale of an axis is the largest value minus the smallest value plus 1.
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
