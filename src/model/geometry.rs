//! The trait of mesh files that contain surfaces, for all formats.

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::draw_style::DrawStyle;
use super::extra_array::{ExtraArray, ExtraArrayInfo};
use super::single_surface::SingleSurface;
use super::space::Space;
use super::spatial_tree::SpatialTree;
use super::vertex_mesh::VertexMesh;
use super::vertex_pool::VertexPool;
use super::weights::Weights;
use crate::array::{Bounds, Sphere};
use crate::error::{Cause, Error, Result};
use crate::math::as_u64;
use crate::model::format_version::FormatVersion;
use crate::parse::{Name, setters};

/// The lengths of the arrays of a surface.
///
/// ```
/// use meshpeek::model::Counts;
/// let counts = Counts::default().with_vertices(4).with_attribute_vertices(4).with_corners(6);
/// assert_eq!((counts.corners, counts.uv_sets), (6, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Counts {
    /// The number of positions of the surface in the base shape.
    pub vertices: u32,
    /// The number of attribute vertices of the surface. An attribute vertex is a tangent frame with
    /// its UVs and its colour. The index stream for attributes contains indices of attribute
    /// vertices.
    pub attribute_vertices: u32,
    /// The number of triangle corners: three times the number of triangles.
    pub corners: u32,
    /// The sizes of one index in the two index streams, in bytes: first the stream for positions,
    /// then the stream for attributes.
    pub index_widths: [u8; 2],
    /// The number of UV sets of the surface.
    pub uv_sets: u32,
    /// Whether the surface has vertex colours.
    pub colors: bool,
    /// Whether the vertices of the surface have bone weights.
    pub weights: bool,
    /// The number of shapes of the surface: the base shape and all morph targets.
    pub targets: u32,
}

impl Counts {
    setters! {
        this: "counts";
        with_vertices(vertices: u32);
        with_attribute_vertices(attribute_vertices: u32);
        with_corners(corners: u32);
        with_index_widths(index_widths: [u8; 2]);
        with_uv_sets(uv_sets: u32);
        with_colors(colors: bool);
        with_weights(weights: bool);
        with_targets(targets: u32);
    }
}

/// The surfaces of a mesh file of any format. [`Model`](crate::Model) implements this trait.
///
/// The index of the first surface is 0. If the file stores separate surfaces, the surfaces are in
/// file order. Every method with an index returns [`ErrorKind::NoSuch`] if the index is out of
/// range. If the bytes that a method has to read are damaged or missing, the method returns the
/// error that the reader of the file format reports, with the field and the byte offset. A damaged
/// part of a file is never shown as an empty part.
///
/// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
pub trait Geometry: FormatVersion {
    /// Returns the coordinate conventions of the mesh.
    ///
    /// The arrays of the mesh contain stored values. [`Space::conversion_to`] returns the
    /// conversion of stored values to other conventions.
    fn space(&self) -> Space {
        Space::UNKNOWN
    }
    /// Returns the bounding box of all surfaces.
    ///
    /// If the file stores a bounding box of the whole mesh, the result is the stored box, which may
    /// be wrong in a damaged file. If the format stores no bounding box of the whole mesh, the
    /// result is the bounding box of the positions of the base shape.
    fn bounds(&self) -> Result<Bounds>;
    /// Returns the bounding sphere that the file stores for the whole mesh, or `None` if the format
    /// stores no such sphere.
    fn sphere(&self) -> Result<Option<Sphere>> {
        Ok(None)
    }
    /// Returns the number of vertex frames in the mesh.
    ///
    /// A vertex frame contains a position for every vertex. An animation of vertices displays
    /// vertex frames one after another. In formats that move vertices by bones, the number of
    /// vertex frames is 0.
    fn vertex_frame_count(&self) -> Result<usize> {
        Ok(0)
    }
    /// Finds the positions of a surface in vertex frame `frame`, without decoding them.
    fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>> {
        self.surface_sphere(surface)?;
        let kind = Cause::NoSuch { count: 0, index: as_u64(frame) };
        Err(self.fault(surface, "frame", 0, kind.unlocated()))
    }
    /// Finds the positions of a surface in all vertex frames, one vertex frame after another,
    /// without decoding them.
    ///
    /// Returns `None` if the file has no vertex frames, or stores other data between them.
    fn vertex_frames(&self, surface: usize) -> Result<Option<Positions<'_>>> {
        self.surface_sphere(surface).map(|_| None)
    }
    /// Returns the number of surfaces in the file.
    fn surface_count(&self) -> Result<usize>;
    /// Returns the name of a surface.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>>;
    /// Returns the bounding box of one surface.
    ///
    /// If the format stores a bounding box for each surface, the result is the stored box. If the
    /// format stores no bounding boxes of surfaces, the result is the bounding box of the positions
    /// that the corners of the surface refer to.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds>;
    /// Returns the bounding sphere that the file stores for a surface, or `None` if the format
    /// stores no spheres.
    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>> {
        self.surface_name(surface).map(|_| None)
    }
    /// Returns the name of the material or texture of a surface, or `None` if neither the file nor
    /// its script contains a name.
    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        self.surface_sphere(surface).map(|_| None)
    }
    /// Returns whether a surface is meant to be visible.
    ///
    /// An invisible surface marks a position in the mesh, such as an attachment point. Renderers
    /// and exporters skip invisible surfaces.
    fn is_drawn(&self, surface: usize) -> Result<bool> {
        self.surface_sphere(surface).map(|_| true)
    }
    /// Returns how the file states that a surface is drawn.
    fn draw_style(&self, surface: usize) -> Result<DrawStyle> {
        self.surface_sphere(surface).map(|_| DrawStyle::default())
    }
    /// Returns the vertex pool of a surface. Surfaces with equal pools share their arrays of
    /// positions and weights, and with a single index stream also those of attributes. A program
    /// reads these arrays once for all of them.
    fn vertex_pool(&self, surface: usize) -> Result<VertexPool> {
        self.surface_sphere(surface).map(|_| VertexPool::new(self.file_index(surface)))
    }
    /// Returns the lengths of the arrays of a surface. The method reads the item count of every
    /// array of the surface, but no vertex.
    ///
    /// Some counts may be in a compressed block of the surface. The first call for such a surface
    /// inflates the block in 128 KiB of memory and keeps the counts only. It takes about as long as
    /// inflating the block, so find an array first if you need both.
    fn counts(&self, surface: usize) -> Result<Counts>;
    /// Finds the positions of a surface in the shape `target`, without decoding them.
    ///
    /// Target 0 is the base shape, and every other target is a morph target: a complete shape that
    /// can be blended with the base shape.
    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>>;
    /// Finds the tangent frames of a surface in the shape `target`, or returns `None` if the format
    /// stores no tangent frames.
    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>> {
        self.positions(surface, target).map(|_| None)
    }
    /// Finds the normals of a surface in the shape `target`, which are stored alone or as part of
    /// the tangent frames.
    ///
    /// Returns `None` if the surface has no normals.
    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        Ok(self.tangent_frames(surface, target)?.map(Normals::from))
    }
    /// Finds the coordinates of UV set `set` of a surface, or returns `None` if the surface does
    /// not have the UV set `set`.
    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>> {
        let _ = set;
        self.surface_sphere(surface).map(|_| None)
    }
    /// Finds the vertex colours of a surface, or returns `None` if the surface has no vertex
    /// colours.
    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>> {
        self.surface_sphere(surface).map(|_| None)
    }
    /// Returns whether vertex colours are data for a purpose that the file does not state, such as
    /// masks for the movement of leaves, and not colours to draw.
    fn colors_are_data(&self) -> bool {
        false
    }
    /// Finds the bone weights of a surface, or returns `None` if the surface has no bone weights.
    /// Each position of the surface has one list of weights.
    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>> {
        self.surface_sphere(surface).map(|_| None)
    }
    /// Finds a surface's index stream for positions and weights, which has one index per corner.
    fn indices(&self, surface: usize) -> Result<Indices<'_>>;
    /// Finds a surface's index stream for tangent frames, UVs and colours, which has one index per
    /// corner.
    ///
    /// Returns `None` if the format has only one index stream, which is then used for positions,
    /// tangent frames, UVs and colours.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>> {
        self.surface_sphere(surface).map(|_| None)
    }
    /// Returns the spatial tree that the file stores for the triangles of a surface, or `None` if
    /// the file stores no such tree.
    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        self.surface_sphere(surface).map(|_| None)
    }
    /// Returns the arrays that surfaces of the format may have, and that not every format has.
    #[doc(hidden)]
    fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
        &[]
    }
    /// Finds the extra array `name` of a surface, without decoding it. Returns `None` if the format
    /// has no array with this name, or if the surface does not have it.
    #[doc(hidden)]
    fn extra_array(&self, surface: usize, name: &str) -> Result<Option<ExtraArray<'_>>> {
        let _ = (surface, name);
        Ok(None)
    }
    /// Returns what the format computes from the vertex frames of the mesh, or `None` if the format
    /// does not store vertex frames.
    #[doc(hidden)]
    fn vertex_mesh(&self) -> Option<&dyn VertexMesh> {
        None
    }
    /// Lends one surface as a geometry of its own, in which the surface has the index 0. The bounds
    /// of the returned geometry are those of the surface.
    ///
    /// Use this method to look at one surface of a large file after another. In a format that
    /// compresses each surface, the inflated surface belongs to the returned value and is freed
    /// with it. The methods of this trait that find an array instead inflate a surface for the life
    /// of the mesh, because arrays borrow from the mesh. In all other formats, the returned value
    /// borrows from this geometry, and lending saves no memory.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::{Array, Surface};
    /// let model = meshpeek::Model::open(meshpeek::read("data/unigine/room_ms14.mesh")?)?;
    /// for index in 0..model.geometry()?.surface_count()? {
    ///     let lent = model.geometry()?.lend(index)?;
    ///     let surface = Surface::new(&*lent, 0);
    ///     println!("{}: {:?}", surface.name()?, surface.positions()?.bounds());
    /// } // the surface is freed here
    /// # Ok(())
    /// # }
    /// ```
    fn lend(&self, surface: usize) -> Result<Box<dyn Geometry + '_>> {
        self.surface_name(surface)?;
        Ok(Box::new(SingleSurface::new(self, surface)))
    }
    /// Returns the index of a surface in the file, which differs from `surface` only in a geometry
    /// that was [lent](Self::lend). The method does not check the index.
    ///
    /// Errors and sidecars contain the index of a surface in the file.
    fn file_index(&self, surface: usize) -> usize {
        surface
    }
    /// Makes an error about the region `name` of a surface, at the offset `into` bytes after the
    /// start of this region.
    fn fault(&self, surface: usize, name: &'static str, into: u64, error: Error) -> Error;
}
