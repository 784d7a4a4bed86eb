//! Building new meshes from floats.
//!
//! Plain lists with public fields, checked and encoded when they are written. Frames, weights and bounds are encoded
//! exactly as the engine does; what a generation cannot hold, and numbers that name nothing, are refused before the
//! first byte. What [`validate`](super::Mesh::validate) knows beyond that, such as bones in a circle, it tells of the result.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! use meshpeek::unigine::{Generation, Mesh, build};
//! let triangle = build::Surface {
//!     name: "triangle".into(),
//!     targets: vec![build::Target {
//!         positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!         frames: vec![Default::default()],
//!         ..Default::default()
//!     }],
//!     indices: vec![0, 1, 2],
//!     attribute_indices: vec![0, 0, 0],
//!     ..Default::default()
//! };
//! let mesh = build::Mesh { surfaces: vec![triangle], ..build::Mesh::new(Generation::Ms13) };
//! let again = Mesh::open(mesh.to_bytes()?)?;
//! assert_eq!(again.surface(0)?.positions()?.get(1), Some([1.0, 0.0, 0.0]));
//! # Ok(())
//! # }
//! ```

mod animation;
mod check;
mod compressed;
mod edges;
mod tree;

use std::io::Write;

use zerocopy::IntoBytes;
use zerocopy::little_endian::I16;

use super::anim::Coding;
use super::block::Storage;
use super::bounds::{self, NOTHING};
use super::layout::{Generation, INFLUENCES, RawBounds, RawTransform};
use super::write::Writer;
use crate::array::{Bounds, Sphere};
use crate::decode::{Influence, TangentFrame, float, influence4, tangent_frame};
use crate::error::Result;
use crate::model::Transform;

pub use animation::AnimationFile;

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

/// A bone to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// Its name, without NUL.
    pub name: String,
    /// The number of its parent, −1 for a root; it may come after its children.
    pub parent: i16,
    /// Where it rests, relative to its parent.
    pub bind: Transform,
}

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
    pub frames: Vec<Vec<Key>>,
}

/// One bone at one frame: what is left out keeps its value; from an11 on, it is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key {
    /// Offset along each axis.
    pub position: [Option<f32>; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: Option<[f32; 4]>,
    /// Factor along each axis.
    pub scale: [Option<f32>; 3],
}

/// A surface to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Its name, without NUL.
    pub name: String,
    /// The lightmap bytes: from ms12 on. `None` writes what the engine does, UV set 1 and 256 texels.
    pub lightmap: Option<[u8; 2]>,
    /// Shapes: the base shape first. At least one.
    pub targets: Vec<Target>,
    /// For each position, up to four influences; or no list at all.
    pub weights: Vec<Vec<Influence>>,
    /// Two UV sets: each with a pair for each frame of the base shape, or none.
    pub uvs: [Vec<[f32; 2]>; 2],
    /// For each frame of the base shape red, green, blue, alpha; or none.
    pub colors: Vec<[u8; 4]>,
    /// For each corner, its position.
    pub indices: Vec<u32>,
    /// For each corner, its frame, UVs and colour.
    pub attribute_indices: Vec<u32>,
}

/// A shape to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// Its name, without NUL; empty in every real file.
    pub name: String,
    /// Positions in scene units.
    pub positions: Vec<[f32; 3]>,
    /// Tangent frames.
    pub frames: Vec<TangentFrame>,
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
        let mut writer = Writer::mesh(out, self.generation);
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
            surface.write_head(&mut writer, self.generation)?;
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
        let bounds = bounds.reduce(|one, other| one.union(&other)).unwrap_or(NOTHING.0);
        RawBounds::new(&bounds, &bounds::merge(all.map(|one| one.sphere())).unwrap_or(NOTHING.1))
    }
}

impl Surface {
    /// Returns the bounds that are written: those of the base shape.
    #[must_use]
    pub fn bounds(&self) -> RawBounds {
        let positions = self.targets.first().map(|base| base.positions.as_slice()).unwrap_or_default();
        let mut found = Bounds::EMPTY;
        for position in positions {
            found = found.union(&Bounds { min: *position, max: *position });
        }
        if found.is_empty() {
            return RawBounds::new(&NOTHING.0, &NOTHING.1);
        }
        let center = bounds::center(&found);
        let radius = bounds::reach(center, positions.iter().copied());
        RawBounds::new(&found, &Sphere { center, radius })
    }

    fn write_head(&self, writer: &mut Writer<impl Write>, generation: Generation) -> Result<()> {
        writer.text(self.name.as_bytes())?;
        writer.lightmap(generation, self.lightmap)?;
        if generation.is_compressed() {
            self.write_corners(writer)?;
        }
        writer.bounds(&self.bounds())?;
        if generation.has_targets() {
            writer.length(self.targets.len())?;
        }
        for target in &self.targets {
            let positions = u32::try_from(target.positions.len()).ok().filter(|_| generation.is_compressed());
            writer.target(generation, target.name.as_bytes(), positions)?;
        }
        Ok(())
    }

    fn write_geometry(&self, writer: &mut Writer<impl Write>, generation: Generation) -> Result<()> {
        for target in &self.targets {
            if !generation.is_compressed() {
                writer.length(target.positions.len())?;
            }
            for position in &target.positions {
                writer.bytes(float::encode(*position).as_bytes())?;
            }
            writer.length(target.frames.len())?;
            for frame in &target.frames {
                match generation {
                    Generation::Ms10 => writer.bytes(tangent_frame::encode7(frame).as_bytes())?,
                    _ => writer.bytes(tangent_frame::encode8(frame).as_bytes())?,
                }
            }
        }
        if generation.has_bones() {
            writer.length(self.weights.len())?;
        }
        for list in &self.weights {
            writer.bytes(&[u8::try_from(list.len()).unwrap_or(INFLUENCES)])?;
            for one in list {
                writer.bytes(influence4::encode(*one).as_bytes())?;
            }
        }
        for set in &self.uvs {
            writer.length(set.len())?;
            for pair in set {
                writer.bytes(float::encode(*pair).as_bytes())?;
            }
        }
        writer.length(self.colors.len())?;
        writer.bytes(self.colors.as_bytes())?;
        let (positions, frames) = self.base_counts();
        for (stream, items) in [(&self.indices, positions), (&self.attribute_indices, frames)] {
            if !generation.is_compressed() {
                writer.length(stream.len())?;
            }
            for index in stream {
                writer.index(*index, items)?;
            }
        }
        Ok(())
    }

    fn base_counts(&self) -> (usize, usize) {
        self.targets.first().map_or((0, 0), |base| (base.positions.len(), base.frames.len()))
    }
}
