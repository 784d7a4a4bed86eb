//! The surfaces of a mesh: [`Geometry`] and [`VertexMesh`].

use std::io::Write;

use super::extra_array::ExtraArrayInfo;
use super::space::Space;
use super::surface_arrays::SurfaceArrays;
use crate::array::{Bounds, Sphere};
use crate::error::Result;

/// The surfaces of one level of detail of a mesh, in file order. The index of the first surface is
/// 0.
///
/// A damaged part of a file is never shown as an empty part: a method that has to read damaged or
/// missing bytes returns the error of the reader of the format, with the field and the byte offset.
/// Only the formats of this crate implement the trait, and a program calls its methods without an
/// import.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// let model = meshpeek::open("data/secondlife/quad.llmesh")?;
/// for level in model.levels()? {
///     let level = level?;
///     println!("{} surfaces in {:?}", level.surfaces()?.len(), level.bounds()?);
/// }
/// # Ok(())
/// # }
/// ```
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait")]
pub trait Geometry: SurfaceArrays {
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
    /// be wrong in a damaged file. Otherwise, the result is the bounding box of the positions of
    /// the base shape.
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
    /// Returns the arrays that surfaces of the format may have, and that not every format has.
    #[doc(hidden)]
    fn extra_arrays(&self) -> &'static [ExtraArrayInfo] {
        &[]
    }
    /// Returns what the format computes from the vertex frames of the mesh, or `None` if the format
    /// does not store vertex frames.
    #[doc(hidden)]
    fn vertex_mesh(&self) -> Option<&dyn VertexMesh> {
        None
    }
}

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
