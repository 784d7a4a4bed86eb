//! One surface of a mesh file of any format.

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::corners::Corners;
use super::geometry::{Counts, Geometry};
use super::spatial_tree::SpatialTree;
use super::weights::Weights;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Result};
use crate::parse::Name;

/// One surface of a mesh file of any format: a name, a box, and arrays lent on request.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::{Array, Geometry};
/// let mesh = meshpeek::unigine::Mesh::open(meshpeek::read("data/unigine/cube_ms13.mesh")?)?;
/// let surface = meshpeek::Surface::new(&mesh, 0);
/// let corners = surface.corners()?;
/// let positions = surface.positions()?;
/// let first = corners.get(0).and_then(|corner| positions.get(corner.position as usize));
/// assert!(first.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    pub(super) geometry: &'a dyn Geometry,
    pub(super) index: usize,
}

#[allow(clippy::missing_errors_doc, reason = "each fails as the method of `Geometry` that it calls")]
impl<'a> Surface<'a> {
    /// Names surface `index` of `geometry`. Whether it exists shows when something is asked of it.
    #[must_use]
    pub const fn new(geometry: &'a dyn Geometry, index: usize) -> Self {
        Self { geometry, index }
    }

    /// Returns all surfaces of `geometry`, in file order.
    pub fn all(geometry: &'a dyn Geometry) -> impl ExactSizeIterator<Item = Self> {
        (0..geometry.surface_count()).map(move |index| Self::new(geometry, index))
    }

    /// Returns its number in the file.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns its name.
    pub fn name(&self) -> Result<Name<'a>> {
        self.geometry.surface_name(self.index)
    }

    /// Returns its box: the one that the file declares or, in formats that declare none, the one around what it uses.
    pub fn bounds(&self) -> Result<Bounds> {
        self.geometry.surface_bounds(self.index)
    }

    /// Returns the sphere that the file declares.
    pub fn sphere(&self) -> Result<Option<Sphere>> {
        self.geometry.surface_sphere(self.index)
    }

    /// Returns the name of its material or texture.
    pub fn material(&self) -> Result<Option<Name<'a>>> {
        self.geometry.surface_material(self.index)
    }

    /// Tells whether it is there to be seen: who draws or exports leaves the others out.
    pub fn is_drawn(&self) -> Result<bool> {
        self.geometry.is_drawn(self.index)
    }

    /// Locates its positions in a vertex frame.
    pub fn vertex_frame(&self, frame: usize) -> Result<Positions<'a>> {
        self.geometry.vertex_frame(self.index, frame)
    }

    /// Counts what it has.
    pub fn counts(&self) -> Result<Counts> {
        self.geometry.counts(self.index)
    }

    /// Locates the positions of the base shape.
    pub fn positions(&self) -> Result<Positions<'a>> {
        self.geometry.positions(self.index, 0)
    }

    /// Locates the positions of a morph target; 0 is the base shape.
    pub fn target_positions(&self, target: usize) -> Result<Positions<'a>> {
        self.geometry.positions(self.index, target)
    }

    /// Locates the tangent frames of the base shape.
    pub fn tangent_frames(&self) -> Result<Option<TangentFrames<'a>>> {
        self.geometry.tangent_frames(self.index, 0)
    }

    /// Locates the tangent frames of a morph target; 0 is the base shape.
    pub fn target_tangent_frames(&self, target: usize) -> Result<Option<TangentFrames<'a>>> {
        self.geometry.tangent_frames(self.index, target)
    }

    /// Locates the normals of the base shape, alone or as part of its tangent frames.
    pub fn normals(&self) -> Result<Option<Normals<'a>>> {
        self.geometry.normals(self.index, 0)
    }

    /// Locates the normals of a morph target; 0 is the base shape.
    pub fn target_normals(&self, target: usize) -> Result<Option<Normals<'a>>> {
        self.geometry.normals(self.index, target)
    }

    /// Locates a UV set.
    pub fn uvs(&self, set: usize) -> Result<Option<Uvs<'a>>> {
        self.geometry.uvs(self.index, set)
    }

    /// Locates the vertex colours.
    pub fn colors(&self) -> Result<Option<Colors<'a>>> {
        self.geometry.colors(self.index)
    }

    /// Locates the bone weights.
    pub fn weights(&self) -> Result<Option<Weights<'a>>> {
        self.geometry.weights(self.index)
    }

    /// Locates the indices into positions and weights.
    pub fn indices(&self) -> Result<Indices<'a>> {
        self.geometry.indices(self.index)
    }

    /// Locates the indices into frames, UVs and colours; those into positions where the format has one stream.
    pub fn attribute_indices(&self) -> Result<Indices<'a>> {
        match self.geometry.attribute_indices(self.index)? {
            Some(indices) => Ok(indices),
            None => self.indices(),
        }
    }

    /// Lends the tree over its triangles that the file itself has.
    pub fn partition(&self) -> Result<Option<Box<dyn SpatialTree + 'a>>> {
        self.geometry.partition(self.index)
    }

    /// Locates both index streams together, after testing that they are of one length and make whole triangles.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where they do not.
    pub fn corners(&self) -> Result<Corners<'a>> {
        Corners::new(self.geometry, self.index, self.indices()?, self.attribute_indices()?)
    }

    pub(crate) fn fault(&self, name: &'static str, kind: ErrorKind) -> Error {
        self.geometry.fault(self.index, name, 0, kind)
    }
}
