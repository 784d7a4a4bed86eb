//! Structs for the contents of an asset to write: header values, levels of detail, convex hulls and
//! skin.

use meshpeek::decode::{Influence, MinMax16};
use meshpeek::secondlife::{AssetPart, IDENTITY, Matrix};

/// A Second Life mesh asset to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asset {
    /// The header values of the asset, except the byte ranges of the blocks.
    pub header: Header,
    /// The high level of detail. Every asset has a high level of detail.
    pub high: Level,
    /// The medium level of detail.
    pub medium: Option<Level>,
    /// The low level of detail. An asset with a low level of detail must have a medium level of
    /// detail.
    pub low: Option<Level>,
    /// The lowest level of detail. An asset with a lowest level of detail must have a low level of
    /// detail.
    pub lowest: Option<Level>,
    /// The triangles for collision detection, as submeshes. An asset cannot have both collision
    /// triangles and a list of convex hulls.
    pub physics_mesh: Option<Level>,
    /// Convex hulls for collision detection. If this field is `None` and the header has a
    /// `submodel_id`, the block of convex hulls is written as an undefined LLSD value.
    pub convex: Option<Convex>,
    /// The skin: the joints of the asset and their matrices. If the asset has a skin, every submesh
    /// of a level of detail must have weights. If the asset has no skin, no submesh may have
    /// weights.
    pub skin: Option<Skin>,
}

/// The header values of an asset, except the byte ranges of the blocks.
///
/// When a viewer uploads an asset, the asset's header contains none of the values of the struct
/// `Header`. Simulators add the version, the creator, the date and the hashes to the header of an
/// uploaded asset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The version number of the format, from 0 to 999: the number 1 means version 0.001.
    pub version: Option<i32>,
    /// The UUID of the user who uploaded the asset.
    pub creator: Option<[u8; 16]>,
    /// The time when the asset was uploaded, in seconds since 1970-01-01 UTC.
    pub date: Option<f64>,
    /// Whether the header stores the MD5 hash of the compressed bytes of each physics block.
    pub hashes: bool,
    /// The number that identifies this mesh in a model that is split into several meshes. A viewer
    /// splits a model that has more materials than one mesh can have.
    pub submodel_id: Option<i32>,
    /// The names of the materials, one per submesh of the highest level of detail. If the vector is
    /// empty, no material names are written.
    pub material_list: Vec<String>,
}

/// A level of detail to write: one to eight submeshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// The submeshes of the level of detail, one per material.
    pub submeshes: Vec<Submesh>,
    /// The quantization box that the 16-bit codes of all positions are scaled to. If the field
    /// `domain` is `None`, the quantization box is the bounding box of the positions of the level.
    ///
    /// A copy of a level of an asset with the box of this level usually has the original 16-bit
    /// codes. Set the field `domain` to `None` after you change positions.
    pub domain: Option<MinMax16<3>>,
}

impl From<Vec<Submesh>> for Level {
    fn from(submeshes: Vec<Submesh>) -> Self {
        Self { submeshes, domain: None }
    }
}

/// A submesh to write. A submesh without positions is written as a placeholder without geometry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submesh {
    /// Positions of the vertices, in the unit cube around the origin, z up: at most 65,535
    /// positions.
    ///
    /// Positions are stored as 16-bit codes, scaled to the quantization box of the whole level. On
    /// each axis, the greatest encoding error of a position is half of 1/65535 of the extent of the
    /// quantization box.
    pub positions: Vec<[f32; 3]>,
    /// A unit normal per vertex, or an empty vector. The greatest encoding error of a component of
    /// a normal is 1.6e-5.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, one pair per vertex, or an empty vector. The u coordinate increases to
    /// the right, and the v coordinate increases upwards. Texture coordinates are stored as 16-bit
    /// codes.
    pub uvs: Vec<[f32; 2]>,
    /// The u interval and the v interval that the 16-bit texture coordinate codes are scaled to. If
    /// the field `uv_domain` is `None`, each interval extends from the minimum to the maximum of
    /// the coordinate. Set the field `uv_domain` to `None` after you change texture coordinates.
    pub uv_domain: Option<MinMax16<2>>,
    /// A tangent per vertex, or an empty vector. A tangent consists of x, y, z and the handedness,
    /// which is 1 or -1. No known Second Life asset has tangents.
    pub tangents: Vec<[f32; 4]>,
    /// The three vertex indices of each triangle, in counter-clockwise order seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The joint influences of each vertex: up to four influences with weights from 0 to 1. If the
    /// submesh has no weights, the outer vector of `weights` is empty.
    pub weights: Vec<Vec<Influence>>,
    /// The size of the uploaded model along x, y and z, or `None` to write no size.
    pub normalized_scale: Option<[f32; 3]>,
}

/// Convex hulls for collision detection to write.
///
/// The points of all hulls are stored as 16-bit codes, scaled to one quantization box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Convex {
    /// The points of each convex hull: at most 256 hulls, with 3 to 256 points each.
    pub hulls: Vec<Vec<[f32; 3]>>,
    /// The points of the bounding hull: 3 to 256 points. If the vector `bounding` is empty, the
    /// corners of the bounding box of all hulls are written as the bounding hull.
    pub bounding: Vec<[f32; 3]>,
    /// The quantization box that the 16-bit codes of all points are scaled to. If the field
    /// `domain` is `None`, the quantization box is the bounding box of the points. Set the field
    /// `domain` to `None` after you change points.
    pub domain: Option<MinMax16<3>>,
}

/// A skin to write.
///
/// In the default skin, the bind shape is the identity matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// The joints of the skin: 1 to 110 joints.
    pub joints: Vec<Joint>,
    /// The matrix that transforms from the model's space to the bind space of the joints.
    pub bind_shape: Matrix,
    /// The height by which a viewer raises the avatar that wears the mesh, in metres.
    pub pelvis_offset: Option<f32>,
    /// Whether the joints that the skin moves keep their scale. If the value is `false`, the key
    /// `lock_scale_if_joint_position` is not written to the skin.
    pub lock_scale_if_joint_position: bool,
}

impl Default for Skin {
    fn default() -> Self {
        Self { joints: Vec::new(), bind_shape: IDENTITY, pelvis_offset: None, lock_scale_if_joint_position: false }
    }
}

/// A joint to write.
///
/// In the default joint, the inverse bind matrix is the identity matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The joint's name in the avatar's skeleton.
    pub name: String,
    /// The matrix that transforms from the bind space to the joint's space.
    pub inverse_bind: Matrix,
    /// The alternative inverse bind matrix of the joint, which moves the joint. The translation of
    /// the alternative inverse bind matrix is the joint's position relative to the parent joint.
    /// Either all joints of a skin have an alternative inverse bind matrix, or no joint has one.
    pub alt_inverse_bind: Option<Matrix>,
}

impl Default for Joint {
    fn default() -> Self {
        Self { name: String::new(), inverse_bind: IDENTITY, alt_inverse_bind: None }
    }
}

impl Asset {
    /// Returns the four levels of detail, from the most detailed to the least detailed level.
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
    /// Returns the quantization box that the 16-bit codes of all positions of the level are scaled
    /// to.
    pub(super) fn box_of_all(&self) -> MinMax16<3> {
        self.domain.unwrap_or_else(|| domain(self.submeshes.iter().flat_map(|submesh| &submesh.positions)))
    }
}

impl Submesh {
    /// Returns the u interval and the v interval that the 16-bit texture coordinate codes are
    /// scaled to.
    pub(super) fn uv_intervals(&self) -> MinMax16<2> {
        self.uv_domain.unwrap_or_else(|| domain(&self.uvs))
    }
}

impl Convex {
    /// Returns the quantization box that the 16-bit codes of all points are scaled to.
    ///
    /// If the field `bounding` is empty, the corners of the bounding box of the hulls are written
    /// as the bounding hull, but the corners do not change the quantization box.
    pub(super) fn box_of_all(&self) -> MinMax16<3> {
        self.domain.unwrap_or_else(|| domain(self.hulls.iter().flatten().chain(&self.bounding)))
    }
}

/// Returns the minimum and the maximum of each coordinate of the points, as the domain that 16-bit
/// codes are scaled to.
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
