//! Welding a surface in which every attribute vertex belongs to one position, as most exporters
//! write it: numbering the attribute vertices with a table, without a sort.

use crate::array::Array;
use crate::error::Result;
use crate::math::as_index;
use crate::model::corners::{Corner, Corners};
use crate::model::surface::Surface;
use crate::model::weld::attribute_order::least_and_greatest;
use crate::model::weld::reserve::{filled, reserve};
use crate::model::weld::welded::Welded;

/// Marks an attribute index that no corner has used yet. It is more than any vertex number, because
/// there are fewer than 2^32 vertices.
const UNUSED: u32 = u32::MAX;

/// Welds the corners of a surface.
///
/// The time is linear in the number of corners. Returns `None` if two corners use one attribute
/// vertex with different positions, or if the attribute indices are
/// farther apart than there are corners, because the table would then take more memory than a sort.
pub(super) fn weld(surface: &Surface<'_>, corners: &Corners<'_>) -> Result<Option<Welded>> {
    let mut indices = filled(surface, corners.len(), 0)?;
    corners.attributes().decode_into(&mut indices)?;
    let (first, last) = least_and_greatest(&indices);
    let span = as_index(last.saturating_sub(first)).saturating_add(1);
    if first > last || span > corners.len() {
        return Ok(None);
    }
    let mut table = Table { first, numbers: filled(surface, span, UNUSED)?, vertices: reserve(surface, span)? };
    let (mut positions, mut rest) = (corners.positions().chunks(), indices.as_mut_slice());
    while let Some(positions) = positions.next() {
        let (part, after) = rest.split_at_mut_checked(positions.len()).unwrap_or_default();
        rest = after;
        if !table.renumber(positions, part) {
            return Ok(None);
        }
    }
    Ok(Some(Welded { vertices: table.vertices, indices }))
}

/// The vertices that were found until now.
struct Table {
    /// The least attribute index.
    first: u32,
    /// The number of the vertex of each attribute index, from `first` on.
    numbers: Vec<u32>,
    /// The vertices. They have room for one vertex of each attribute index.
    vertices: Vec<Corner>,
}

impl Table {
    /// Replaces the attribute index of each corner by the number of its vertex. Returns `false` if
    /// an attribute vertex has two positions.
    fn renumber(&mut self, positions: &[u32], attributes: &mut [u32]) -> bool {
        for (position, index) in positions.iter().zip(attributes) {
            let Some(number) = self.numbers.get_mut(as_index(index.wrapping_sub(self.first))) else { return false };
            if *number == UNUSED {
                *number = u32::try_from(self.vertices.len()).unwrap_or(UNUSED);
                self.vertices.push(Corner { position: *position, attribute: *index });
            } else if self.vertices.get(as_index(*number)).is_none_or(|vertex| vertex.position != *position) {
                return false;
            }
            *index = *number;
        }
        true
    }
}
