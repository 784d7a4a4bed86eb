//! The trait of a mesh file of any format.

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::spatial_tree::SpatialTree;
use super::weights::Weights;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Result};
use crate::math::as_u64;
use crate::model::format_version::FormatVersion;
use crate::parse::Name;

/// How many there are of each thing in a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions of the base shape.
    pub vertices: u32,
    /// Items that the second index stream points into: tangent frames, UVs, colours.
    pub attribute_vertices: u32,
    /// Corners of triangles: three each.
    pub corners: u32,
    /// Bytes of one index into the positions, and of one into the attributes.
    pub index_widths: [u8; 2],
    /// UV sets.
    pub uv_sets: u32,
    /// Whether there are vertex colours.
    pub colors: bool,
    /// Whether vertices have bone weights.
    pub weights: bool,
    /// Shapes, the base shape included.
    pub targets: u32,
}

/// A mesh file of any format, as its surfaces. Implemented by each format's owner type.
///
/// Surfaces are numbered from 0, in file order where a format has them in its files. Every method that takes a number fails as
/// [`ErrorKind::NoSuch`] where there is no such item, and as the format says where the
/// bytes on the way to the array are damaged.
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Geometry: FormatVersion {
    /// Returns the box that the file declares, which may be wrong in a damaged file; in formats that declare none, the box
    /// around the positions of the base shape.
    fn bounds(&self) -> Bounds;
    /// Returns the sphere that the file declares.
    fn sphere(&self) -> Option<Sphere>;
    /// Returns how many whole shapes of every vertex there are, which animations play one after another; 0 in formats
    /// that move vertices by bones.
    fn vertex_frame_count(&self) -> usize {
        0
    }
    /// Locates the positions of a surface in a vertex frame.
    fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>> {
        let kind = ErrorKind::NoSuch { count: 0, index: as_u64(frame) };
        Err(self.fault(surface, "frame", 0, kind))
    }
    /// Returns the number of surfaces.
    fn surface_count(&self) -> usize;
    /// Returns a surface's name.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>>;
    /// Returns the box that the file declares for a surface; in formats that declare none, the box around the positions that
    /// its corners use.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds>;
    /// Returns the sphere that the file declares for a surface.
    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>>;
    /// Returns the name of a surface's material or texture, where the file or its script has one.
    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Tells whether a surface is there to be seen. What is not marks places, and who draws or exports leaves it out.
    fn is_drawn(&self, surface: usize) -> Result<bool> {
        let _ = surface;
        Ok(true)
    }
    /// Counts what a surface has; looks at every count of it, and at no vertex.
    fn counts(&self, surface: usize) -> Result<Counts>;
    /// Locates the positions of a shape: target 0 is the base shape, the others are whole shapes to blend it with.
    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>>;
    /// Locates the tangent frames of a shape; `None` where the format has none.
    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>>;
    /// Locates the normals of a shape, alone or as part of its tangent frames; `None` where the surface has none.
    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        Ok(self.tangent_frames(surface, target)?.map(Normals::from))
    }
    /// Locates a UV set; `None` where the surface does not have it.
    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>>;
    /// Locates the vertex colours.
    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>>;
    /// Locates the bone weights, one list per position.
    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>>;
    /// Locates the indices into positions and weights, one per corner.
    fn indices(&self, surface: usize) -> Result<Indices<'_>>;
    /// Locates the indices into frames, UVs and colours, one per corner; `None` where they are those into positions.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>>;
    /// Lends the tree over a surface's triangles that the file itself has; `None` where it has none.
    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Makes an error about the region `name` of a surface, `into` bytes from its start.
    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error;
}
