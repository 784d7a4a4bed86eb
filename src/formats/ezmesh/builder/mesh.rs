//! The type [`Mesh`]: a complete EZ-Mesh file to write.

use super::elements::{Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
use super::parts::{Animation, Material, MeshElement, Skeleton};
use crate::array::Bounds;
use crate::error::debug::{items, short_debug, text};

/// The complete contents of an EZ-Mesh file to write.
///
/// Names are stored as bytes, as in the files, without conversion to UTF-8.
#[derive(Clone, PartialEq)]
pub struct Mesh {
    /// The name of the asset.
    pub asset_name: Vec<u8>,
    /// A description of the asset, as free text.
    pub asset_info: Vec<u8>,
    /// The version number of the EZ-Mesh format. The format version number is 1 in every known
    /// file, and 1 by default.
    pub system_version: i32,
    /// The version number of the asset.
    pub asset_version: i32,
    /// The bounding box of all meshes in the file.
    ///
    /// If the field `bounds` is `None`, a text file is written without the bounding box of the
    /// file, and a binary file is written with the bounding box of all positions of all meshes.
    pub bounds: Option<Bounds>,
    /// The textures. Only a binary file can store textures.
    pub textures: Vec<Texture>,
    /// The skeletons.
    pub skeletons: Vec<Skeleton>,
    /// The animations.
    pub animations: Vec<Animation>,
    /// The materials.
    pub materials: Vec<Material>,
    /// User data: key-value pairs of strings. Only a binary file can store user data.
    pub user_data: Vec<UserData>,
    /// Binary user data: named byte strings. Only a binary file can store binary user data.
    pub user_binary_data: Vec<UserBinary>,
    /// The meshes.
    pub meshes: Vec<MeshElement>,
    /// The tetrahedral meshes. Only a text file can store tetrahedral meshes.
    pub tetra_meshes: Vec<TetraMesh>,
    /// The mesh instances: meshes that are placed in the scene with a transform.
    pub instances: Vec<Instance>,
    /// The groups of collision shapes. Only a text file can store collision shapes.
    pub representations: Vec<Representation>,
    /// The plane at the end of a binary file: the x, y and z of the plane normal, and the plane
    /// distance.
    ///
    /// Only a binary file can store the plane. The four numbers of the plane are 1, 0, 0, 0 in
    /// every known file, and by default.
    pub plane: [f32; 4],
}

short_debug!(Mesh: |mesh| {
    asset_name: text(&mesh.asset_name), textures: items(&mesh.textures), skeletons: items(&mesh.skeletons),
    animations: items(&mesh.animations), materials: items(&mesh.materials), user_data: items(&mesh.user_data),
    user_binary_data: items(&mesh.user_binary_data), meshes: items(&mesh.meshes),
    tetra_meshes: items(&mesh.tetra_meshes), instances: items(&mesh.instances),
    representations: items(&mesh.representations),
});

/// The plane that every known binary file contains.
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
