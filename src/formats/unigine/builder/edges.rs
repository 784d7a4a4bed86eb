//! The edges of triangles that stand out, which the engine marks for its collisions.
//!
//! Measured, to the bit, on every edge of the sample files: `f32` throughout, in this order, or edges of tiny triangles
//! come out the other way. None of those files has an edge of three triangles or a triangle without area; for these
//! the rules below are chosen, not measured.

use crate::math::{dot, facet};

/// How far from flat an edge has to be: of the normals' product below 1, and of the far corner below the plane.
const EPSILON: f32 = 1e-6;

/// Returns a byte for each triangle: bit *k* is set where the edge opposite corner *k* is a border or convex, and
/// clear where it is flat or concave. Edges are the same where their position numbers are.
///
/// An edge of three or more triangles counts as a border; a triangle that names a position twice has no edges.
/// Corners that are left over are passed over, and numbers that name no position lie nowhere: no edge of theirs is
/// convex. Sorts the edges: O(*n* log *n*).
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

/// One triangle's side of an edge.
#[derive(Clone, Copy)]
struct Side {
    /// The positions at its ends, the lower number first.
    ends: [u32; 2],
    /// The triangle's number.
    triangle: usize,
    /// The bit for this edge.
    bit: u8,
    /// The triangle's corners.
    corners: [u32; 3],
    /// The corner opposite.
    opposite: u32,
}

impl Side {
    fn corners(&self, positions: &[[f32; 3]]) -> [[f32; 3]; 3] {
        self.corners.map(|corner| position(positions, corner))
    }
}

/// Returns the sides of all triangles, those of one edge together, and of these the first triangle's first.
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

/// Tests whether the far corner of `other` lies below the plane of `one`, and the two are not flat.
///
/// Whoever has no area has no plane, and with it no convex edge: its normal is NaN, which is below nothing.
fn convex(one: [[f32; 3]; 3], other: [[f32; 3]; 3], apex: [f32; 3]) -> bool {
    let (normal, neighbor) = (normal(one), normal(other));
    let above = dot(normal, apex) - dot(normal, one[0]);
    dot(normal, neighbor) < 1.0 - EPSILON && above < -EPSILON
}

/// Returns the normal of a triangle as the engine rounds it.
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

    /// Corner bits of a box: x, y, z of 0 or 1 by the position's bits 2, 1, 0.
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
        // From inside, the cube's edges are concave.
        let inside: Vec<u32> = CUBE.as_chunks::<3>().0.iter().flat_map(|[a, b, c]| [*a, *c, *b]).collect();
        assert_eq!(edges(&cube(), &inside), [0; 12]);
        // Floor and wall of an L, and the same bent down: the edge between is that of positions 1 and 2.
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
        // No area: the edge that it shares is not convex, the others are borders.
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
