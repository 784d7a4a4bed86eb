//! Welding a surface whose two index streams are equal: renumbering its indices with a table.

use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::corners::{Corner, Corners};
use crate::model::surface::Surface;
use crate::model::weld::reserve::filled;
use crate::model::weld::welded::Welded;

/// Marks an index that no corner has used yet. It is more than any vertex number, because there are
/// fewer than 2^32 vertices.
const UNUSED: u32 = u32::MAX;

/// Welds the corners of a surface whose two index streams are equal.
///
/// The time is linear in the number of corners and in `count`, the number of indices that are in
/// range. Returns `None` if an index is out of range.
pub(super) fn weld(surface: &Surface<'_>, corners: &Corners<'_>, count: usize) -> Result<Option<Welded>> {
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
