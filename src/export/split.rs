//! Vertices with computed normals: a vertex at a crease becomes one for each of its normals.

use super::vertices::VertexOrder;
use crate::math::as_index;
use crate::model::Welded;
use crate::scene::normals::CornerGroups;

/// The greatest number of normals of a vertex that are compared. Other corners get vertices of
/// their own.
const MAX_COMPARED: usize = 64;
/// The number of a vertex or corner that does not exist.
const NONE: u32 = u32::MAX;

/// The vertices of a part of a surface.
pub(crate) struct WrittenPart {
    pub(crate) order: VertexOrder,
    /// The normals of the vertices, if they are computed.
    pub(crate) normals: Option<PartNormals>,
}

/// The computed normals of the vertices of a part.
#[derive(Default)]
pub(crate) struct PartNormals {
    /// The normal of each vertex, in the conventions of the output.
    pub(crate) values: Vec<[f32; 3]>,
    /// The number of a corner of each vertex in the surface.
    pub(crate) corners: Vec<u32>,
}

impl WrittenPart {
    /// Returns the memory that the vertices take, in bytes.
    pub(crate) fn byte_len(&self) -> usize {
        let normals = self.normals.as_ref().map_or(0, |normals| normals.corners.len().saturating_mul(16));
        self.order.byte_len().saturating_add(normals)
    }
}

impl PartNormals {
    /// Splits the vertices of a welded part whose corners have different normals, or would have
    /// them in another shape. `corners` has all corners of the surface, and `triangle` returns the
    /// number in the surface of a triangle of the part.
    pub(crate) fn split(welded: &mut Welded, corners: &CornerGroups, triangle: impl Fn(u32) -> u32) -> Self {
        let count = welded.vertices.len();
        let mut split = Self { values: vec![[0.0; 3]; count], corners: vec![NONE; count] };
        // For each vertex the next one with the same position and attributes.
        let mut next = vec![NONE; count];
        for (number, indices) in (0..=u32::MAX).zip(welded.indices.as_chunks_mut::<3>().0) {
            let first = triangle(number).saturating_mul(3);
            for (index, corner) in indices.iter_mut().zip(first..=u32::MAX) {
                let normal = corners.normals.get(as_index(corner)).copied().unwrap_or_default();
                let found = split.find(*index, &next, corners, corner);
                *index = match found {
                    Ok(vertex) => vertex,
                    Err(last) => {
                        let new = u32::try_from(welded.vertices.len()).unwrap_or(NONE);
                        welded.vertices.push(welded.vertices.get(as_index(last)).copied().unwrap_or_default());
                        split.values.push(normal);
                        split.corners.push(NONE);
                        let after = next.get(as_index(last)).copied().unwrap_or(NONE);
                        next.push(after);
                        next.iter_mut().skip(as_index(last)).take(1).for_each(|next| *next = new);
                        new
                    }
                };
                if let Some(known) = split.corners.get_mut(as_index(*index)).filter(|known| **known == NONE) {
                    *known = corner;
                    split.values.iter_mut().skip(as_index(*index)).take(1).for_each(|value| *value = normal);
                }
            }
        }
        split
    }

    /// Returns the vertex of a list that has the normals of a corner or none yet, or the last
    /// compared one.
    fn find(&self, first: u32, next: &[u32], corners: &CornerGroups, corner: u32) -> Result<u32, u32> {
        let mut vertex = first;
        for _ in 0..MAX_COMPARED {
            let known = self.corners.get(as_index(vertex)).copied().unwrap_or(NONE);
            if known == NONE || corners.are_equal(known, corner) {
                return Ok(vertex);
            }
            match next.get(as_index(vertex)) {
                Some(after) if *after != NONE => vertex = *after,
                _ => break,
            }
        }
        Err(vertex)
    }
}
