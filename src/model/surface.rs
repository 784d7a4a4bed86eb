//! One surface of a mesh file of any format: [`Surface`], and [`LentSurface`], which owns its
//! arrays.

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::corners::Corners;
use super::extra_array::ExtraArray;
use super::geometry::Geometry;
use super::surface_arrays::{DrawStyle, SpatialTree, VertexPool};
use super::weights::Weights;
use crate::array::{Bounds, Sphere};
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Result, no_such};
use crate::parse::Name;

/// The lengths of the arrays of a surface.
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

/// One surface of a mesh file of any format: a name, a bounding box, and arrays, which are borrowed
/// from the mesh.
///
/// [`Model::surface`](crate::Model::surface) returns a surface of a file. A method that finds an
/// array does not read its items. If the bytes that a method has to read are damaged or missing, it
/// returns the error of the reader of the format, with the field and the byte offset.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let surface = model.surface(0)?;
/// let corners = surface.corners()?;
/// let positions = surface.positions()?;
/// let first = corners.get(0).and_then(|corner| positions.get(corner.position as usize));
/// assert!(first.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    pub(crate) geometry: &'a dyn Geometry,
    pub(super) index: usize,
}

short_debug!(Surface<'_>: |surface| {
    format: surface.geometry.format(), version: surface.geometry.version(), index: surface.index,
});

#[allow(clippy::missing_errors_doc, reason = "documented once on the type")]
impl<'a> Surface<'a> {
    /// Makes a surface of a mesh. The index is below the number of its surfaces.
    pub(super) const fn of(geometry: &'a dyn Geometry, index: usize) -> Self {
        Self { geometry, index }
    }

    /// Returns surface `index` of a mesh of one format.
    #[doc(hidden)]
    pub fn new(geometry: &'a dyn Geometry, index: usize) -> Result<Self> {
        geometry.surface(index)
    }

    /// Returns all surfaces of a mesh of one format.
    #[doc(hidden)]
    pub fn all(geometry: &'a dyn Geometry) -> Result<impl ExactSizeIterator<Item = Self>> {
        geometry.surfaces()
    }

    /// Returns the index of this surface in the file.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the name of the surface.
    pub fn name(&self) -> Result<Name<'a>> {
        self.geometry.surface_name(self.index)
    }

    /// Returns the bounding box of the surface.
    ///
    /// If the format stores a bounding box for each surface, the result is the stored box. If the
    /// format stores no bounding boxes of surfaces, the result is the bounding box of the positions
    /// that the surface uses.
    pub fn bounds(&self) -> Result<Bounds> {
        self.geometry.surface_bounds(self.index)
    }

    /// Returns the bounding sphere that the file stores for the surface, or `None` if the format
    /// stores no spheres.
    pub fn sphere(&self) -> Result<Option<Sphere>> {
        self.geometry.surface_sphere(self.index)
    }

    /// Returns the name of the surface's material or texture, or `None` if neither the file nor its
    /// script contains a name.
    pub fn material(&self) -> Result<Option<Name<'a>>> {
        self.geometry.surface_material(self.index)
    }

    /// Returns whether the surface is meant to be visible.
    ///
    /// An invisible surface marks a position in the mesh, such as an attachment point. Renderers
    /// and exporters skip it.
    pub fn is_drawn(&self) -> Result<bool> {
        self.geometry.is_drawn(self.index)
    }

    /// Returns how the file states that the surface is drawn.
    pub fn draw_style(&self) -> Result<DrawStyle> {
        self.geometry.draw_style(self.index)
    }

    /// Returns the vertex pool of the surface. Surfaces with equal pools share their positions and
    /// weights, and with a single index stream also their attributes. A program reads these arrays
    /// once for all of them.
    pub fn vertex_pool(&self) -> Result<VertexPool> {
        self.geometry.vertex_pool(self.index)
    }

    /// Finds the positions of the surface in vertex frame `frame`.
    pub fn vertex_frame(&self, frame: usize) -> Result<Positions<'a>> {
        self.geometry.vertex_frame(self.index, frame)
    }

    /// Finds the positions of the surface in all vertex frames, one vertex frame after another.
    ///
    /// The position of vertex *v* in vertex frame *f* has the index *f* × *n* + *v*, where *n* is
    /// the number of vertices. Returns `None` if the file has no vertex frames, or stores other
    /// data between them.
    pub fn vertex_frames(&self) -> Result<Option<Positions<'a>>> {
        self.geometry.vertex_frames(self.index)
    }

    /// Returns the lengths of the arrays of the surface. The method reads the item count of every
    /// array of the surface, but no vertex.
    ///
    /// Some counts may be in a compressed block of the surface. The first call for such a surface
    /// inflates the block in 128 KiB of memory and keeps the counts only. It takes about as long as
    /// inflating the block, so find an array first if you need both.
    pub fn counts(&self) -> Result<Counts> {
        self.geometry.counts(self.index)
    }

    /// Finds the positions of the surface in the base shape, without decoding them.
    pub fn positions(&self) -> Result<Positions<'a>> {
        self.geometry.positions(self.index, 0)
    }

    /// Finds the positions of a morph target: a complete shape that can be blended with the base
    /// shape. Target 0 is the base shape.
    pub fn target_positions(&self, target: usize) -> Result<Positions<'a>> {
        self.geometry.positions(self.index, target)
    }

    /// Finds the tangent frames of the base shape, or returns `None` if the format stores no
    /// tangent frames.
    pub fn tangent_frames(&self) -> Result<Option<TangentFrames<'a>>> {
        self.geometry.tangent_frames(self.index, 0)
    }

    /// Finds the tangent frames of a morph target. Target 0 is the base shape.
    pub fn target_tangent_frames(&self, target: usize) -> Result<Option<TangentFrames<'a>>> {
        self.geometry.tangent_frames(self.index, target)
    }

    /// Finds the normals of the base shape, which are stored alone or as part of the tangent
    /// frames.
    pub fn normals(&self) -> Result<Option<Normals<'a>>> {
        self.geometry.normals(self.index, 0)
    }

    /// Finds the normals of a morph target. Target 0 is the base shape.
    pub fn target_normals(&self, target: usize) -> Result<Option<Normals<'a>>> {
        self.geometry.normals(self.index, target)
    }

    /// Finds the coordinates of UV set `set` of the surface, or returns `None` if the surface does
    /// not have the UV set `set`.
    pub fn uvs(&self, set: usize) -> Result<Option<Uvs<'a>>> {
        self.geometry.uvs(self.index, set)
    }

    /// Finds the vertex colours, or returns `None` if the surface has no vertex colours.
    pub fn colors(&self) -> Result<Option<Colors<'a>>> {
        self.geometry.colors(self.index)
    }

    /// Returns whether vertex colours are data and not colours to draw.
    pub(crate) fn colors_are_data(&self) -> bool {
        self.geometry.colors_are_data()
    }

    /// Finds the bone weights, or returns `None` if the surface has no bone weights. Each position
    /// has one list of weights.
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        self.geometry.weights(self.index)
    }

    /// Finds the index stream for positions and weights, which has one index per corner.
    pub fn indices(&self) -> Result<Indices<'a>> {
        self.geometry.indices(self.index)
    }

    /// Finds the index stream for tangent frames, UVs and colours, which has one index per corner.
    ///
    /// If the format has only one index stream, this method returns the index stream for positions.
    pub fn attribute_indices(&self) -> Result<Indices<'a>> {
        match self.second_indices()? {
            Some(indices) => Ok(indices),
            None => self.indices(),
        }
    }

    /// Finds the index stream for attributes, or returns `None` if the format has one stream for
    /// all attributes.
    pub(crate) fn second_indices(&self) -> Result<Option<Indices<'a>>> {
        self.geometry.attribute_indices(self.index)
    }

    /// Returns whether the file stores one index stream for both positions and attributes.
    ///
    /// With a single stream, a position and an attribute vertex with the same index always belong
    /// together, so the arrays of the surface can be uploaded to a GPU without [`weld`](Self::weld).
    ///
    /// The method reads no index. Hence it returns `false` for two streams that the file stores
    /// separately, even if they contain the same indices. `weld` compares the indices of such
    /// streams. A surface without corners that is stored with two streams has a single stream.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// for (path, is_single) in [("data/secondlife/quad.llmesh", true), ("data/unigine/cube_ms13.mesh", false)] {
    ///     let model = meshpeek::open(path)?;
    ///     assert_eq!(model.surface(0)?.is_single_stream()?, is_single);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_single_stream(&self) -> Result<bool> {
        let Some(attributes) = self.second_indices()? else { return Ok(true) };
        Ok(self.indices()?.is_same_array(&attributes))
    }

    /// Returns the spatial tree that the file stores for the triangles of the surface, or `None` if
    /// the file stores no spatial tree for the surface.
    #[doc(hidden)]
    pub fn partition(&self) -> Result<Option<Box<dyn SpatialTree + 'a>>> {
        self.geometry.partition(self.index)
    }

    /// Returns the names of the arrays that surfaces of this format may have, and that not every
    /// format has.
    #[must_use]
    pub fn extra_arrays(&self) -> impl ExactSizeIterator<Item = &'static str> + use<> {
        self.geometry.extra_arrays().iter().map(|info| info.name)
    }

    /// Finds the extra array `name` of the surface, or returns `None` if the surface has none.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let model = meshpeek::open("data/unreal/guard_d.3d")?;
    /// let surface = model.surface(0)?;
    /// for name in surface.extra_arrays() {
    ///     if let Some(array) = surface.extra_array(name)? {
    ///         println!("{name}: {:?}", array.values(0..array.count()));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn extra_array(&self, name: &str) -> Result<Option<ExtraArray<'a>>> {
        self.geometry.extra_array(self.index, name)
    }

    /// Finds both index streams of the surface. `corners` checks that the two index streams have
    /// the same length and consist of whole triangles.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the two index streams have different lengths, or if their
    /// length is not a multiple of three.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    pub fn corners(&self) -> Result<Corners<'a>> {
        Corners::new(self, self.indices()?, self.attribute_indices()?)
    }

    /// Makes an error about the start of the array `name`.
    pub(crate) fn fault(&self, name: &'static str, kind: Cause) -> Error {
        self.fault_at(name, 0, kind)
    }

    /// Makes an error about the array `name`, at the offset `into` bytes after its start.
    pub(crate) fn fault_at(&self, name: &'static str, into: u64, kind: Cause) -> Error {
        self.geometry.fault(self.index, name, into, kind.unlocated())
    }
}

#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
impl<'g> dyn Geometry + 'g {
    /// Returns surface `index`, like [`Model::surface`](crate::Model::surface).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range.
    pub fn surface<'a>(&'a self, index: usize) -> Result<Surface<'a>>
    where
        'g: 'a,
    {
        let count = self.surface_count()?;
        if index < count { Ok(Surface::of(self, index)) } else { Err(no_such(self.format(), "surface", count, index)) }
    }

    /// Returns all surfaces, in file order, like [`Model::surfaces`](crate::Model::surfaces).
    pub fn surfaces<'a>(&'a self) -> Result<impl ExactSizeIterator<Item = Surface<'a>>>
    where
        'g: 'a,
    {
        Ok((0..self.surface_count()?).map(move |index| Surface::of(self, index)))
    }

    /// Lends surface `index`: see [`Model::lend`](crate::Model::lend).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the index is out of range, and the
    /// error of the surface if it cannot be inflated.
    pub fn lend<'a>(&'a self, index: usize) -> Result<LentSurface<'a>>
    where
        'g: 'a,
    {
        let surface = self.surface(index)?;
        Ok(match self.inflate_alone(index)? {
            Some(owner) => LentSurface::owned(owner, index),
            None => LentSurface::borrowed(surface),
        })
    }
}

/// A surface whose inflated arrays are freed with it. [`Model::lend`](crate::Model::lend) returns
/// it.
pub struct LentSurface<'a>(Owner<'a>);

enum Owner<'a> {
    Mesh(Surface<'a>),
    Owned(Box<dyn Geometry + 'a>, usize),
}

short_debug!(LentSurface<'_>: |lent| { surface: lent.surface() });

impl<'a> LentSurface<'a> {
    pub(super) const fn borrowed(surface: Surface<'a>) -> Self {
        Self(Owner::Mesh(surface))
    }

    pub(super) const fn owned(owner: Box<dyn Geometry + 'a>, index: usize) -> Self {
        Self(Owner::Owned(owner, index))
    }

    /// Returns the surface, with the index that it has in the file.
    #[must_use]
    pub fn surface(&self) -> Surface<'_> {
        match &self.0 {
            Owner::Mesh(surface) => *surface,
            Owner::Owned(owner, index) => Surface::of(&**owner, *index),
        }
    }
}
