//! Welding a surface in which every attribute vertex belongs to one position, as most exporters write
//! it: numbering the attribute vertices with a table, without a sort.

use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::corners::{Corner, Corners};
use crate::model::surface::Surface;
use crate::model::weld::reserve::{filled, push, reserve};
use crate::model::weld::welded::Welded;

/// Marks an attribute index that no corner has used yet. It is more than any vertex number, because
/// there are fewer than 2^32 vertices.
const UNUSED: u32 = u32::MAX;

/// The greatest number of entries of the table for each corner. A larger table would take more
/// memory than a sort.
const MAX_ENTRIES_PER_CORNER: usize = 4;

/// Welds the corners of a surface.
///
/// The time is linear in the number of corners. Returns `None` if two corners use one attribute
/// vertex with different positions, or if the attribute indices are too far apart for a table.
pub(super) fn weld(surface: &Surface<'_>, corners: &Corners<'_>) -> Result<Option<Welded>> {
    let (first, last) =
        corners.attributes().iter().fold((u32::MAX, 0), |(first, last), index| (first.min(index), last.max(index)));
    let span = as_index(last.saturating_sub(first)).saturating_add(1);
    if first > last || span > corners.len().saturating_mul(MAX_ENTRIES_PER_CORNER) {
        return Ok(None);
    }
    let mut numbers = filled(surface, span, UNUSED)?;
    let mut welded = Welded { vertices: Vec::new(), indices: reserve(surface, corners.len())? };
    for corner in corners {
        let Some(number) = numbers.get_mut(as_index(corner.attribute.wrapping_sub(first))) else { return Ok(None) };
        if *number == UNUSED {
            *number = u32::try_from(welded.vertices.len()).unwrap_or(UNUSED);
            push(surface, &mut welded.vertices, corner)?;
        } else if welded
            .vertices
            .get(as_index(*number))
            .is_none_or(|vertex: &Corner| vertex.position != corner.position)
        {
            return Ok(None);
        }
        welded.indices.push(*number);
    }
    Ok(Some(welded))
}
