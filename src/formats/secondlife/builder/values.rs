//! The parts of an asset to write, as structs with public fields.

use super::super::asset_part::AssetPart;
use super::super::matrix::{IDENTITY, Matrix};
use crate::decode::{Influence, MinMax16};

/// An asset to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asset {
    /// The header values, except the byte ranges of the blocks.
    pub header: Header,
    /// The high level of detail. Every asset has this level.
    pub high: Level,
    /// The medium level of detail.
    pub medium: Option<Level>,
    /// The low level of detail. An asset with a low level must have a medium level.
    pub low: Option<Level>,
    /// The lowest level of detail. An asset with a lowest level must have a low level.
    pub lowest: Option<Level>,
    /// Collision triangles. An asset cannot have both collision triangles and a list of hulls.
    pub physics_mesh: Option<Level>,
    /// Convex hulls for collision. In a sub-model without convex hulls, an undefined value is
    /// written as the block.
    pub convex: Option<Convex>,
    /// The joints of the asset. If the asset has a skin, every submesh of a level of detail must
    /// have weights. If the asset has no skin, no submesh may have weights.
    pub skin: Option<Skin>,
}

/// The header values, except the byte ranges of the blocks.
///
/// An asset that a viewer uploads has none of these values. Simulators add the version, the
/// creator, the date and the hashes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The format version, from 0 to 999: 1 means version 0.001.
    pub version: Option<i32>,
    /// The UUID of the user who uploaded the asset.
    pub creator: Option<[u8; 16]>,
    /// The time when the asset was uploaded, in seconds since 1970-01-01 UTC.
    pub date: Option<f64>,
    /// Whether the header stores the MD5 hash of the compressed bytes of each physics block.
    pub hashes: bool,
    /// The number of this mesh in a model that is split into several meshes. A model is split if
    /// the model has more materials than one mesh can have.
    pub submodel_id: Option<i32>,
    /// The names of the materials, one per submesh of the highest level of detail. If the vector is
    /// empty, no material names are written.
    pub material_list: Vec<String>,
}

/// A level of detail to write: one to eight submeshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// The submeshes of the level, one per material.
    pub submeshes: Vec<Submesh>,
    /// The quantization box that the codes of all positions are scaled to. If the value is `None`,
    /// the bounding box of the positions is used.
    ///
    /// A level that was copied from an asset has the box of that asset, and encoding gives the
    /// codes of that asset. Set this field to `None` after you change positions.
    pub domain: Option<MinMax16<3>>,
}

impl From<Vec<Submesh>> for Level {
    fn from(submeshes: Vec<Submesh>) -> Self {
        Self { submeshes, domain: None }
    }
}

/// A submesh to write. An empty submesh becomes a placeholder without geometry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submesh {
    /// Positions of the vertices, in the unit cube around 0, z up: at most 65,535 positions.
    ///
    /// Positions are stored as 16-bit codes, scaled to the quantization box of the whole level. On
    /// each axis, the worst error is half of 1/65535 of the extent of this box.
    pub positions: Vec<[f32; 3]>,
    /// A unit normal per vertex, or an empty vector. The worst error of a component after encoding
    /// is 1.6e-5.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, one pair per vertex, or an empty vector. u points right, and v points
    /// up. Texture coordinates are stored as 16-bit codes.
    pub uvs: Vec<[f32; 2]>,
    /// The two intervals that the texture coordinate codes are scaled to. If the value is `None`,
    /// the intervals from the minimum to the maximum of the coordinates are used. As for
    /// [`Level::domain`], set this field to `None` after you change texture coordinates.
    pub uv_domain: Option<MinMax16<2>>,
    /// A tangent per vertex, or an empty vector. A tangent is x, y, z and the handedness, which is
    /// 1 or -1. No known file has tangents.
    pub tangents: Vec<[f32; 4]>,
    /// The three vertex indices of each triangle, in counter-clockwise order seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The joint influences of each vertex: up to four influences with weights from 0 to 1. The
    /// outer vector is empty if the submesh has no weights.
    pub weights: Vec<Vec<Influence>>,
    /// The size of the uploaded model, or `None` to write no size.
    pub normalized_scale: Option<[f32; 3]>,
}

///
/// Convex hulls for collision to write.
///
/// The points of all hulls are stored as 16-bit codes, scaled to one quantization box.
///
/// ```
/// use meshpeek::secondlife::builder::Convex;
/// let hulls = vec![vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, -0.5, 0.5]]];
/// let convex = Convex { hulls, ..Default::default() };
/// assert!(convex.to_block().is_ok());
/// assert!(Convex::default().to_block().is_err()); // neither hulls nor a bounding hull
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convex {
    /// Convex hulls: at most 256, with 3 to 256 points each.
    pub hulls: Vec<Vec<[f32; 3]>>,
    /// The points of the bounding hull: 3 to 256 points. If this vector is empty, the corners of
    /// the bounding box of the hulls are written as the bounding hull.
    pub bounding: Vec<[f32; 3]>,
    /// The quantization box that the codes of all points are scaled to. If the value is `None`, the
    /// bounding box of the points is used. As for [`Level::domain`], set this field to `None` after
    /// you change points.
    pub domain: Option<MinMax16<3>>,
}

///
/// A skin to write.
///
/// In the default skin, the bind shape is the identity matrix.
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
    /// The joints of the skin: 1 to 110 joints.
    pub joints: Vec<Joint>,
    /// The matrix that transforms from the model's space to the bind space of the joints.
    pub bind_shape: Matrix,
    /// The height by which a viewer raises the avatar that wears the mesh, in metres.
    pub pelvis_offset: Option<f32>,
    /// Whether the joints that the skin moves keep their scale. The key is written only if this
    /// field is `true`.
    pub lock_scale_if_joint_position: bool,
}

impl Default for Skin {
    fn default() -> Self {
        Self { joints: Vec::new(), bind_shape: IDENTITY, pelvis_offset: None, lock_scale_if_joint_position: false }
    }
}

///
/// A joint to write.
///
/// In the default joint, the inverse bind matrix is the identity matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The joint's name in the avatar's skeleton.
    pub name: String,
    /// The matrix that transforms from the bind space to the joint's space.
    pub inverse_bind: Matrix,
    /// The alternative inverse bind matrix, which moves the joint. The translation of this matrix
    /// is the joint's position relative to the parent joint. Either all joints of a skin have this
    /// matrix, or no joint has it.
    pub alt_inverse_bind: Option<Matrix>,
}

impl Default for Joint {
    fn default() -> Self {
        Self { name: String::new(), inverse_bind: IDENTITY, alt_inverse_bind: None }
    }
}

impl Asset {
    /// Returns the levels of detail, the most detailed level first.
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
    /// Returns the quantization box that the codes of all positions of the level are scaled to.
    pub(super) fn box_of_all(&self) -> MinMax16<3> {
        self.domain.unwrap_or_else(|| domain(self.submeshes.iter().flat_map(|submesh| &submesh.positions)))
    }
}

impl Submesh {
    /// Returns the intervals that the texture coordinate codes are scaled to.
    pub(super) fn uv_intervals(&self) -> MinMax16<2> {
        self.uv_domain.unwrap_or_else(|| domain(&self.uvs))
    }
}

impl Convex {
    /// Returns the quantization box that the codes of all points are scaled to. If the corners of a
    /// box are written as the bounding hull, these corners do not change the quantization box.
    pub(super) fn box_of_all(&self) -> MinMax16<3> {
        self.domain.unwrap_or_else(|| domain(self.hulls.iter().flatten().chain(&self.bounding)))
    }
}

/// Returns the intervals from the minimum to the maximum of each component of the points. Codes are
/// scaled to these intervals.
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
