//! The writer of animation files: the reader mirrored, field by field.

use std::io::Write;

use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I16, I32};

use super::super::write::Writer;
use super::{Animation, AnimationView, Coding};
use crate::decode::OffsetScale16;
use crate::error::Result;

impl<W: Write> Writer<W> {
    /// Writes a count of 32 bits.
    pub(crate) fn length_32(&mut self, length: usize) -> Result<()> {
        self.bytes(I32::new(i32::try_from(length).unwrap_or(i32::MAX)).as_bytes())
    }

    /// Writes a name with its length in 32 bits and closing NUL.
    pub(crate) fn text_32(&mut self, name: &[u8]) -> Result<()> {
        self.length_32(name.len().saturating_add(1))?;
        self.bytes(name)?;
        self.bytes(&[0])
    }

    /// Writes the box that quantized values lie in.
    pub(crate) fn boxed(&mut self, OffsetScale16 { min, size }: &OffsetScale16) -> Result<()> {
        self.bytes(min.map(F32::new).as_bytes())?;
        self.bytes(size.map(F32::new).as_bytes())
    }

    /// Writes what stands in front of an animation's frames: its bones, boxes and flags, as far as its coding has them.
    pub(crate) fn animation_head(&mut self, bones: &[I16], coding: &Coding, flags: Option<u8>) -> Result<()> {
        self.length(bones.len())?;
        self.bytes(bones.as_bytes())?;
        if let Coding::Quantized(boxes) = coding {
            boxes.iter().try_for_each(|one| self.boxed(one))?;
        }
        flags.map_or(Ok(()), |flags| self.bytes(&[flags]))
    }

    /// Writes an animation's block as it was read.
    pub(crate) fn animation(&mut self, view: &AnimationView<'_>) -> Result<()> {
        self.animation_head(view.bones, &view.coding(), view.flags)?;
        self.frames(view)
    }

    fn frames(&mut self, view: &AnimationView<'_>) -> Result<()> {
        self.count(view.frames)?;
        crate::io::prefetch(view.key_bytes());
        self.bytes(view.key_bytes())
    }
}

impl<D: AsRef<[u8]>> Animation<D> {
    /// Writes the file again, field by field. A sound file's bytes come out as they were.
    ///
    /// Many small writes: give it a [`BufWriter`](std::io::BufWriter), or memory.
    ///
    /// # Errors
    ///
    /// The first fault of the file, by field and offset, or what the output refuses; part of it may be written then.
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        let generation = self.generation();
        let mut writer = Writer::new(out, generation.magic(), generation.format());
        writer.magic()?;
        if let Some(bounds) = self.raw_bounds()? {
            writer.bounds(bounds)?;
        }
        if generation.has_skeleton() {
            writer.length_32(self.bone_count())?;
        } else {
            writer.length(self.bone_count())?;
        }
        for bone in 0..self.bone_count() {
            let (name, parent) = self.bone_head(bone)?;
            writer.text(name.as_bytes())?;
            writer.bytes(I16::new(parent).as_bytes())?;
        }
        if generation.is_quantized() {
            writer.length(self.animation_count())?;
            for animation in 0..self.animation_count() {
                writer.text(self.animation_name(animation)?.as_bytes())?;
            }
        }
        if let Some([guid, path]) = self.skeleton()? {
            writer.text_32(guid.as_bytes())?;
            writer.text_32(path.as_bytes())?;
            writer.animation_head(self.animation(0)?.bones, &Coding::Whole, None)?;
            writer.bytes(I32::new(self.raw_rate().unwrap_or_default()).as_bytes())?;
            writer.bytes(self.tail()?)?;
        }
        writer.magic()?;
        for bone in 0..self.bone_count() {
            if let Some(bind) = self.raw_bind(bone)? {
                writer.bytes(bind.as_bytes())?;
            }
        }
        for animation in 0..self.animation_count() {
            let view = self.animation(animation)?;
            if generation.has_skeleton() {
                writer.frames(&view)?;
            } else {
                writer.animation(&view)?;
            }
        }
        self.check()?;
        writer.magic()?;
        writer.flush()
    }
}
