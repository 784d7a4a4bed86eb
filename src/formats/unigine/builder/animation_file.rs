//! An animation file to write.

use std::io::Write;

use zerocopy::IntoBytes;
use zerocopy::little_endian::{I16, I32};

use super::animation::Animation;
use super::bone::Bone;
use crate::error::Result;
use crate::formats::unigine::animation::coding::Coding;
use crate::formats::unigine::bounds::EMPTY;
use crate::formats::unigine::layout::{AnimationGeneration, RawBounds, RawTransform};
use crate::formats::unigine::writer::FieldWriter;

/// An animation file to write.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::unigine::{Animation, AnimationGeneration, builder};
/// let nod = vec![vec![Default::default()]; 2];
/// let file = builder::AnimationFile {
///     bones: vec![builder::Bone { name: "head".into(), parent: -1, ..Default::default() }],
///     animations: vec![builder::Animation::of_poses("nod", &nod)],
///     ..builder::AnimationFile::new(AnimationGeneration::An10)
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
        let mut writer = FieldWriter::new(out, generation.magic(), generation.format());
        writer.magic()?;
        if generation.is_quantized() {
            writer.bounds(&RawBounds::new(&EMPTY.0, &EMPTY.1))?;
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
    fn write_skeleton(&self, writer: &mut FieldWriter<impl Write>) -> Result<()> {
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
