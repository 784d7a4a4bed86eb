//! What formats of vertex meshes define besides the arrays that they store.

use std::io::Write;

use crate::error::Result;

/// Selects the normal that is computed for each triangle corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalShading {
    /// The normal of [`Facet`](Self::Facet) if the file states that the triangle is flat, and the
    /// normal of [`Smooth`](Self::Smooth) otherwise.
    #[default]
    Flagged,
    /// The mean of the normals of all triangles that share the vertex of the corner, weighted by
    /// the areas of the triangles.
    Smooth,
    /// The normal of the triangle's plane.
    Facet,
}

/// A map from stored positions to placed positions.
pub type PositionMap<'a> = Box<dyn Fn([f32; 3]) -> [f32; 3] + 'a>;

/// A mesh of a format that stores vertex frames, but no normals.
/// [`Geometry::vertex_mesh`](super::Geometry::vertex_mesh) returns it. The indices of surfaces are
/// those of the file.
#[allow(clippy::missing_errors_doc, reason = "the errors are those of `Geometry`")]
pub trait VertexMesh {
    /// Returns the map that the script of the mesh applies to stored positions, or `None` if the
    /// mesh has no script. The results are those of the arithmetic of the format.
    fn placing(&self) -> Option<PositionMap<'_>>;
    /// Computes a normal for each triangle corner of a surface in vertex frame `frame`, from placed
    /// positions if `is_placed` is true and the mesh has a script.
    ///
    /// A normal has unit length, or is the zero vector if the triangle has no area.
    fn normals(&self, surface: usize, frame: usize, shading: NormalShading, is_placed: bool) -> Result<Vec<[f32; 3]>>;
    /// Writes the texture coordinates of all triangles as text, in the listing that is usual for
    /// the format.
    fn write_uv_listing(&self, out: &mut dyn Write) -> Result<()>;
}
