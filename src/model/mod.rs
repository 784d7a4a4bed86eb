//! What a [`Model`](crate::Model) contains, in the same way for all file formats.
//!
//! A [`Surface`] is one surface of a mesh. A method that returns an array only finds the offset of
//! the array in the file, and does not read its items. [`Geometry`] is the list of the surfaces of
//! one level of detail. An [`Asset`] has levels of detail, collision shapes, and
//! [`Animations`](animation::Animations): bones and clips.
//!
//! Some formats have two index streams: one for positions, and another for all other attributes. In
//! this crate, a *vertex* is a position with its bone weights. An *attribute vertex* is a tangent
//! frame with its UVs and colour. A [`Corner`] of a triangle contains the index of a vertex and the
//! index of an attribute vertex. [`weld`](Surface::weld) converts the corners to vertices with a
//! single index stream, and documents the cost of the conversion. [`Welded::gather`] copies an
//! array in the order of the welded vertices.

pub mod animation;
mod attributes;
pub(crate) mod blocks;
mod bone;
pub(crate) mod byte_ranges;
pub(crate) mod contents;
mod conversion;
mod converted;
pub(crate) mod corners;
pub(crate) mod draw_list;
pub(crate) mod equal_normals;
mod extra_array;
mod fixed_influences;
#[cfg(target_endian = "little")]
mod from_slice;
mod geometry;
mod interpolated;
mod mesh_file;
#[cfg(feature = "mint")]
mod mint;
pub(crate) mod properties;
mod space;
mod surface;
mod surface_arrays;
mod weights;
mod weld;
mod written_form;

pub use crate::decode::{Influence, TangentFrame};
pub use attributes::{Colors, Indices, Influences, Normals, Positions, TangentFrames, Uvs};
#[doc(hidden)]
pub use blocks::{
    BlockAsset, BlockContent, BlockFile, BlockSummary, BlockView, DescribedBlocks, InflatedSummary, LevelFile, Lod,
    StoredBlock,
};
pub use bone::{Bone, Transform};
pub use byte_ranges::{Attribute, MeshSelection};
pub use contents::{Asset, Hull, HullKind, Instance, Material, MaybeOwned, Texture, TextureRole};
pub use conversion::SpaceConversion;
pub use converted::{Converted, Convertible};
pub use corners::{Corner, Corners};
internal_use!(contents::Attachment, contents::Metadata, contents::MetadataValue, corners::IndexStream);
pub use draw_list::{DrawItem, DrawList};
pub use extra_array::ExtraArray;
pub use geometry::Geometry;
pub use interpolated::InterpolatedPositions;
pub use mesh_file::AsMeshFile;
#[doc(hidden)]
pub use properties::{Properties, PropertySink};
pub use space::{Axis, Handedness, Space, UvOrigin, Winding};
pub use surface::{Counts, LentSurface, Surface};
pub use surface_arrays::VertexPool;
pub use surface_arrays::{Blend, DrawStyle};
internal_use!(surface_arrays::SpatialTree, surface_arrays::SplitNode);
pub(crate) use weights::{InfluenceLanes, LANES};
pub use weights::{SkinningRules, Weights, WeightsIter};
#[cfg(feature = "internals")]
pub use weld::{InvalidIndex, Omitted};
pub use weld::{VertexArray, Welded};
#[doc(hidden)]
pub use written_form::{Storage, WrittenForm};

#[cfg(feature = "internals")]
pub use {attributes::InfluenceEncoding, fixed_influences::FixedInfluences};

internal_use!(
    byte_ranges::ByteRanges,
    attributes::ColorEncoding,
    attributes::IndexEncoding,
    attributes::NormalEncoding,
    attributes::PositionEncoding,
    attributes::TangentFrameEncoding,
    attributes::UvEncoding,
    contents::Contents,
    contents::LevelStorage,
    extra_array::ExtraArrayInfo,
    extra_array::ItemOwner,
    extra_array::NumberType,
    written_form::FormatVersion,
    mesh_file::MeshFile,
    surface_arrays::SurfaceArrays,
    geometry::NormalShading,
    geometry::PositionMap,
    geometry::VertexMesh
);

#[cfg(feature = "cli")]
pub(crate) use extra_array::ExtraItem;
pub(crate) use fixed_influences::FixedWeights;
pub(crate) use mesh_file::FileContext;
