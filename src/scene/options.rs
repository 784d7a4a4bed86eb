//! The options that choose a part of a mesh file, its shape and its conventions.

use super::{Adjustment, ColorUse};

/// The levels of detail that are exported or drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelChoice {
    /// The most detailed level of each asset of which the file has the bytes.
    Best,
    /// One level. Level 0 is the most detailed. If an asset has no such level, the export fails.
    One(usize),
    /// All levels, each in a scene of its own. Only glTF has several scenes.
    Scenes,
    /// All levels, as nodes that the extension `MSFT_lod` of glTF connects.
    Nodes,
}

/// The coordinate conventions of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputSpace {
    /// The conventions of the output format, such as [`Space::GLTF`](crate::model::Space::GLTF) for
    /// glTF. A mesh whose format defines no axes is assumed to be right-handed with y up.
    #[default]
    Target,
    /// The conventions of the mesh file: numbers are not changed.
    Stored,
}

/// The part of a mesh file that is exported or drawn, its shape and its conventions.
#[derive(Clone, Debug)]
pub(crate) struct SceneOptions {
    /// The index of the only asset, or `None` for all assets.
    pub(crate) asset: Option<usize>,
    /// The indices of the surfaces, or `None` for all visible surfaces.
    pub(crate) surfaces: Option<Vec<usize>>,
    /// The levels of detail.
    pub(crate) levels: LevelChoice,
    /// With [`LevelChoice::Best`], the number of triangles of an asset that is enough: the least
    /// detailed level with as many triangles is chosen.
    pub(crate) enough_triangles: Option<u64>,
    /// The index of the clip, or `None` for the first.
    pub(crate) clip: Option<usize>,
    /// The frame of the clip or the vertex frame, or `None` for the base shape.
    pub(crate) frame: Option<f32>,
    /// How vertex colours are used.
    pub(crate) colors: ColorUse,
    /// The conventions of the output.
    pub(crate) space: OutputSpace,
    /// How the placed mesh is turned and scaled.
    pub(crate) adjustment: Adjustment,
    /// The greatest size of the output in bytes.
    pub(crate) max_bytes: u64,
    /// Whether surfaces are left out if there are more than a picture can show in a short time.
    pub(crate) is_limited: bool,
}
