//! The type [`Mesh`]: a complete EZ-Mesh file to write.

use super::elements::{Instance, Representation, TetraMesh, Texture, UserBinary, UserData};
use super::parts::{Animation, Material, MeshElement, Skeleton};
use crate::array::Bounds;

/// A complete EZ-Mesh file to write. Names are byte strings, as in the files.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The name of the asset.
    pub asset_name: Vec<u8>,
    /// A description of the asset, as free text.
    pub asset_info: Vec<u8>,
    /// The version of the format. The version is 1 in every known file, and 1 by default.
    pub system_version: i32,
    /// The version of the asset.
    pub asset_version: i32,
    /// The bounding box of the whole file.
    ///
    /// If it is `None`, a text file is written without this bounding box, and a binary file is
    /// written with the bounding box of all positions.
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
    /// The plane at the end of a binary file: the three numbers of its normal, and its distance.
    ///
    /// Only a binary file can store the plane. The plane is 1, 0, 0, 0 in every known file, and by
    /// default.
    pub plane: [f32; 4],
}

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
