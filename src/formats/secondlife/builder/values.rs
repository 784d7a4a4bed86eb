//! What is written, as lists with public fields.

use super::super::asset_part::AssetPart;
use super::super::matrix::{IDENTITY, Matrix};
use crate::decode::{Influence, MinMax16};

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
/// use meshpeek::secondlife::builder::Convex;
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
/// use meshpeek::secondlife::{Edit, Mesh, AssetPart, builder};
/// let mesh = Mesh::open(meshpeek::read("data/secondlife/arm.llmesh")?)?;
/// let mut skin = builder::Skin::of(mesh.skin()?.unwrap())?;
/// skin.joints[0].name = "mChest".into();
/// let bytes = Edit::of(mesh.view())?.replace(AssetPart::Skin, &skin.to_block()?)?.to_bytes()?;
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
    /// Returns the levels of detail, the most detailed first.
    pub(super) fn levels(&self) -> [(AssetPart, Option<&Level>); 4] {
        [
            (AssetPart::HighLod, Some(&self.high)),
            (AssetPart::MediumLod, self.medium.as_ref()),
            (AssetPart::LowLod, self.low.as_ref()),
            (AssetPart::LowestLod, self.lowest.as_ref()),
        ]
    }
}

impl Level {
    /// Returns the box that positions are coded over.
    pub(super) fn box_of_all(&self) -> MinMax16<3> {
        self.domain.unwrap_or_else(|| domain(self.submeshes.iter().flat_map(|submesh| &submesh.positions)))
    }
}

impl Submesh {
    /// Returns the intervals that texture coordinates are coded over.
    pub(super) fn uv_intervals(&self) -> MinMax16<2> {
        self.uv_domain.unwrap_or_else(|| domain(&self.uvs))
    }
}

impl Convex {
    /// Returns the box that points are coded over: corners that stand in for a hull do not change it.
    pub(super) fn box_of_all(&self) -> MinMax16<3> {
        self.domain.unwrap_or_else(|| domain(self.hulls.iter().flatten().chain(&self.bounding)))
    }
}

/// Returns the intervals that points are coded over: from the least to the greatest of each component.
pub(super) fn domain<'p, const N: usize>(points: impl IntoIterator<Item = &'p [f32; N]>) -> MinMax16<N> {
    let [mut min, mut max] = [[f32::INFINITY; N], [f32::NEG_INFINITY; N]];
    let mut any = false;
    for point in points {
        any = true;
        for ((min, max), value) in min.iter_mut().zip(&mut max).zip(point) {
            (*min, *max) = (min.min(*value), max.max(*value));
        }
    }
    if any { MinMax16::new(min, max) } else { MinMax16::new([0.0; N], [0.0; N]) }
}
