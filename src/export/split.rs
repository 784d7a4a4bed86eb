//! Vertices with computed normals: a vertex at a crease becomes one for each of its normals.

use super::vertices::VertexOrder;
use crate::math::as_index;
use crate::model::Welded;

/// The greatest number of normals of a vertex that are compared. Other corners get vertices of
/// their own.
const MAX_COMPARED: usize = 64;
/// The number of a vertex or corner that does not exist.
const NONE: u32 = u32::MAX;

/// The vertices of a part of a surface.
pub(crate) struct PartVertices {
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

impl PartVertices {
    /// Returns the memory that the vertices take, in bytes.
    pub(crate) fn byte_len(&self) -> usize {
        let normals = self.normals.as_ref().map_or(0, |normals| normals.corners.len().saturating_mul(16));
        self.order.byte_len().saturating_add(normals)
    }
}

impl PartNormals {
    /// Splits the vertices of a welded part whose corners have different normals. `normals` has the
    /// normal of each corner of the surface, and `triangle` returns the number in the surface of a
    /// triangle of the part.
    pub(crate) fn split(welded: &mut Welded, normals: &[[f32; 3]], triangle: impl Fn(u32) -> u32) -> Self {
        let count = welded.vertices.len();
        let mut split = Self { values: vec![[0.0; 3]; count], corners: vec![NONE; count] };
        // For each vertex the next one with the same position and attributes.
        let mut next = vec![NONE; count];
        for (number, indices) in (0..=u32::MAX).zip(welded.indices.as_chunks_mut::<3>().0) {
            let first = triangle(number).saturating_mul(3);
            for (index, corner) in indices.iter_mut().zip(first..=u32::MAX) {
                let normal = normals.get(as_index(corner)).copied().unwrap_or_default();
                let found = split.find(*index, &next, normal);
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

    /// Returns the vertex of a list that has a normal or none yet, or the last compared one.
    fn find(&self, first: u32, next: &[u32], normal: [f32; 3]) -> Result<u32, u32> {
        let mut vertex = first;
        for _ in 0..MAX_COMPARED {
            let is_new = self.corners.get(as_index(vertex)).is_none_or(|corner| *corner == NONE);
            let value = self.values.get(as_index(vertex)).copied().unwrap_or_default();
            if is_new || value.map(f32::to_bits) == normal.map(f32::to_bits) {
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
