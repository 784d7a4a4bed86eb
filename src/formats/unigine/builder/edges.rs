//! Computes edge records: one byte per triangle, with a bit for each edge that is a border or
//! convex. The engine uses edge records for collisions.
//!
//! The rules for borders and convex edges were determined from the sample files. For all sample
//! files, the computed edge records are equal to the stored edge records, bit for bit. The normals
//! and dot products are computed with `f32`, in the same order of operations as in the engine.
//! Computing the normals and dot products with `f64` or in another order of operations would give
//! different edge records for tiny triangles. The rules for an edge that three triangles share and
//! for a triangle without area are not derived from files, because no sample file has such an edge
//! or triangle.

// Rule: this file sorts and maps by copies only.

use crate::math::{dot, facet};

/// The tolerance of the test for a convex edge. The edge between two triangles is convex only if
/// the dot product of the two unit normals is less than 1 - `EPSILON`, and if the corner of the
/// second triangle that is not on the edge lies more than `EPSILON` below the plane of the first
/// triangle.
const EPSILON: f32 = 1e-6;

/// Returns the edge records of the triangles in an index buffer: one byte for each triangle.
///
/// Bit *k* of a triangle's edge record is set if the edge opposite corner *k* is a border or
/// convex, and clear if that edge is flat or concave. Two triangles share an edge if both triangles
/// contain the same two position indices.
///
/// An edge of three or more triangles counts as a border. A triangle that refers to the same
/// position twice has no edges. If the number of indices is not a multiple of three, the last one
/// or two indices are ignored. An index that is out of range is treated as a position with NaN
/// coordinates, and no edge of a triangle with such an index is convex. Sorting the edges takes
/// O(*n* log *n*) time for *n* triangles.
pub(crate) fn edges(positions: &[[f32; 3]], indices: &[u32]) -> Vec<u8> {
    let triangles = indices.as_chunks::<3>().0;
    let mut bytes = vec![0; triangles.len()];
    let sides = sides(triangles);
    for group in sides.chunk_by(|one, other| one.ends == other.ends) {
        let marked = match group {
            [one, other] => {
                convex(one.corners(positions), other.corners(positions), position(positions, other.opposite))
            }
            _ => true,
        };
        for side in group {
            if let Some(byte) = bytes.get_mut(side.triangle).filter(|_| marked) {
                *byte |= side.bit;
            }
        }
    }
    bytes
}

/// One edge of one triangle. If two triangles share an edge, there is one `Side` for each of the
/// two triangles.
#[derive(Clone, Copy)]
struct Side {
    /// The indices of the positions at the two ends of the edge, the lower index first.
    ends: [u32; 2],
    /// The index of the triangle.
    triangle: usize,
    /// The bit of this edge in the edge record of the triangle.
    bit: u8,
    /// The position indices of the three corners of the triangle.
    corners: [u32; 3],
    /// The position index of the corner opposite the edge.
    opposite: u32,
}

impl Side {
    fn corners(&self, positions: &[[f32; 3]]) -> [[f32; 3]; 3] {
        self.corners.map(|corner| position(positions, corner))
    }
}

/// Returns the three edges of every triangle, sorted by the position indices of the two ends. Edges
/// with the same two ends are adjacent, in ascending order of the triangle index.
fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(triangles.len().saturating_mul(3));
    for (triangle, corners) in triangles.iter().enumerate() {
        let [a, b, c] = *corners;
        if a == b || b == c || c == a {
            continue;
        }
        for (bit, opposite, one, other) in [(1, a, b, c), (2, b, c, a), (4, c, a, b)] {
            sides.push(Side { ends: [one.min(other), one.max(other)], triangle, bit, corners: *corners, opposite });
        }
    }
    sides.sort_unstable_by_key(|side| (side.ends, side.triangle));
    sides
}

/// Returns whether the edge between the triangles `one` and `other` is convex.
///
/// The edge is convex if two conditions hold: `apex`, the corner of `other` that is not on the
/// edge, lies below the plane of `one`, and the two triangles do not lie in one plane.
///
/// A triangle without area has no normal, and therefore no convex edge. The computed normal of a
/// triangle without area is NaN, and no comparison with NaN is true, hence this function returns
/// `false`.
fn convex(one: [[f32; 3]; 3], other: [[f32; 3]; 3], apex: [f32; 3]) -> bool {
    let (normal, neighbor) = (normal(one), normal(other));
    let above = dot(normal, apex) - dot(normal, one[0]);
    dot(normal, neighbor) < 1.0 - EPSILON && above < -EPSILON
}

/// Returns the unit normal of a triangle, with the same rounding as in the engine.
fn normal(corners: [[f32; 3]; 3]) -> [f32; 3] {
    let facet = facet(corners);
    let scale = 1.0 / dot(facet, facet).sqrt();
    facet.map(|part| part * scale)
}

fn position(positions: &[[f32; 3]], number: u32) -> [f32; 3] {
    usize::try_from(number).ok().and_then(|number| positions.get(number)).copied().unwrap_or([f32::NAN; 3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index buffer of a cube with 12 triangles. Bits 2, 1 and 0 of the index of a position are
    /// the coordinates x, y and z of this position, each 0 or 1.
    const CUBE: [u32; 36] =
        [6, 7, 5, 5, 4, 6, 0, 1, 3, 3, 2, 0, 2, 3, 7, 7, 6, 2, 4, 5, 1, 1, 0, 4, 3, 1, 5, 5, 7, 3, 0, 2, 6, 6, 4, 0];

    fn cube() -> Vec<[f32; 3]> {
        let one = |number: u8, bit: u8| f32::from(number / bit % 2);
        (0..8).map(|number| [one(number, 4), one(number, 2), one(number, 1)]).collect()
    }

    #[test]
    fn marks_all_of_a_cube_but_the_diagonals() {
        assert_eq!(edges(&cube(), &CUBE), [5; 12]);
    }

    #[test]
    fn marks_no_concave_edge() {
        // Seen from inside, the edges of the cube are concave.
        let inside: Vec<u32> = CUBE.as_chunks::<3>().0.iter().flat_map(|[a, b, c]| [*a, *c, *b]).collect();
        assert_eq!(edges(&cube(), &inside), [0; 12]);
        // Two triangles share the edge from position 1 to position 2. Position 3, a corner of the
        // second triangle, lies above the plane of the first triangle for the height 1, and below
        // this plane for the height -1.
        let stair = |height: f32| [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, height]];
        assert_eq!(edges(&stair(1.0), &[0, 1, 2, 1, 3, 2]), [6, 5]);
        assert_eq!(edges(&stair(-1.0), &[0, 1, 2, 1, 3, 2]), [7, 7]);
    }

    #[test]
    fn marks_the_borders_of_a_flat_quad() {
        let quad = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(edges(&quad, &[0, 1, 2, 0, 2, 3]), [5, 3]);
    }

    #[test]
    fn tells_flat_from_nearly_flat() {
        let bent = |height: f32| [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, height]];
        assert_eq!(edges(&bent(-0.001), &[0, 1, 2, 1, 3, 2]), [6, 5]);
        assert_eq!(edges(&bent(-0.002), &[0, 1, 2, 1, 3, 2]), [7, 7]);
    }

    #[test]
    fn marks_an_edge_of_three() {
        let fan = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
        assert_eq!(edges(&fan, &[0, 1, 2, 0, 1, 3, 0, 1, 4]), [7; 3]);
        assert_eq!(edges(&fan, &[0, 1, 2, 0, 1, 2, 0, 1, 2]), [7; 3]);
    }

    #[test]
    fn gives_degenerate_triangles_no_edge() {
        let line = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(edges(&line, &[0, 0, 1, 2, 2, 2, 0, 1, 3]), [0, 0, 7]);
        // The first of the two triangles in this index buffer has no area. Because the first
        // triangle has no area, the edge between the two triangles is not convex; all other edges
        // are borders.
        assert_eq!(edges(&line, &[0, 1, 2, 0, 2, 3]), [5, 3]);
    }

    #[test]
    fn takes_what_is_nowhere() {
        assert!(edges(&[], &[]).is_empty());
        assert!(edges(&[[0.0; 3]], &[0, 1]).is_empty());
        assert_eq!(edges(&[], &[0, 1, 2, 0, 2, u32::MAX]), [5, 3]);
        assert_eq!(edges(&[[f32::NAN; 3]; 4], &[0, 1, 2, 0, 2, 3, 1]), [5, 3]);
        assert_eq!(edges(&[[f32::MAX; 3]; 4], &[0, 1, 2, 0, 2, 3]), [5, 3]);
    }
}
