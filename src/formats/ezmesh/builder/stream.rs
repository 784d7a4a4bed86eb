//! Meshes that are made while they are written. Only a part of one mesh is in memory at a time.

use super::check::check_attribute;
use super::refusal::mesh_place;
use super::vertices::Vertices;
use crate::array::Bounds;
use crate::error::Result;

/// The meshes of a file whose other contents are in a [`Mesh`](super::Mesh) without meshes.
pub(in crate::formats::ezmesh) trait MeshStream {
    /// Returns the number of meshes.
    fn count(&self) -> usize;
    /// Returns the bounding box of all positions.
    fn bounds(&self) -> Bounds;
    /// Passes all meshes to `out`. The number of meshes is [`count`](Self::count).
    fn write(&self, out: &mut dyn MeshOutput) -> Result<()>;
}

/// What precedes the sections and vertices of a mesh.
pub(in crate::formats::ezmesh) struct MeshStart<'s> {
    pub(in crate::formats::ezmesh) name: &'s [u8],
    pub(in crate::formats::ezmesh) skeleton: &'s [u8],
    /// The bounding box of the positions, which only a binary file contains.
    pub(in crate::formats::ezmesh) bounds: Bounds,
    /// The number of sections.
    pub(in crate::formats::ezmesh) sections: usize,
    /// The columns of the vertices, without rows.
    pub(in crate::formats::ezmesh) columns: &'s Vertices,
}

/// What precedes the triangles of a section.
pub(in crate::formats::ezmesh) struct SectionStart<'s> {
    pub(in crate::formats::ezmesh) material: &'s [u8],
    /// The bounding box of the triangles, which only a binary file contains.
    pub(in crate::formats::ezmesh) bounds: Bounds,
    /// The number of triangles.
    pub(in crate::formats::ezmesh) triangles: usize,
}

/// Writes meshes: the start of a mesh, its vertices and sections, and its end. In a text file, the
/// vertices come first. In a binary file, they come last.
pub(in crate::formats::ezmesh) trait MeshOutput {
    fn start(&mut self, mesh: &MeshStart<'_>) -> Result<()>;
    fn start_vertices(&mut self, count: usize) -> Result<()>;
    /// Writes the next vertices, which have the columns of [`MeshStart`].
    fn rows(&mut self, vertices: &Vertices) -> Result<()>;
    fn end_vertices(&mut self) -> Result<()>;
    fn start_section(&mut self, section: &SectionStart<'_>) -> Result<()>;
    fn triangle(&mut self, triangle: [u32; 3]) -> Result<()>;
    fn end_section(&mut self) -> Result<()>;
    fn end(&mut self) -> Result<()>;
}

/// Returns an error if a text file cannot store the name of the mesh with this index, or of its
/// material.
pub(in crate::formats::ezmesh) fn check_mesh_name(mesh: usize, name: &[u8]) -> Result<()> {
    check_attribute(mesh_place(crate::math::as_u64(mesh)).named("name"), name)
}
