//! A whole file to write.

use super::elements::{Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
use super::parts::{Animation, Material, MeshElement, Skeleton};
use crate::array::Bounds;

/// A file to write. Names are bytes, as files hold them.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// What the file calls itself.
    pub asset_name: Vec<u8>,
    /// What it says of itself: any text.
    pub asset_info: Vec<u8>,
    /// The version of the format: 1 in every known file, and by default.
    pub system_version: i32,
    /// The version of the asset.
    pub asset_version: i32,
    /// The box around everything. Left out, text has none, and the binary form that around all positions.
    pub bounds: Option<Bounds>,
    /// Pictures. Only the binary form has them.
    pub textures: Vec<Texture>,
    /// The skeletons.
    pub skeletons: Vec<Skeleton>,
    /// The animations.
    pub animations: Vec<Animation>,
    /// The materials.
    pub materials: Vec<Material>,
    /// Pairs of texts. Only the binary form has them.
    pub user_data: Vec<UserData>,
    /// Named bytes. Only the binary form has them.
    pub user_binary_data: Vec<UserBinary>,
    /// The meshes.
    pub meshes: Vec<MeshElement>,
    /// Meshes of tetrahedra. Only text has them.
    pub tetra_meshes: Vec<TetraMesh>,
    /// Meshes that are put somewhere.
    pub instances: Vec<Instance>,
    /// Shapes to collide with. Only text has them.
    pub representations: Vec<Representation>,
    /// A plane's normal and distance. Only the binary form has it; 1, 0, 0, 0 in every known file, and by default.
    pub plane: [f32; 4],
}

/// The plane of every known file.
pub(super) const PLANE: [f32; 4] = [1.0, 0.0, 0.0, 0.0];

impl Default for Mesh {
    fn default() -> Self {
        Self {
            asset_name: Vec::new(),
            asset_info: Vec::new(),
            system_version: 1,
            asset_version: 0,
            bounds: None,
            textures: Vec::new(),
            skeletons: Vec::new(),
            animations: Vec::new(),
            materials: Vec::new(),
            user_data: Vec::new(),
            user_binary_data: Vec::new(),
            meshes: Vec::new(),
            tetra_meshes: Vec::new(),
            instances: Vec::new(),
            representations: Vec::new(),
            plane: PLANE,
        }
    }
}
