//! The trait of mesh files that contain surfaces, for all formats.

use super::attributes::{Colors, Indices, Normals, Positions, TangentFrames, Uvs};
use super::spatial_tree::SpatialTree;
use super::weights::Weights;
use crate::array::{Bounds, Sphere};
use crate::error::{Error, ErrorKind, Result};
use crate::math::as_u64;
use crate::model::format_version::FormatVersion;
use crate::parse::Name;

/// The lengths of the arrays of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of positions in the base shape.
    pub vertices: u32,
    /// The number of attribute vertices, which are the items that the second index stream refers
    /// to: tangent frames, UVs and colours.
    pub attribute_vertices: u32,
    /// The number of corners of triangles. Each triangle has three corners.
    pub corners: u32,
    /// Size of one index into the positions and of one index into the attributes, in bytes.
    pub index_widths: [u8; 2],
    /// The number of UV sets.
    pub uv_sets: u32,
    /// Whether the surface has vertex colours.
    pub colors: bool,
    /// Whether the vertices have bone weights.
    pub weights: bool,
    /// The number of shapes: the base shape and all morph targets.
    pub targets: u32,
}

/// The surfaces of a mesh file of any format. The main type of each format, such as
/// [`unigine::Mesh`](crate::unigine::Mesh), implements this trait.
///
/// Surfaces are numbered from 0. If the format stores surfaces in its files, they are in file
/// order. Every method with an index returns [`ErrorKind::NoSuch`] if the index is out of range. If
/// the method has to read damaged bytes to find an array, it returns an error of the format.
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
pub trait Geometry: FormatVersion {
    /// Returns the bounding box of all surfaces.
    ///
    /// If the format stores a bounding box, the result is the stored box, which may be wrong in a
    /// damaged file. In other formats, the result is the bounding box of the positions of the base
    /// shape.
    fn bounds(&self) -> Bounds;
    /// Returns the bounding sphere that the file stores, or `None` if the format stores no sphere.
    fn sphere(&self) -> Option<Sphere>;
    /// Returns the number of vertex frames in the mesh.
    ///
    /// A vertex frame contains a position for every vertex. Animations play vertex frames one after
    /// another. In formats that move vertices by bones, the number of vertex frames is 0.
    fn vertex_frame_count(&self) -> usize {
        0
    }
    /// Finds the positions of a surface in vertex frame `frame`, without decoding them.
    fn vertex_frame(&self, surface: usize, frame: usize) -> Result<Positions<'_>> {
        let kind = ErrorKind::NoSuch { count: 0, index: as_u64(frame) };
        Err(self.fault(surface, "frame", 0, kind))
    }
    /// Returns the number of surfaces in the file.
    fn surface_count(&self) -> usize;
    /// Returns the name of a surface.
    fn surface_name(&self, surface: usize) -> Result<Name<'_>>;
    /// Returns the bounding box of one surface.
    ///
    /// If the format stores a bounding box for each surface, the result is the stored box. In other
    /// formats, the result is the bounding box of the positions that the corners of the surface
    /// refer to.
    fn surface_bounds(&self, surface: usize) -> Result<Bounds>;
    /// Returns the bounding sphere that the file stores for a surface, or `None` if the format
    /// stores no spheres.
    fn surface_sphere(&self, surface: usize) -> Result<Option<Sphere>>;
    /// Returns the name of the material or texture of a surface, or `None` if neither the file nor
    /// its script contains a name.
    fn surface_material(&self, surface: usize) -> Result<Option<Name<'_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Returns whether renderers draw a surface.
    ///
    /// An invisible surface marks a position in the mesh, such as an attachment point. Renderers
    /// and exporters skip it.
    fn is_drawn(&self, surface: usize) -> Result<bool> {
        let _ = surface;
        Ok(true)
    }
    /// Returns the lengths of the arrays of a surface. The method reads every count of the surface,
    /// but no vertex.
    fn counts(&self, surface: usize) -> Result<Counts>;
    /// Finds the positions of a shape, without decoding them.
    ///
    /// Target 0 is the base shape. Every other target is a whole shape, which can be blended with
    /// the base shape.
    fn positions(&self, surface: usize, target: usize) -> Result<Positions<'_>>;
    /// Finds the tangent frames of a shape, or returns `None` if the format stores no tangent
    /// frames.
    fn tangent_frames(&self, surface: usize, target: usize) -> Result<Option<TangentFrames<'_>>>;
    /// Finds the normals of a shape, which are stored alone or as part of the tangent frames.
    ///
    /// Returns `None` if the surface has no normals.
    fn normals(&self, surface: usize, target: usize) -> Result<Option<Normals<'_>>> {
        Ok(self.tangent_frames(surface, target)?.map(Normals::from))
    }
    /// Finds a UV set, or returns `None` if the surface does not have this UV set.
    fn uvs(&self, surface: usize, set: usize) -> Result<Option<Uvs<'_>>>;
    /// Finds the vertex colours, or returns `None` if the surface has no vertex colours.
    fn colors(&self, surface: usize) -> Result<Option<Colors<'_>>>;
    /// Finds the bone weights, or returns `None` if the surface has no bone weights. Each position
    /// has one list of weights.
    fn weights(&self, surface: usize) -> Result<Option<Weights<'_>>>;
    /// Finds the index stream for positions and weights, which has one index per corner.
    fn indices(&self, surface: usize) -> Result<Indices<'_>>;
    /// Finds the index stream for tangent frames, UVs and colours, which has one index per corner.
    ///
    /// Returns `None` if the format has only one index stream, which is then also used for these
    /// attributes.
    fn attribute_indices(&self, surface: usize) -> Result<Option<Indices<'_>>>;
    /// Returns the spatial tree that the file stores for the triangles of a surface, or `None` if
    /// the file stores no such tree.
    fn partition(&self, surface: usize) -> Result<Option<Box<dyn SpatialTree + '_>>> {
        let _ = surface;
        Ok(None)
    }
    /// Makes an error about the region `name` of a surface, at the offset `into` bytes after the
    /// start of this region.
    fn fault(&self, surface: usize, name: &'static str, into: u64, kind: ErrorKind) -> Error;
}
