//! A surface with one index stream.

use super::indices::{IndexFormat, IndexSource};
use super::layout::VertexLayout;
use super::source::VertexSource;
use crate::error::Result;
use crate::error::debug::short_debug;
use crate::model::{Surface, Welded};

/// A surface with one index stream, as a GPU draws it. [`Surface::drawable`] returns it.
///
/// If the file stores two index streams, the value contains the result of welding them. Keep it for
/// several layouts or morph targets, so that the surface is welded once.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::gpu::{IndexFormat, Semantic, VertexFormat, VertexLayout};
///
/// let layout = VertexLayout::packed(&[
///     (Semantic::Position, VertexFormat::Float32x3),
///     (Semantic::Normal, VertexFormat::Snorm8x4),
/// ])?;
/// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// for surface in model.surfaces()? {
///     let drawable = surface.drawable()?;
///     let vertices = drawable.vertices(&layout)?;
///     let indices = drawable.indices(IndexFormat::for_vertices(vertices.vertex_count()))?;
///     let (mut front, mut back) = (vec![0; vertices.byte_len()], vec![0; indices.byte_len()]);
///     vertices.write_into(0..vertices.vertex_count(), &mut front)?;
///     indices.write_into(0..indices.index_count(), &mut back)?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Drawable<'a> {
    surface: Surface<'a>,
    welded: Option<Welded>,
}

short_debug!(Drawable<'_>: |drawable| { surface: drawable.surface, welded: drawable.welded });

impl<'a> Surface<'a> {
    /// Welds the surface if the file stores two index streams. Reads no index of a surface with a
    /// [single](Self::is_single_stream) one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`weld`](Self::weld).
    pub fn drawable(&self) -> Result<Drawable<'a>> {
        let welded = if self.is_single_stream()? { None } else { Some(self.weld()?) };
        Ok(Drawable { surface: *self, welded })
    }
}

impl<'a> Drawable<'a> {
    /// Takes a surface that was welded in another way, such as by
    /// [`weld_triangles`](Surface::weld_triangles) or [`weld_lossy`](Surface::weld_lossy).
    #[must_use]
    pub const fn with_weld(surface: Surface<'a>, welded: Welded) -> Self {
        Self { surface, welded: Some(welded) }
    }

    /// Returns the welded surface, or `None` if the file stores one index stream. Vertex *i* is
    /// then item *i* of each array of the surface.
    #[must_use]
    pub const fn welded(&self) -> Option<&Welded> {
        self.welded.as_ref()
    }

    /// Finds the arrays of the surface for its vertices in a layout.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if an array is shorter than the
    /// vertices, and the errors of the methods of [`Surface`] that find the arrays.
    pub fn vertices(&self, layout: &VertexLayout) -> Result<VertexSource<'_>> {
        match &self.welded {
            Some(welded) => VertexSource::welded(&self.surface, welded, layout),
            None => VertexSource::stored(&self.surface, layout),
        }
    }

    /// Finds the indices of the vertices.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::corners`] and [`Surface::positions`].
    pub fn indices(&self, format: IndexFormat) -> Result<IndexSource<'_>> {
        match &self.welded {
            Some(welded) => Ok(IndexSource::welded(&self.surface, welded, format)),
            None => IndexSource::stored(&self.surface, format),
        }
    }
}
