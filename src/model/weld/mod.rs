//! Welding: converting the two index streams of a surface to a single index stream.

mod attribute_order;
mod gather;
mod lossy;
mod merge;
mod reserve;

pub use gather::{VertexArray, Welded};
#[cfg(feature = "internals")]
pub use lossy::InvalidIndex;
pub use lossy::Omitted;

use std::ops::Range;

use crate::array::Array;
use crate::error::{Cause, Result};
use crate::math::{as_index, as_u64};
use crate::model::attributes::Indices;
use crate::model::corners::{Corner, Corners};
use crate::model::surface::{Counts, Surface};
use reserve::filled;

/// Marks an index that no corner has used yet. It is more than any vertex number, because there are
/// fewer than 2^32 vertices.
const UNUSED: u32 = u32::MAX;

impl Surface<'_> {
    /// Converts the surface to vertices with a single index stream, as GPUs use. [`Welded`]
    /// documents the result and the cost.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`corners`](Self::corners) and [`positions`](Self::positions). Returns
    /// [`ErrorKind::Value`] if one of the two indices of a corner is out of range, and
    /// [`ErrorKind::OutOfMemory`] if an allocation fails. [`weld_lossy`](Self::weld_lossy) leaves
    /// out triangles with an index that is out of range.
    ///
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    /// [`ErrorKind::OutOfMemory`]: crate::ErrorKind::OutOfMemory
    pub fn weld(&self) -> Result<Welded> {
        weld(self, &self.corners()?, self.counts()?)
    }

    /// Converts some triangles of the surface like [`weld`](Self::weld): the result contains only
    /// these triangles and the vertices that they use. Triangles after the last one are ignored.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let model = meshpeek::open("data/unigine/cube_ms13.mesh")?;
    /// let welded = model.surface(0)?.weld_triangles(2..4)?;
    /// assert_eq!((welded.indices.len(), welded.vertices.len()), (6, 4));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`weld`](Self::weld).
    pub fn weld_triangles(&self, triangles: Range<u32>) -> Result<Welded> {
        weld(self, &self.corners_of(triangles)?, self.counts()?)
    }

    /// Converts some triangles of the surface like [`weld_triangles`](Self::weld_triangles), but in
    /// any order of the vertices. The order of the attribute vertices in the file is preferred,
    /// because it takes less time, and the attributes can then be read in order.
    pub(crate) fn weld_in_any_order(&self, triangles: Range<u32>) -> Result<Welded> {
        let (corners, counts) = (self.corners_of(triangles)?, self.counts()?);
        if merge::byte_uvs(self)?.is_none()
            && let Some(welded) = attribute_order::weld(self, &corners, counts)?
        {
            return Ok(welded);
        }
        weld(self, &corners, counts)
    }

    /// Returns the corners of some triangles.
    fn corners_of(&self, triangles: Range<u32>) -> Result<Corners<'_>> {
        let corners = self.corners()?;
        let [start, end] = [triangles.start, triangles.end].map(|at| as_index(at).saturating_mul(3).min(corners.len()));
        Ok(corners.slice(start..end.max(start)).unwrap_or(corners))
    }

    /// Converts the surface to vertices with a single index stream like [`weld`](Self::weld), but
    /// leaves out damaged triangles. Returns the welded surface, and the numbers of the triangles
    /// that were left out, in ascending order.
    ///
    /// A triangle is left out if one of its indices is out of range or missing. The other triangles
    /// stay in file order. Indices after the last whole triangle, and attribute indices beyond the
    /// position indices, are left out, too, and are not in the list. If `weld` returns no error,
    /// the result is equal to its result, and takes the same time. Otherwise 8 bytes per corner of
    /// additional memory are needed during the call.
    ///
    /// The number in the file of a triangle of the result is its number in the result, plus 1 for
    /// each number in the list that is not above the sum, in ascending order.
    ///
    /// [Queries](crate::query::Scene) ignore triangles with a position index that is out of range.
    /// In contrast to `weld_lossy`, they also ignore triangles with a coordinate that is not finite
    /// or beyond ±2^60, and do not ignore triangles because of an attribute index.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// let file = "<MeshSystem><Meshes><Mesh>
    ///     <vertexbuffer count='3' ctype='fff' semantic='position'>0 0 0  1 0 0  0 1 0</vertexbuffer>
    ///     <MeshSection><indexbuffer triangle_count='2'>0 1 9  0 1 2</indexbuffer></MeshSection>
    ///     </Mesh></Meshes></MeshSystem>";
    /// let mesh = meshpeek::Model::open(file)?;
    /// let surface = mesh.surface(0)?;
    /// assert!(surface.weld().is_err()); // The first triangle has the index 9.
    /// let (welded, left_out) = surface.weld_lossy()?;
    /// assert_eq!((welded.indices, left_out), (vec![0, 1, 2], vec![0]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the index streams, the positions or the lengths of the arrays cannot be
    /// read, and [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if an allocation fails.
    pub fn weld_lossy(&self) -> Result<(Welded, Vec<u32>)> {
        self.weld_reported().map(|(welded, omitted)| (welded, omitted.triangles))
    }

    /// Converts the surface like [`weld_lossy`](Self::weld_lossy), with a report of what was left
    /// out.
    pub(crate) fn weld_reported(&self) -> Result<(Welded, Omitted)> {
        match self.weld() {
            Ok(welded) => Ok((welded, Omitted::default())),
            Err(error) if matches!(error.cause(), Cause::Value { .. }) => {
                let (kept, omitted) = lossy::valid_triangles(self)?;
                Ok((weld(self, &kept.corners(), self.counts()?)?, omitted))
            }
            Err(error) => Err(error),
        }
    }
}

fn weld(surface: &Surface<'_>, corners: &Corners<'_>, counts: Counts) -> Result<Welded> {
    // The number of vertices is only known to be right if the positions can be read.
    surface.positions()?;
    let vertices = as_index(counts.vertices.min(counts.attribute_vertices));
    // If many surfaces share their vertices, welding one surface must not take time in proportion
    // to the number of all vertices.
    if corners.len() >= vertices / 8
        && corners.has_equal_streams()
        && let Some(welded) = weld_equal_streams(surface, corners, vertices)?
    {
        return Ok(welded);
    }
    check_indices(surface, corners.positions(), "indices", counts.vertices)?;
    check_indices(surface, corners.attributes(), "attribute_indices", counts.attribute_vertices)?;
    merge::weld(surface, corners, counts.attribute_vertices)
}

/// Welds the corners of a surface whose two index streams are equal.
///
/// The time is linear in the number of corners and in `count`, the number of indices that are in
/// range. Returns `None` if an index is out of range.
fn weld_equal_streams(surface: &Surface<'_>, corners: &Corners<'_>, count: usize) -> Result<Option<Welded>> {
    let mut indices = filled(surface, corners.len(), 0)?;
    corners.positions().decode_into(&mut indices)?;
    let mut numbers = filled(surface, count, UNUSED)?;
    let Some(used) = renumber(&mut indices, &mut numbers) else { return Ok(None) };
    let mut vertices = filled(surface, used, Corner::default())?;
    for (number, index) in numbers.iter().zip(0_u32..) {
        if let Some(vertex) = vertices.get_mut(as_index(*number)) {
            *vertex = Corner { position: index, attribute: index };
        }
    }
    Ok(Some(Welded { vertices, indices }))
}

/// Replaces each index by its number in the order of first use, and returns the number of different
/// indices. Returns `None` if an index is out of range in `numbers`.
///
/// Afterwards `numbers` contains the number of each index that is used.
fn renumber(indices: &mut [u32], numbers: &mut [u32]) -> Option<usize> {
    let mut next = 0_u32;
    for index in indices {
        let number = numbers.get_mut(as_index(*index))?;
        if *number == UNUSED {
            *number = next;
            next = next.saturating_add(1);
        }
        *index = *number;
    }
    Some(as_index(next))
}

/// Returns an error if an index in an index stream is not below `count`.
fn check_indices(surface: &Surface<'_>, stream: Indices<'_>, name: &'static str, count: u32) -> Result<()> {
    let Some((corner, index)) = stream.first_out_of_range(count) else { return Ok(()) };
    let into = as_u64(stream.byte_offset(corner));
    let kind = Cause::value(format!("an index below {count}"), format!("{index} at corner {corner}"));
    Err(surface.fault_at(name, into, kind))
}
