//! Building new assets from floats.
//!
//! Plain lists with public fields, checked and encoded when they are written, as a viewer writes them: keys sorted, blocks
//! in its order, codes rounded to the nearest, zlib at its highest level. What the format or a viewer cannot hold is
//! refused before the first byte, by part and limit.
//!
//! ```
//! # fn main() -> meshpeek::Result<()> {
//! use meshpeek::Array;
//! use meshpeek::secondlife::{Lod, Mesh, build};
//! let triangle = build::Submesh {
//!     positions: vec![[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.0, 0.5, 0.0]],
//!     triangles: vec![[0, 1, 2]],
//!     ..Default::default()
//! };
//! let asset = build::Asset { high: build::Level::from(vec![triangle]), ..Default::default() };
//! let mesh = Mesh::open(asset.to_bytes()?)?;
//! assert_eq!(mesh.level(Lod::High)?.submesh(0)?.positions()?.get(1), Some([0.5, -0.5, 0.0]));
//! # Ok(())
//! # }
//! ```
//!
//! A part of an existing asset is changed by reading it ([`Level::of`], [`Skin::of`], [`Convex::of`]), changing the lists,
//! and giving its block to an [`Edit`](super::Edit), which copies everything else as it is stored.

mod check;
mod container;
mod encode;
mod read;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use md5::{Digest as _, Md5};

use super::layout::{FORMAT, Part};
use super::llsd::Writer;
use super::pose::IDENTITY;
use super::skin::Matrix;
use crate::decode::{Influence, MinMax16};
use crate::error::{Error, ErrorKind, Field, Result};

pub use container::{Container, Instance, Material, cache};

/// An asset to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asset {
    /// What the header says beside where the blocks are.
    pub header: Header,
    /// Full detail, which every asset has.
    pub high: Level,
    /// Medium detail.
    pub medium: Option<Level>,
    /// Low detail: only with medium.
    pub low: Option<Level>,
    /// The least detail: only with low.
    pub lowest: Option<Level>,
    /// Triangles to collide with: not together with hulls.
    pub physics_mesh: Option<Level>,
    /// Convex hulls to collide with. Of a sub-model without them, the block holds no value.
    pub convex: Option<Convex>,
    /// Joints. With them, every submesh of a level of detail has weights; without them, none has.
    pub skin: Option<Skin>,
}

/// What a header says beside where the blocks are. Uploads have none of it; simulators add the first four.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The version, 0 to 999: 1 is version 0.001.
    pub version: Option<i32>,
    /// The UUID of who uploads it.
    pub creator: Option<[u8; 16]>,
    /// When it is uploaded, in seconds since 1970-01-01 UTC.
    pub date: Option<f64>,
    /// Whether to note the MD5 of the physics blocks' stored bytes.
    pub hashes: bool,
    /// The number of the part that this is of a model with more materials than a mesh can have.
    pub submodel_id: Option<i32>,
    /// The names of the materials, one per submesh of the highest level; or none.
    pub material_list: Vec<String>,
}

/// A level of detail to write: at least one submesh, and at most eight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// The submeshes, one to a material.
    pub submeshes: Vec<Submesh>,
    /// The box that all positions are coded over; where it is left out, the one around them. A level that was read keeps
    /// its own, so that its codes stay what they are; leave it out once positions have moved.
    pub domain: Option<MinMax16<3>>,
}

impl From<Vec<Submesh>> for Level {
    fn from(submeshes: Vec<Submesh>) -> Self {
        Self { submeshes, domain: None }
    }
}

/// A submesh to write. One with nothing in it becomes a placeholder without geometry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submesh {
    /// Positions, in the unit cube around 0, z up: at most 65,535. Stored as 16-bit codes over the box of the whole
    /// level; worst error half of 1/65535 of its extent.
    pub positions: Vec<[f32; 3]>,
    /// For each vertex, a unit normal; or none at all. Worst error 1.6e-5 of each component.
    pub normals: Vec<[f32; 3]>,
    /// For each vertex, u to the right and v upwards; or none at all. Stored as 16-bit codes.
    pub uvs: Vec<[f32; 2]>,
    /// The intervals that they are coded over; where they are left out, from the least to the greatest. As those of
    /// [positions](Level::domain).
    pub uv_domain: Option<MinMax16<2>>,
    /// For each vertex, x, y, z and the handedness, 1 or −1; or none at all, as of every known file.
    pub tangents: Vec<[f32; 4]>,
    /// For each triangle, its vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// For each vertex, up to four influences of joints, with weights of 0 to 1; or no list at all.
    pub weights: Vec<Vec<Influence>>,
    /// The size of the model that it comes from.
    pub normalized_scale: Option<[f32; 3]>,
}

/// Collision shapes to write. All points are stored as 16-bit codes over one box.
///
/// ```
/// use meshpeek::secondlife::build::Convex;
/// let hulls = vec![vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, -0.5, 0.5]]];
/// let convex = Convex { hulls, ..Default::default() };
/// assert!(convex.to_block().is_ok());
/// assert!(Convex::default().to_block().is_err()); // no hulls, and none around everything
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convex {
    /// Convex hulls: at most 256, each of 3 to 256 points.
    pub hulls: Vec<Vec<[f32; 3]>>,
    /// The hull around everything, of 3 to 256 points. Where it is empty, the corners of the box around the hulls are
    /// written.
    pub bounding: Vec<[f32; 3]>,
    /// The box that all points are coded over; where it is left out, the one around them. As that of
    /// [positions](Level::domain).
    pub domain: Option<MinMax16<3>>,
}

/// A skin to write. By default the bind shape changes nothing.
///
/// ```
/// use meshpeek::secondlife::{Edit, Mesh, Part, build};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/arm.llmesh")?)?;
/// let mut skin = build::Skin::of(mesh.skin()?.unwrap())?;
/// skin.joints[0].name = "mChest".into();
/// let bytes = Edit::of(mesh.view())?.replace(Part::Skin, &skin.to_block()?)?.to_bytes()?;
/// assert_eq!(Mesh::open(bytes)?.skin()?.unwrap().joint_name(0)?.as_bytes(), b"mChest");
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// The joints: 1 to 110.
    pub joints: Vec<Joint>,
    /// The matrix from the model's space to the space that joints are bound in.
    pub bind_shape: Matrix,
    /// How far the avatar is lifted, in metres.
    pub pelvis_offset: Option<f32>,
    /// Whether joints that are moved keep their scale; left out where not.
    pub lock_scale_if_joint_position: bool,
}

impl Default for Skin {
    fn default() -> Self {
        Self { joints: Vec::new(), bind_shape: IDENTITY, pelvis_offset: None, lock_scale_if_joint_position: false }
    }
}

/// A joint to write. By default its matrix changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name in the avatar's skeleton.
    pub name: String,
    /// The matrix from the bind space to the joint's.
    pub inverse_bind: Matrix,
    /// The matrix whose translation is the joint's position relative to its parent: of all joints, or of none.
    pub alt_inverse_bind: Option<Matrix>,
}

impl Default for Joint {
    fn default() -> Self {
        Self { name: String::new(), inverse_bind: IDENTITY, alt_inverse_bind: None }
    }
}

impl Asset {
    /// Returns the asset's bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`], by part and field, for what the format or a viewer cannot hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        let mut blocks: Vec<(Part, Vec<u8>)> = Vec::new();
        let mut add = |part: Part, inflated: Vec<u8>| {
            blocks.push((part, deflate(&inflated)?));
            Ok(())
        };
        if let Some(skin) = &self.skin {
            add(Part::Skin, skin.encode())?;
        }
        if let Some(convex) = &self.convex {
            add(Part::PhysicsConvex, convex.encode())?;
        } else if self.header.submodel_id.is_some() {
            add(Part::PhysicsConvex, b"!".to_vec())?;
        }
        // From the lowest level to the highest.
        for (part, level) in self.levels().into_iter().rev() {
            if let Some(level) = level {
                add(part, level.encode())?;
            }
        }
        if let Some(level) = &self.physics_mesh {
            add(Part::PhysicsMesh, level.encode())?;
        }
        let mut bytes = self.header.encode(&blocks)?;
        for (_, stored) in &blocks {
            bytes.extend_from_slice(stored);
        }
        Ok(bytes)
    }

    /// Returns the levels of detail, the most detailed first.
    fn levels(&self) -> [(Part, Option<&Level>); 4] {
        [
            (Part::HighLod, Some(&self.high)),
            (Part::MediumLod, self.medium.as_ref()),
            (Part::LowLod, self.low.as_ref()),
            (Part::LowestLod, self.lowest.as_ref()),
        ]
    }
}

impl Header {
    /// Writes the header for blocks that follow it in this order.
    fn encode(&self, blocks: &[(Part, Vec<u8>)]) -> Result<Vec<u8>> {
        // Sorted by key, as the viewer's writer does.
        let mut entries: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let mut add = |key, put: &dyn Fn(&mut Writer)| {
            let mut writer = Writer::new();
            put(writer.key(key));
            entries.insert(key, writer.into_bytes());
        };
        let mut at = 0_usize;
        for (part, stored) in blocks {
            let [offset, size] = [whole(*part, at)?, whole(*part, stored.len())?];
            at = at.saturating_add(stored.len());
            let hash = self.hashes && matches!(part, Part::PhysicsConvex | Part::PhysicsMesh);
            add(part.key(), &|writer| {
                writer.open_map(if hash { 3 } else { 2 });
                if hash {
                    writer.key("hash").binary(&Md5::digest(stored));
                }
                writer.key("offset").integer(offset).key("size").integer(size).close_map();
            });
        }
        for (key, number) in [("version", self.version), ("submodel_id", self.submodel_id)] {
            if let Some(number) = number {
                add(key, &|writer| _ = writer.integer(number));
            }
        }
        if let Some(creator) = &self.creator {
            add("creator", &|writer| _ = writer.uuid(creator));
        }
        if let Some(date) = self.date {
            add("date", &|writer| _ = writer.date(date));
        }
        if !self.material_list.is_empty() {
            add("material_list", &|writer| strings(writer, self.material_list.iter().map(String::as_str)));
        }
        let mut writer = Writer::new();
        writer.open_map(count(entries.len()));
        let mut bytes = writer.into_bytes();
        for entry in entries.values() {
            bytes.extend_from_slice(entry);
        }
        let mut writer = Writer::after(bytes);
        writer.close_map();
        let bytes = writer.into_bytes();
        // Above 4096 bytes, which is all that a viewer fetches, `validate` warns.
        let most = crate::parse::Limits::default().header;
        if crate::math::as_u64(bytes.len()) > most {
            let expected = format!("at most {most} bytes, which is all that readers take");
            return Err(refused(Field::new("header"), expected, bytes.len().to_string()));
        }
        Ok(bytes)
    }
}

/// Compresses a block as the viewer does: zlib, at the highest level.
pub(super) fn deflate(inflated: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let stored = encoder.write_all(inflated).and_then(|()| encoder.finish());
    stored.map_err(|error| Error::without_offset(FORMAT, Field::new("block"), error.into()))
}

/// Writes an array of strings.
fn strings<'s>(writer: &mut Writer, strings: impl ExactSizeIterator<Item = &'s str>) {
    writer.open_array(count(strings.len()));
    for string in strings {
        writer.string(string.as_bytes());
    }
    writer.close_array();
}

/// Makes an LLSD count of a length; of one that does not fit, a count that no reader accepts.
fn count(length: usize) -> u32 {
    length.try_into().unwrap_or(u32::MAX)
}

/// Makes an LLSD integer of an offset or a size.
pub(super) fn whole(part: Part, number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| {
        let expected = format!("blocks of {} bytes together", i32::MAX);
        refused(Field::new(part.key()), expected, number.to_string())
    })
}

pub(super) fn refused(
    field: Field,
    expected: impl Into<Cow<'static, str>>,
    found: impl Into<Cow<'static, str>>,
) -> Error {
    let kind = ErrorKind::Refused { expected: expected.into(), found: found.into() };
    Error::without_offset(FORMAT, field, kind)
}
