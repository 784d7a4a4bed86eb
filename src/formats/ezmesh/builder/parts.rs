//! Skeletons, animations, materials and meshes to write.

use super::vertices::Vertices;
use crate::array::Bounds;
use crate::model::Transform;

/// A skeleton to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// The name of the skeleton, by which meshes refer to it.
    pub name: Vec<u8>,
    /// The bones of the skeleton. Vertices refer to a bone by its index in this list.
    ///
    /// A parent should come before its children in this list: some readers of text files find the
    /// parent of a bone only if the parent comes first.
    pub bones: Vec<Bone>,
}

/// A bone to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// The name of the bone.
    ///
    /// A text file stores the parent of a bone by its name. The name refers to the first bone of
    /// the skeleton with this name.
    pub name: Vec<u8>,
    /// The index of the parent bone in the skeleton, or `None` for a bone without a parent.
    pub parent: Option<u32>,
    /// The rest transform of the bone, relative to the parent bone.
    pub bind: Transform,
}

/// An animation to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// The name of the animation.
    pub name: Vec<u8>,
    /// The number of animation frames that the file declares. If it is `None`, the number of key
    /// frames of the longest track is written.
    pub frames: Option<u32>,
    /// The declared duration of the whole animation, in seconds.
    pub duration: Option<f32>,
    /// The declared time from one animation frame to the next, in seconds.
    pub dtime: Option<f32>,
    /// The tracks: one list of key frames for each animated bone.
    pub tracks: Vec<Track>,
}

/// An animation track to write: the key frames of one bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// The name of the bone that the track moves.
    pub name: Vec<u8>,
    /// The times that a binary file declares for the track, in seconds.
    ///
    /// The first time is the duration of the track, and the second is the time from one key frame
    /// to the next. If the field is `None`, the times of the animation are written. A text file
    /// cannot store the times of a track.
    pub seconds: Option<[f32; 2]>,
    /// The transform of the bone in each key frame, relative to the parent bone.
    pub keys: Vec<Transform>,
}

/// A material to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// The name of the material, by which sections refer to it.
    pub name: Vec<u8>,
    /// Additional data of the material, as free text.
    pub meta_data: Vec<u8>,
}

/// A mesh to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshElement {
    /// The name of the mesh.
    pub name: Vec<u8>,
    /// The name of the skeleton of the mesh. In existing files, the name is often empty, or the
    /// word `null`.
    pub skeleton: Vec<u8>,
    /// The bounding box of the mesh. If it is `None`, a text file is written without this bounding
    /// box.
    pub bounds: Option<Bounds>,
    /// The shared vertices: all sections without separate vertices use them.
    pub vertices: Option<Vertices>,
    /// The sections of the mesh.
    pub sections: Vec<Section>,
}

/// A section of a mesh to write: triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The name of the material of the section.
    pub material: Vec<u8>,
    /// The `info` attribute of the section, such as the path of a texture. Only a text file can
    /// store it.
    pub info: Option<Vec<u8>>,
    /// The bounding box of the section. If it is `None`, a text file is written without this
    /// bounding box.
    pub bounds: Option<Bounds>,
    /// The separate vertices of this section, as in older files. If the field is `None`, the
    /// section uses the shared vertices of its mesh.
    pub vertices: Option<Vertices>,
    /// The vertex flags that a binary file declares for the section.
    ///
    /// If the field is `None`, the flags of the vertices of the mesh are written. A text file
    /// cannot store these flags.
    pub flags: Option<u32>,
    /// The three vertex indices of each triangle, counter-clockwise seen from the side to which the
    /// normals point.
    pub triangles: Vec<[u32; 3]>,
}

impl Animation {
    /// Returns the number of key frames of the longest track.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.tracks.iter().map(|track| track.keys.len()).max().unwrap_or_default()
    }
}
