//! The arrays, the draw styles and the spatial trees of the surfaces of a mesh, as each format
//! finds them.

use std::fmt::Debug;
use std::ops::Range;

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::extra_array::ExtraArray;
use super::geometry::Geometry;
use super::surface::Counts;
use super::weights::Weights;
use super::written_form::FormatVersion;
use crate::array::{Bounds, Sphere};
use crate::error::{Cause, Error, Result};
use crate::math::as_u64;
use crate::parse::Name;

/// The arrays of the surfaces of a mesh. Each format implements the trait, and [`Surface`] calls
/// its methods, which are documented there.
///
/// The argument `surface` is below [`surface_count`](Self::surface_count), because a `Surface` is
/// made after this check. A method that has to read damaged or missing bytes returns an error with
/// the field and the byte offset.
///
/// [`Surface`]: super::Surface
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
pub trait SurfaceArrays: FormatVersion {
    /// Returns the number of surfaces.
    fn surface_count(&self) -> Result<usize>;
    /// Returns the name of a surface.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>>;
    /// Returns the bounding box of a surface: the stored one, or that of the positions that its
    /// corners refer to.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds>;
    /// Returns the stored bounding sphere of a surface.
    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        let _ = surface;
        Ok(None)
    }
    /// Returns the name of the material or texture of a surface.
    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Returns whether a surface is meant to be visible.
    fn is_drawn(&self, surface: usize) -> Result<bool> {
        let _ = surface;
        Ok(true)
    }
    /// Returns how the file states that a surface is drawn.
    fn draw_style(&self, surface: usize) -> Result<DrawStyle> {
        let _ = surface;
        Ok(DrawStyle::default())
    }
    /// Returns the vertex pool of a surface.
    fn vertex_pool(&self, surface: usize) -> Result<VertexPool> {
        Ok(VertexPool::new(surface))
    }
    /// Returns the lengths of the arrays of a surface.
    fn counts(&self, surface: usize) -> Result<Counts>;
    /// Finds the positions of a surface in the shape `target`.
    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>>;
    /// Finds the tangent frames of a surface in the shape `target`.
    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
        self.positions(surface, target).map(|_| None)
    }
    /// Finds the normals of a surface in the shape `target`.
    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        Ok(self.tangent_frames(surface, target)?.map(Normals::from))
    }
    /// Finds the coordinates of UV set `set` of a surface.
    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        let _ = (surface, set);
        Ok(None)
    }
    /// Finds the vertex colours of a surface.
    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Returns whether vertex colours are data for a purpose that the file does not state, such as
    /// masks for the movement of leaves, and not colours to draw.
    fn colors_are_data(&self) -> bool {
        false
    }
    /// Finds the bone weights of a surface.
    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Finds the index stream for positions and weights.
    fn indices(&self, surface: usize) -> Result<Indices<'_>>;
    /// Finds the index stream for all other attributes, or returns `None` if the format has one
    /// stream for all attributes.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Finds the positions of a surface in vertex frame `frame`.
    fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>> {
        let kind = Cause::NoSuch { count: 0, index: as_u64(frame) };
        Err(self.fault(surface, "frame", 0, kind.unlocated()))
    }
    /// Finds the positions of a surface in all vertex frames.
    fn vertex_frames(&self, surface: usize) -> Result<Option<Positions<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Returns the spatial tree that the file stores for the triangles of a surface.
    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Finds the extra array `name` of a surface.
    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        let _ = (surface, name);
        Ok(None)
    }
    /// Inflates a surface into a mesh that owns its arrays, in which it has the same index and is
    /// the only surface that is read. Returns `None` if the format does not compress each surface.
    fn inflate_alone(&self, surface: usize) -> Result<Option<Box<dyn Geometry + '_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Makes an error about the region `name` of a surface, at the offset `into` bytes after the
    /// start of this region.
    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error;
}

/// How the texture of a surface is combined with the picture behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blend {
    /// The surface hides what is behind it.
    #[default]
    Opaque,
    /// Parts of the texture are cut out, and the others hide what is behind them.
    Masked,
    /// The colours are added to the picture behind the surface.
    Translucent,
    /// The colours of the picture behind the surface are multiplied by those of the texture.
    Modulated,
    /// The alpha of the texture selects between the texture and the picture behind the surface.
    Alpha,
    /// A code that the format does not define.
    Unknown(u8),
}

/// How a file states that a surface is drawn. The default is an opaque, one-sided and lit surface,
/// which is also the style of every surface of a format that stores no styles.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::model::DrawStyle;
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// assert_eq!(mesh.surface(0)?.draw_style()?, DrawStyle::default());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "independent flags of the file")]
#[non_exhaustive]
pub struct DrawStyle {
    /// How the texture is combined with the picture behind the surface.
    pub blend: Blend,
    /// Whether both sides of each triangle are drawn.
    pub two_sided: bool,
    /// Whether the surface is drawn at full brightness, without lighting.
    pub unlit: bool,
    /// Whether each triangle is lit by the normal of its plane.
    pub flat: bool,
    /// Whether the texture is drawn as a reflection of the environment.
    pub environment: bool,
    /// Whether the texture is drawn without filtering.
    pub unfiltered: bool,
}

/// A set of vertices that several surfaces of a file may share.
///
/// Two surfaces of one file with equal pools have the same arrays of positions and weights. If both
/// have a [single index stream](crate::Surface::is_single_stream), they also have the same arrays of
/// attributes, and differ in their indices only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VertexPool(usize);

impl VertexPool {
    /// Makes a pool. Surfaces that share their vertices get the same number.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(number: usize) -> Self {
        Self(number)
    }
}

/// A binary tree over the triangles of a surface, as stored in the file.
///
/// The spatial tree is borrowed from the file without checks, and must not be trusted. In a damaged
/// file, the children of a node may be any nodes, and a leaf may contain any index.
/// `Tree::from_spatial_tree`, which converts a spatial tree to a query tree, checks all values that
/// it uses. This trait gives no access to the bounding boxes and planes that some formats store in
/// the nodes, because they can be computed from the triangles.
pub trait SpatialTree: Debug {
    /// Returns the number of nodes in the tree. Node 0 is the root.
    fn node_count(&self) -> usize;

    /// Returns node `number` of the tree.
    ///
    /// Returns `None` if `number` is out of range, or if the stored node is neither an inner node
    /// nor a leaf.
    fn node(&self, number: usize) -> Option<SplitNode>;

    /// Returns the number of entries in the tree's array of triangle indices. Each leaf refers to a
    /// range of this array.
    fn triangle_count(&self) -> usize;

    /// Returns entry `place` of the tree's array of triangle indices, or `None` if `place` is out
    /// of range.
    ///
    /// The returned entry is the index of a triangle in the surface, in file order.
    fn triangle(&self, place: usize) -> Option<u32>;
}

/// A node of a [`SpatialTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitNode {
    /// An inner node, with the indices of its two child nodes.
    Inner([usize; 2]),
    /// A leaf, with a range of entries in the tree's array of triangle indices.
    Leaf(Range<usize>),
}
