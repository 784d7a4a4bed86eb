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
pub fn edges(positions: &[[f32; 3]], indices: &[u32]) -> Vec<u8> {
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
    let [first, second, third] = corners;
    let subtract = |[ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]| [ax - bx, ay - by, az - bz];
    let ([ax, ay, az], [bx, by, bz]) = (subtract(second, first), subtract(third, first));
    let facet = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    let scale = 1.0 / dot(facet, facet).sqrt();
    facet.map(|part| part * scale)
}

fn position(positions: &[[f32; 3]], number: u32) -> [f32; 3] {
    usize::try_from(number).ok().and_then(|number| positions.get(number)).copied().unwrap_or([f32::NAN; 3])
}

fn dot([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f32 {
    ax * bx + ay * by + az * bz
}
