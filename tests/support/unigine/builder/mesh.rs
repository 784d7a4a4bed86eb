//! A new mesh and its bones.

use zerocopy::IntoBytes;
use zerocopy::little_endian::I16;

use super::animation::Animation;
use super::bounds;
use super::surface::Surface;
use super::writer::Writer;
use meshpeek::Result;
use meshpeek::model::Transform;
use meshpeek::unigine::layout::{RawBounds, RawTransform};
use meshpeek::unigine::{Coding, Generation, Storage};

/// A bone of a new mesh or animation file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    pub name: String,
    /// The index of the parent bone; -1 for a root bone.
    pub parent: i16,
    /// The bind transform, relative to the parent bone.
    pub bind: Transform,
}

/// A new mesh that can be written to a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The format version (ms10 to ms15) of the written file. The format version determines the
    /// layout of the file.
    pub generation: Generation,
    /// The bones of the skeleton.
    pub bones: Vec<Bone>,
    /// The animations that are embedded in the mesh file. From ms13 on, the list of animations must
    /// be empty.
    pub animations: Vec<Animation>,
    /// The surfaces of the mesh.
    pub surfaces: Vec<Surface>,
    /// Selects whether geometry blocks and tree blocks are stored compressed or uncompressed. The
    /// field `storage` has an effect in ms14 and ms15 only.
    ///
    /// [`Kept`](Storage::Kept) has the same effect as [`Lz4`](Storage::Lz4), because a new mesh has
    /// no existing blocks.
    pub storage: Storage,
    /// The target number of triangles per leaf of the spatial trees; 4 in all examined files. The
    /// target number of triangles per leaf is written in ms14 and ms15 only.
    pub leaf_triangles: u32,
    /// The estimate of the memory that the engine needs for the mesh, in bytes. The memory estimate
    /// is written in ms14 and ms15 only.
    ///
    /// If `memory_estimate` is `None`, the written memory estimate is a computed value that is
    /// close to the estimate of the engine.
    pub memory_estimate: Option<i64>,
}

impl Mesh {
    /// Creates a mesh without bones, animations and surfaces.
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

    /// Returns the bytes of the file. A value that the format cannot store is an error of the kind
    /// `Refused` with the name of the field.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        let contents = self.contents();
        let mut writer = Writer::new(self.generation.magic());
        writer.magic();
        if self.generation.is_compressed() {
            writer.count(self.leaf_triangles);
        }
        writer.bounds(self.bounds());
        if self.generation.has_bones() {
            writer.length(self.bones.len());
        }
        for bone in &self.bones {
            writer.text(bone.name.as_bytes());
            writer.put(I16::new(bone.parent).as_bytes());
        }
        if self.generation.has_animations() {
            writer.length(self.animations.len());
            for animation in &self.animations {
                writer.text(animation.name.as_bytes());
            }
        }
        writer.length(self.surfaces.len());
        for surface in &self.surfaces {
            surface.write_header(&mut writer, self.generation);
        }
        if self.generation.is_compressed() {
            writer.put(&self.memory(&contents).to_le_bytes());
        }
        writer.magic();
        for bone in &self.bones {
            writer.put(RawTransform::new(&bone.bind).as_bytes());
        }
        for animation in &self.animations {
            writer.animation_head(&animation.bone_ids(), &Coding::Changes, Some(animation.flags));
            animation.write_frames(&mut writer, &Coding::Changes);
        }
        if self.generation.is_compressed() {
            self.write_blocks(&mut writer, &contents);
            return Ok(writer.bytes);
        }
        for surface in &self.surfaces {
            surface.write_geometry(&mut writer, self.generation);
        }
        writer.magic();
        Ok(writer.bytes)
    }

    /// Returns the bounding box and the bounding sphere that are written for the whole mesh. The
    /// bounding box of the mesh is the union of the bounding boxes of all surfaces, and the
    /// bounding sphere is computed by merging the bounding spheres of the surfaces one after
    /// another.
    pub fn bounds(&self) -> RawBounds {
        let all = self.surfaces.iter().map(Surface::bounds);
        let bounds = all.clone().filter(|one| one.radius.get() >= 0.0).map(|one| one.bounds());
        let bounds = bounds.reduce(|one, other| one.union(&other)).unwrap_or(bounds::EMPTY.0);
        RawBounds::new(&bounds, &bounds::merge(all.map(|one| one.sphere())).unwrap_or(bounds::EMPTY.1))
    }
}
