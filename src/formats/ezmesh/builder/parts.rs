//! Skeletons, animations, materials and meshes to write.

use super::vertices::Vertices;
use crate::array::Bounds;
use crate::model::Transform;

/// A skeleton to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// Its name, which meshes refer to.
    pub name: Vec<u8>,
    /// Its bones. Vertices refer to them by number. Parents should stand before their children: some readers of text know no
    /// others.
    pub bones: Vec<Bone>,
}

/// A bone to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// Its name. In text, the first bone of a name is the parent of those that name it.
    pub name: Vec<u8>,
    /// The number, within the skeleton, of the bone that it hangs from; none of a root.
    pub parent: Option<u32>,
    /// Where it rests, relative to its parent.
    pub bind: Transform,
}

/// An animation to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// Its name.
    pub name: Vec<u8>,
    /// How many frames the file is to say there are; left out, those of the longest track.
    pub frames: Option<u32>,
    /// Seconds that all frames take.
    pub duration: Option<f32>,
    /// Seconds from one frame to the next.
    pub dtime: Option<f32>,
    /// For some of the bones, their frames.
    pub tracks: Vec<Track>,
}

/// The frames of one bone to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// The name of the bone.
    pub name: Vec<u8>,
    /// Seconds of all frames, and between two, that a binary file says of the track; left out, those of the animation. Text has
    /// none.
    pub seconds: Option<[f32; 2]>,
    /// For each frame, where the bone is, relative to its parent.
    pub keys: Vec<Transform>,
}

/// A material to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// Its name, which sections refer to.
    pub name: Vec<u8>,
    /// Any text.
    pub meta_data: Vec<u8>,
}

/// A mesh to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshElement {
    /// Its name.
    pub name: Vec<u8>,
    /// The name of its skeleton; often empty, or the word `null`.
    pub skeleton: Vec<u8>,
    /// The box around it. Left out, text has none.
    pub bounds: Option<Bounds>,
    /// The vertices of all sections that have none of their own.
    pub vertices: Option<Vertices>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A section of a mesh to write: triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The name of its material.
    pub material: Vec<u8>,
    /// Where it comes from. Only text has it.
    pub info: Option<Vec<u8>>,
    /// The box around it. Left out, text has none.
    pub bounds: Option<Bounds>,
    /// Vertices of its own, as older files have them; else it shares those of its mesh.
    pub vertices: Option<Vertices>,
    /// The vertex flags that a binary file says of it; left out, those of the mesh's vertices. Text has none.
    pub flags: Option<u32>,
    /// For each triangle, its vertices, counter-clockwise seen from the side that normals point to.
    pub triangles: Vec<[u32; 3]>,
}

impl Animation {
    /// Returns how many frames the longest track has.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.tracks.iter().map(|track| track.keys.len()).max().unwrap_or_default()
    }
}
