//! Computes edge records, which mark the borders and the convex edges of triangles. The engine uses
//! edge records for collisions.
//!
//! The rules were determined from the sample files, and the computed edge records of all their
//! edges are equal to the stored ones, bit for bit. All arithmetic uses `f32`, in the order of this
//! code. Another type or order would give different results for edges of tiny triangles. No sample
//! file has an edge of three triangles or a triangle without area. The rules for these two cases
//! are chosen, not measured.

use crate::math::{dot, facet};

/// The tolerance for a flat edge. An edge is convex only if the dot product of the two normals is
/// below 1 by more than this number, and if the far corner lies below the plane by more than this
/// number.
const EPSILON: f32 = 1e-6;

/// Returns the edge records of a list of triangles: one byte for each triangle.
///
/// Bit *k* of a triangle's byte is set if the edge opposite corner *k* is a border or convex, and
/// clear if that edge is flat or concave. Two triangles share an edge if the indices of its two
/// positions are equal in both triangles.
///
/// An edge of three or more triangles counts as a border. A triangle that refers to the same
/// position twice has no edges. Indices after the last complete triangle are ignored. An index that
/// refers to no position is treated as a position with NaN coordinates, therefore no edge of its
/// triangle is convex. The function sorts the edges, which takes O(*n* log *n*) time.
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

/// One edge of one triangle. An edge that two triangles share has two sides.
#[derive(Clone, Copy)]
struct Side {
    /// The indices of the positions at the two ends of the edge, the lower index first.
    ends: [u32; 2],
    /// The number of the triangle.
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

/// Returns the edges of all triangles, sorted by the indices of the two ends. Equal edges follow
/// each other, in the order of their triangles.
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

/// Returns whether the edge between two triangles is convex: `apex`, the far corner of `other`,
/// lies below the plane of `one`, and the two triangles are not flat.
///
/// A triangle without area has no plane, and therefore no convex edge. The normal of such a
/// triangle is NaN, and no comparison with NaN is true.
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

    /// The indices of a box. Bits 2, 1 and 0 of a position's index are its coordinates x, y and z,
    /// each 0 or 1.
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
        // Two quads that form an L, first bent up, then bent down. The edge between the two quads
        // has the positions 1 and 2.
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
        // One triangle has no area. The edge that it shares is not convex, and the other edges are
        // borders.
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
