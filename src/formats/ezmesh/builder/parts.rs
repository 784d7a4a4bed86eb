//! Skeletons, animations, materials and meshes to write.

use super::vertices::{Vertices, with_columns};
use crate::array::Bounds;
use crate::error::debug::{items, short_debug, text};
use crate::model::Transform;

/// A skeleton to write.
#[derive(Clone, Default, PartialEq)]
pub struct Skeleton {
    /// The name of the skeleton. Meshes refer to a skeleton by its name.
    pub name: Vec<u8>,
    /// The bones of the skeleton. Vertices refer to a bone by its index in this vector.
    ///
    /// A parent bone should come before its child bones in this vector, because some readers of
    /// text files find a parent bone only if it comes before the child bone.
    pub bones: Vec<Bone>,
}

short_debug!(Skeleton: |skeleton| { name: text(&skeleton.name), bones: items(&skeleton.bones) });

/// A bone to write.
#[derive(Clone, Default, PartialEq)]
pub struct Bone {
    /// The name of the bone.
    ///
    /// A text file refers to a parent bone by its name. If several bones of a skeleton have the
    /// same name, the name refers to the first of these bones.
    pub name: Vec<u8>,
    /// The index of the parent bone in the skeleton, or `None` for a bone without a parent.
    pub parent: Option<u32>,
    /// The rest transform of the bone, relative to the parent bone.
    pub bind: Transform,
}

short_debug!(Bone: |bone| { name: text(&bone.name), parent: bone.parent, bind: bone.bind });

/// An animation to write.
#[derive(Clone, Default, PartialEq)]
pub struct Animation {
    /// The name of the animation.
    pub name: Vec<u8>,
    /// The declared number of animation frames. If the field `frames` is `None`, the number of key
    /// frames of the longest track is written.
    pub frames: Option<u32>,
    /// The declared duration of the whole animation, in seconds.
    pub duration: Option<f32>,
    /// The declared time from one animation frame to the next, in seconds.
    pub dtime: Option<f32>,
    /// The animation tracks: one track with key frames for each animated bone.
    pub tracks: Vec<Track>,
}

short_debug!(Animation: |animation| {
    name: text(&animation.name), frames: animation.frames, duration: animation.duration, dtime: animation.dtime,
    tracks: items(&animation.tracks),
});

/// An animation track to write: the key frames of one bone.
#[derive(Clone, Default, PartialEq)]
pub struct Track {
    /// The name of the bone that the track moves.
    pub name: Vec<u8>,
    /// The duration and the frame time that a binary file declares for the track, in seconds.
    ///
    /// Element 0 of `seconds` is the duration of the track, and element 1 is the time from one key
    /// frame to the next. If the field `seconds` is `None`, a binary file is written with the
    /// `duration` and the `dtime` of the animation. A text file cannot store the field `seconds`.
    pub seconds: Option<[f32; 2]>,
    /// The transform of the bone in each key frame, relative to the parent bone.
    pub keys: Vec<Transform>,
}

short_debug!(Track: |track| { name: text(&track.name), seconds: track.seconds, keys: items(&track.keys) });

/// A material to write.
#[derive(Clone, Default, PartialEq)]
pub struct Material {
    /// The name of the material. Sections refer to a material by its name.
    pub name: Vec<u8>,
    /// The `meta_data` attribute of the material: additional data as free text.
    pub meta_data: Vec<u8>,
}

short_debug!(Material: |material| { name: text(&material.name), meta_data: text(&material.meta_data) });

/// A mesh to write.
#[derive(Clone, Default, PartialEq)]
pub struct MeshElement {
    /// The name of the mesh.
    pub name: Vec<u8>,
    /// The name of the skeleton of the mesh. In existing files, the skeleton name of a mesh is
    /// often empty or the word `null`.
    pub skeleton: Vec<u8>,
    /// The bounding box of the mesh. If the field `bounds` is `None`, a text file is written
    /// without the bounding box of the mesh, and a binary file is written with the bounding box of
    /// the mesh's positions.
    pub bounds: Option<Bounds>,
    /// The shared vertices of the mesh: every section without separate vertices uses the shared
    /// vertices.
    pub vertices: Option<Vertices>,
    /// The sections of the mesh.
    pub sections: Vec<Section>,
}

short_debug!(MeshElement: |mesh| {
    name: text(&mesh.name), skeleton: text(&mesh.skeleton), bounds: mesh.bounds, vertices: mesh.vertices,
    sections: items(&mesh.sections),
});

/// A section of a mesh to write: triangles of one material.
#[derive(Clone, Default, PartialEq)]
pub struct Section {
    /// The name of the material of the section.
    pub material: Vec<u8>,
    /// The `info` attribute of the section, such as the path of a texture. Only a text file can
    /// store the attribute `info` of a section.
    pub info: Option<Vec<u8>>,
    /// The bounding box of the section. If the field `bounds` is `None`, a text file is written
    /// without the bounding box of the section, and a binary file is written with the bounding box
    /// of the section's triangles.
    pub bounds: Option<Bounds>,
    /// The separate vertices of the section, which no other section uses. Separate vertices occur
    /// in older files. If the field `vertices` is `None`, the section uses the shared vertices of
    /// its mesh.
    pub vertices: Option<Vertices>,
    /// The vertex flags that a binary file declares for the section.
    ///
    /// If the field `flags` is `None`, a binary file is written with the vertex flags of the mesh.
    /// A text file cannot store vertex flags.
    pub flags: Option<u32>,
    /// The three vertex indices of each triangle, counter-clockwise seen from the side to which the
    /// normals point.
    pub triangles: Vec<[u32; 3]>,
}

short_debug!(Section: |section| {
    material: text(&section.material), bounds: section.bounds, vertices: section.vertices, flags: section.flags,
    triangles: items(&section.triangles),
});

impl Animation {
    /// Returns the number of key frames of the longest track.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.tracks.iter().map(|track| track.keys.len()).max().unwrap_or_default()
    }
}

impl MeshElement {
    /// Returns the vertices that a text file stores for a section of this mesh: those of the
    /// section, or the shared vertices of the mesh. Returns `None` if neither have columns.
    pub(super) fn columns_of<'m>(&'m self, section: &'m Section) -> Option<&'m Vertices> {
        with_columns(section.vertices.as_ref()).or(with_columns(self.vertices.as_ref()))
    }
}
