//! The view of a mesh that is independent of its file format.
//!
//! The main type of each format implements [`Geometry`]. A [`Surface`] is one surface of such a
//! file. `Geometry` and `Surface` are lazy: a call that returns an array finds its offset in the
//! file, without reading its content. Most formats have one index stream for positions and another
//! index stream for all other attributes. In this crate, a *vertex* is a position with its bone
//! weights. An *attribute vertex* is a tangent frame with its UVs and colour. A [`Corner`] of a
//! triangle has an index of a vertex and an index of an attribute vertex. [`weld`](Surface::weld)
//! converts the corners to vertices with a single index stream, and documents the cost of the
//! conversion.

pub mod animation;
mod attachment;
mod attributes;
mod bone;
mod corners;
mod file_context;
mod fixed_influences;
mod format_version;
mod geometry;
mod interpolated;
mod mesh_file;
mod spatial_tree;
mod surface;
mod weights;
mod weld;

pub use attachment::Attachment;
pub use attributes::{Colors, Indices, Influences, Normals, Positions, TangentFrames, Uvs};
pub use bone::{Bone, Transform};
pub use corners::{Corner, Corners};
pub use fixed_influences::FixedInfluences;
pub use format_version::FormatVersion;
pub use geometry::{Counts, Geometry};
pub use interpolated::InterpolatedPositions;
pub use mesh_file::MeshFile;
pub use spatial_tree::{SpatialTree, SplitNode};
pub use surface::Surface;
pub use weights::{Weights, WeightsIter};
pub use weld::Welded;

pub(crate) use file_context::FileContext;
pub(crate) use fixed_influences::FixedWeights;
