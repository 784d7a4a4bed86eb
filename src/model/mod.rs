//! The neutral view: what every mesh has, whatever its format.
//!
//! A format's owner implements [`Geometry`]; [`Surface`] is one of its surfaces. Both are lazy: an array is located when
//! it is asked for, and nothing of it is read. Most formats index positions by one stream and everything else by
//! another; a *vertex* here is a position with its weights, an *attribute vertex* is a frame with its UVs and colour,
//! and a triangle's [`Corner`] is one of each. [`weld`](Surface::weld) makes single-stream vertices of them, and costs
//! what it says.

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
