//! Finds stored normals that say nothing: all are equal, but the triangles face other ways.

use super::attributes::{Indices, NormalEncoding, Normals, Positions};
use super::surface::Surface;
use crate::array::Array;
use crate::error::Result;
use crate::math::{as_index, dot, facet, subtract};

/// The greatest difference of the components of normals that are equal but for rounding.
const ROUNDING: f32 = 1.0 / 256.0;
/// The least cosine of the angle between a normal and a triangle that faces its way: that of 5
/// degrees.
const FACING: f64 = 0.996;
/// The part of the area of a surface that may face other ways, such as rounded slivers.
const TURNED: f64 = 1e-3;

/// The text of the finding of each format.
pub(crate) const SAME_NORMALS: &str = "all normals are equal, but triangles face other ways";

/// Returns whether the normals of all corners are equal, but for rounding, and triangles face in
/// other directions.
///
/// The normals of the corners are read until the first that differs, so sound normals cost nearly
/// nothing. Triangles are read only if all normals are equal. A triangle that faces the opposite
/// way counts as one that faces the way of the normals: it may be the back of a sheet.
pub(crate) fn are_meaningless(
    normals: &Normals<'_>,
    positions: &Positions<'_>,
    indices: &Indices<'_>,
    attribute_indices: &Indices<'_>,
) -> bool {
    let normal = |corner: usize| normals.get(as_index(attribute_indices.get(corner)?));
    let Some(first) = normal(0) else { return false };
    let is_equal = |other: [f32; 3]| subtract(other, first).iter().all(|part| part.abs() <= ROUNDING);
    let corners = indices.len().min(attribute_indices.len());
    if !(0..corners).all(|corner| normal(corner).is_none_or(is_equal)) {
        return false;
    }
    let first = first.map(f64::from);
    let length = dot(first, first).sqrt();
    let (mut area, mut turned) = (0.0, 0.0);
    for triangle in 0..corners / 3 {
        let start = triangle.saturating_mul(3);
        let position = |corner: usize| positions.get(as_index(indices.get(start.saturating_add(corner))?));
        let (Some(a), Some(b), Some(c)) = (position(0), position(1), position(2)) else { continue };
        let facet = facet([a, b, c]).map(f64::from);
        let size = dot(facet, facet).sqrt();
        if !size.is_finite() {
            continue;
        }
        area += size;
        if dot(facet, first).abs() < FACING * size * length || length == 0.0 {
            turned += size;
        }
    }
    turned > TURNED * area
}

impl Surface<'_> {
    /// Returns whether the surface has stored normals that say nothing, which are computed instead.
    ///
    /// Packed normals, such as those of tangent frames, were written by an engine or an uploader:
    /// equal ones may be meant, as those of grass are.
    pub(crate) fn has_meaningless_normals(&self) -> Result<bool> {
        let is_float = |normals: &Normals<'_>| matches!(normals.0, NormalEncoding::F32(_) | NormalEncoding::Strided(_));
        let Some(normals) = self.normals()?.filter(is_float) else { return Ok(false) };
        Ok(are_meaningless(&normals, &self.positions()?, &self.indices()?, &self.attribute_indices()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Packed;
    use crate::decode::{Floats, Index};
    use crate::model::{IndexEncoding, PositionEncoding};
    use zerocopy::little_endian::U32;

    /// Tests triangles of three positions each. Each position has one normal.
    fn tested(triangles: &[([[f32; 3]; 3], [f32; 3])]) -> bool {
        let raw = |vectors: Vec<[f32; 3]>| vectors.into_iter().map(|vector| vector.map(Into::into)).collect::<Vec<_>>();
        let positions = raw(triangles.iter().flat_map(|(corners, _)| *corners).collect());
        let normals = raw(triangles.iter().flat_map(|(_, normal)| [*normal; 3]).collect());
        let indices: Vec<U32> = (0..).map(U32::new).take(positions.len()).collect();
        let indices = Indices(IndexEncoding::U32(Packed::new(&indices, Index::new())));
        let normals = Normals(NormalEncoding::F32(Packed::new(&normals, Floats)));
        let positions = Positions(PositionEncoding::F32(Packed::new(&positions, Floats)));
        are_meaningless(&normals, &positions, &indices, &indices)
    }

    const UP: [f32; 3] = [0.0, 0.0, 1.0];
    const FLOOR: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    const CEILING: [[f32; 3]; 3] = [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]];
    const WALL: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn equal_normals_say_nothing_if_a_triangle_faces_another_way() {
        assert!(tested(&[(FLOOR, UP), (WALL, UP)]));
        assert!(tested(&[(WALL, UP)]));
        assert!(tested(&[(FLOOR, [0.0; 3])]), "normals without a direction");
        for sound in [
            &[][..],
            &[(FLOOR, UP)],
            &[(FLOOR, UP), (CEILING, UP)],
            &[(FLOOR, UP), (WALL, [0.0, -1.0, 0.0])],
            &[(FLOOR, UP), (WALL, [0.0, 0.01, 1.0])],
            &[(FLOOR, UP), ([[0.0; 3]; 3], UP)],
            &[(FLOOR, UP), ([[f32::NAN; 3]; 3], UP)],
            &[(WALL, [f32::NAN; 3])],
        ] {
            assert!(!tested(sound), "{sound:?}");
        }
    }

    #[test]
    fn slopes_and_slivers_are_told_apart() {
        let slope = |height: f32| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, height]];
        assert!(!tested(&[(slope(0.05), UP)]) && tested(&[(slope(0.12), UP)]));
        let sliver = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 1e-4]];
        assert!(!tested(&[(FLOOR, UP), (sliver, UP)]));
        let far = f32::MAX;
        assert!(!tested(&[(FLOOR, UP), ([[-far, 0.0, 0.0], [far, 0.0, 0.0], [0.0, 0.0, far]], UP)]));
    }
}
