//! A mesh to write.

use std::io::Write;

use zerocopy::IntoBytes;
use zerocopy::little_endian::I16;

use super::animation::Animation;
use super::bone::Bone;
use super::surface::Surface;
use crate::error::Result;
use crate::formats::unigine::animation::coding::Coding;
use crate::formats::unigine::blocks::write::Storage;
use crate::formats::unigine::bounds;
use crate::formats::unigine::layout::{Generation, RawBounds, RawTransform};
use crate::formats::unigine::writer::FieldWriter;

/// A mesh to write.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Which layout to write.
    pub generation: Generation,
    /// The skeleton.
    pub bones: Vec<Bone>,
    /// Embedded animations: not from ms13 on.
    pub animations: Vec<Animation>,
    /// The surfaces.
    pub surfaces: Vec<Surface>,
    /// How blocks are stored: ms14 and ms15 only. [`Kept`](Storage::Kept) is [`Lz4`](Storage::Lz4), for there is nothing to keep.
    pub storage: Storage,
    /// How many triangles the engine wants in a leaf of a tree, 4 in every real file: ms14 and ms15 only.
    pub leaf_triangles: u32,
    /// What the file says that the mesh takes in memory, in bytes: ms14 and ms15 only. `None` writes an estimate of the engine's.
    pub memory_estimate: Option<i64>,
}

impl Mesh {
    /// Makes a mesh with nothing in it.
    #[must_use]
    pub const fn new(generation: Generation) -> Self {
        Self {
            generation,
            bones: Vec::new(),
            animations: Vec::new(),
            surfaces: Vec::new(),
            storage: Storage::Lz4,
            leaf_triangles: 4,
            memory_estimate: None,
        }
    }

    /// Writes the mesh to memory.
    ///
    /// # Errors
    ///
    /// As [`write_to`](Self::write_to).
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the mesh, after testing all of it. Many small writes: give it a [`BufWriter`](std::io::BufWriter).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused), by field, for what the format cannot hold: nothing is written then. What the output refuses.
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        self.check()?;
        let contents = self.contents()?;
        let mut writer = FieldWriter::for_mesh(out, self.generation);
        writer.magic()?;
        if self.generation.is_compressed() {
            writer.count(self.leaf_triangles)?;
        }
        writer.bounds(&self.bounds())?;
        if self.generation.has_bones() {
            writer.length(self.bones.len())?;
        }
        for bone in &self.bones {
            writer.text(bone.name.as_bytes())?;
            writer.bytes(I16::new(bone.parent).as_bytes())?;
        }
        if self.generation.has_animations() {
            writer.length(self.animations.len())?;
            for animation in &self.animations {
                writer.text(animation.name.as_bytes())?;
            }
        }
        writer.length(self.surfaces.len())?;
        for surface in &self.surfaces {
            surface.write_header(&mut writer, self.generation)?;
        }
        if self.generation.is_compressed() {
            writer.bytes(&self.memory(&contents).to_le_bytes())?;
        }
        writer.magic()?;
        for bone in &self.bones {
            writer.bytes(RawTransform::new(&bone.bind).as_bytes())?;
        }
        for animation in &self.animations {
            writer.animation_head(&animation.bone_ids(), &Coding::Changes, Some(animation.flags))?;
            animation.write_frames(&mut writer, &Coding::Changes)?;
        }
        if self.generation.is_compressed() {
            self.write_blocks(&mut writer, &contents)?;
            return writer.flush();
        }
        for surface in &self.surfaces {
            surface.write_geometry(&mut writer, self.generation)?;
        }
        writer.magic()?;
        writer.flush()
    }

    /// Returns the bounds that are written: the union of the surfaces' boxes, and their spheres merged in order.
    #[must_use]
    pub fn bounds(&self) -> RawBounds {
        let all = self.surfaces.iter().map(Surface::bounds);
        let bounds = all.clone().filter(|one| one.radius.get() >= 0.0).map(|one| one.bounds());
        let bounds = bounds.reduce(|one, other| one.union(&other)).unwrap_or(bounds::EMPTY.0);
        RawBounds::new(&bounds, &bounds::merge(all.map(|one| one.sphere())).unwrap_or(bounds::EMPTY.1))
    }
}
