//! Which side of the triangles of a surface is the front.
//!
//! Some files have triangles that are wound the other way than their format says. A picture shows
//! them right side out.

use crate::array::Array;
use crate::math::{add, as_index, dot, facet};
use crate::model::{Indices, Normals};
use crate::render::corners::CornerReader;

/// The number of triangles that are compared with their normals.
const TRIANGLES_TESTED: usize = 64;

/// Returns whether most triangles of a surface are wound the other way than their stored normals
/// say. `sign` is -1 if the format winds triangles clockwise, and 1 otherwise.
pub(crate) fn is_reversed(
    reader: &CornerReader<'_>,
    attributes: &Indices<'_>,
    normals: &Normals<'_>,
    sign: f32,
) -> bool {
    let count = reader.triangle_count();
    let step = (count / TRIANGLES_TESTED).max(1);
    let mut balance = 0_i32;
    for triangle in (0..count).step_by(step) {
        let corners = [0, 1, 2].map(|corner| triangle.saturating_mul(3).saturating_add(corner));
        let positions = corners.map(|corner| reader.positions.get(as_index(reader.indices.get(corner)?)));
        let normals = corners.map(|corner| normals.get(as_index(attributes.get(corner)?)));
        let ([Some(a), Some(b), Some(c)], [Some(p), Some(q), Some(r)]) = (positions, normals) else { continue };
        let agreement = dot(facet([a, b, c]), add(add(p, q), r)) * sign;
        balance = balance.saturating_add(i32::from(agreement > 0.0)).saturating_sub(i32::from(agreement < 0.0));
    }
    balance < 0
}
