//! Welding: converting the two index streams of a surface to a single index stream.

mod direct;
mod gather;
mod merge;
mod reserve;
mod welded;

pub use gather::VertexArray;
pub use welded::Welded;

use crate::array::Array;
use crate::error::{ErrorKind, Result};
use crate::math::{as_index, as_u64};
use crate::model::attributes::Indices;
use crate::model::corners::Corners;
use crate::model::geometry::Counts;
use crate::model::surface::Surface;

impl Surface<'_> {
    /// Converts the surface to vertices with a single index stream, as GPUs use. [`Welded`]
    /// documents the result and the cost.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`corners`](Self::corners) and [`positions`](Self::positions). Returns
    /// [`ErrorKind::Value`] if one of the two indices of a corner is out of range, and
    /// [`ErrorKind::OutOfMemory`] if an allocation fails.
    pub fn weld(&self) -> Result<Welded> {
        weld(self, &self.corners()?, self.counts()?)
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
        && let Some(welded) = direct::weld(surface, corners, vertices)?
    {
        return Ok(welded);
    }
    check_indices(surface, corners.positions(), "indices", counts.vertices)?;
    check_indices(surface, corners.attributes(), "attribute_indices", counts.attribute_vertices)?;
    merge::weld(surface, corners, counts.attribute_vertices)
}

/// Returns an error if an index in an index stream is not below `count`.
fn check_indices(surface: &Surface<'_>, stream: Indices<'_>, name: &'static str, count: u32) -> Result<()> {
    let Some((corner, index)) = stream.first_out_of_range(count) else { return Ok(()) };
    let into = as_u64(stream.byte_offset(corner));
    let kind = ErrorKind::Value {
        expected: format!("an index below {count}").into(),
        found: format!("{index} at corner {corner}").into(),
    };
    Err(surface.geometry.fault(surface.index, name, into, kind))
}
