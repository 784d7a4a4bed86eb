//! The neighbours of the triangles of a surface: the triangle on the other side of each edge.

// Rule: this file sorts and maps by copies only.

use crate::bvh::reserve::try_with_capacity;
use crate::bvh::triangles::Triangles;
use crate::error::debug::short_debug;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_index;

/// The maximum number of triangles. The index of an edge, 4 times the index of its triangle plus 0,
/// 1 or 2, then has 31 bits.
const MAX_TRIANGLES: u32 = 1 << 29;
/// The mark of an edge without a neighbour.
const BOUNDARY: u32 = u32::MAX;
/// The mark of an edge that cannot be joined, because it does not belong to exactly two triangles
/// with opposite directions.
const NON_MANIFOLD: u32 = u32::MAX - 1;

/// The neighbours of the triangles of a surface: for each edge of a triangle, the triangle on the
/// other side.
///
/// The three edges of a triangle are numbered like its corners: edge 0 runs from corner 0 to corner
/// 1, edge 1 from corner 1 to corner 2, and edge 2 from corner 2 to corner 0. Two triangles are
/// neighbours if they share an edge, run through it in opposite directions, and no third triangle
/// has this edge. Triangles that queries ignore, and triangles that have a corner twice, have no
/// neighbours.
///
/// Positions decide, so seams of UVs and of normals separate no triangles. An adjacency takes 12
/// bytes for each triangle. Making it takes `O(n log n)` time, and 36 more bytes for each triangle
/// during the call.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::query::{Adjacency, Triangles};
///
/// let mesh = meshpeek::open("data/unigine/cube_ms13.mesh")?;
/// let triangles = Triangles::new(&mesh.surface(0)?)?;
/// let adjacency = Adjacency::new(&triangles)?;
/// let (other, edge) = adjacency.across(0, 1).expect("a cube is closed");
/// assert_eq!(adjacency.across(other, edge), Some((0, 1)));
/// assert_eq!(adjacency.non_manifold_edges().count(), 0);
/// // The triangles around the first corner of the first triangle.
/// assert!((3..=6).contains(&adjacency.around(0, 0).count()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Adjacency {
    /// For each edge, the index of the same edge in the neighbour, or a mark.
    twins: Vec<[u32; 3]>,
}

short_debug!(Adjacency: |adjacency| { triangles: adjacency.twins.len() });

/// An edge of a triangle, for sorting: the lower and the higher of its vertices, and the index of
/// the edge. The index has the highest bit if the edge runs from the higher vertex to the lower.
type SortedEdge = [u32; 3];

/// The bit of a sorted edge that runs from the higher vertex to the lower.
const DOWN: u32 = 1 << 31;
const _: () = assert!(MAX_TRIANGLES <= DOWN >> 2);

impl Adjacency {
    /// Joins triangles whose edges have the same position indices.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than 2^29 triangles. Returns
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is not enough memory.
    pub fn new(triangles: &Triangles<'_>) -> Result<Self> {
        Self::joined(triangles, |vertex| vertex)
    }

    /// Joins triangles whose edges have equal positions, for surfaces that store a position several
    /// times, for example once for each corner.
    ///
    /// Positions are equal if all three coordinates are equal; 0 and -0 are equal. The call takes
    /// 20 more bytes for each vertex.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Adjacency::new`].
    pub fn by_value(triangles: &Triangles<'_>) -> Result<Self> {
        let first = first_of_equal(triangles)?;
        Self::joined(triangles, |vertex| first.get(as_index(vertex)).copied().unwrap_or(vertex))
    }

    fn joined(triangles: &Triangles<'_>, name: impl Fn(u32) -> u32) -> Result<Self> {
        let mut edges = sorted_edges(triangles, name)?;
        edges.sort_unstable();
        let mut twins = try_with_capacity(as_index(triangles.len()))?;
        twins.resize(as_index(triangles.len()), [BOUNDARY; 3]);
        let mut all = Self { twins };
        for run in edges.chunk_by(|[low, high, _], [other_low, other_high, _]| (low, high) == (other_low, other_high)) {
            match run {
                [_] => {}
                // The edge that runs up is sorted before the edge that runs down.
                [[_, _, up], [_, _, down]] if up & DOWN == 0 && down & DOWN != 0 => {
                    all.set(*up, down & !DOWN);
                    all.set(down & !DOWN, *up);
                }
                several => several.iter().for_each(|[_, _, edge]| all.set(edge & !DOWN, NON_MANIFOLD)),
            }
        }
        Ok(all)
    }

    fn set(&mut self, edge: u32, twin: u32) {
        let (triangle, edge) = parts(edge);
        if let Some(place) = self.twins.get_mut(as_index(triangle)).and_then(|twins| twins.get_mut(edge)) {
            *place = twin;
        }
    }

    fn twin(&self, triangle: u32, edge: usize) -> Option<u32> {
        self.twins.get(as_index(triangle))?.get(edge).copied()
    }

    /// Returns the triangle on the other side of an edge, and the number of the same edge in that
    /// triangle.
    ///
    /// Returns `None` if the edge is at the boundary of the surface, if it is
    /// [not manifold](Self::non_manifold_edges), or if a number is out of range.
    #[must_use]
    pub fn across(&self, triangle: u32, edge: usize) -> Option<(u32, usize)> {
        self.twin(triangle, edge).filter(|twin| *twin < NON_MANIFOLD).map(parts)
    }

    /// Returns an iterator over the edges that belong to more than two triangles, or to two
    /// triangles in the same direction: for each, the triangle and the number of the edge.
    pub fn non_manifold_edges(&self) -> impl Iterator<Item = (u32, usize)> {
        let all = (0_u32..).zip(&self.twins);
        all.flat_map(|(triangle, twins)| {
            let edges = twins.iter().enumerate().filter(|(_, twin)| **twin == NON_MANIFOLD);
            edges.map(move |(edge, _)| (triangle, edge))
        })
    }

    /// Returns an iterator over the triangles around the vertex at a corner of a triangle: for
    /// each, the triangle and the number of its corner at the vertex.
    ///
    /// The triangles are in counter-clockwise order, as seen from their front. If the vertex is at
    /// a boundary, the iterator starts at the boundary, and otherwise with the given triangle. If
    /// several fans of triangles meet at the vertex, it returns the fan of the given triangle. It
    /// is empty if a number is out of range.
    pub fn around(&self, triangle: u32, corner: usize) -> impl Iterator<Item = (u32, usize)> {
        let given = self.twin(triangle, corner).map(|_| (triangle, corner));
        let mut start = given;
        // The edges form pairs, so the steps around a vertex end at a boundary or where they began.
        while let Some(before) = start.and_then(|at| self.clockwise(at)) {
            start = Some(before);
            if start == given {
                break;
            }
        }
        let onward = move |at: &(u32, usize)| self.counter_clockwise(*at).filter(|next| Some(*next) != start);
        std::iter::successors(start, onward)
    }

    fn counter_clockwise(&self, (triangle, corner): (u32, usize)) -> Option<(u32, usize)> {
        self.across(triangle, before(corner))
    }

    fn clockwise(&self, (triangle, corner): (u32, usize)) -> Option<(u32, usize)> {
        self.across(triangle, corner).map(|(other, edge)| (other, after(edge)))
    }
}

/// Returns the number of the next corner or edge of a triangle.
const fn after(corner: usize) -> usize {
    match corner {
        0 => 1,
        1 => 2,
        _ => 0,
    }
}

/// Returns the number of the previous corner or edge of a triangle.
const fn before(corner: usize) -> usize {
    match corner {
        0 => 2,
        1 => 0,
        _ => 1,
    }
}

/// Returns the triangle and the number of an edge, given by its index.
fn parts(edge: u32) -> (u32, usize) {
    (edge >> 2, as_index(edge & 3))
}

/// Returns the edges of all valid triangles with three different vertices. The closure `name`
/// returns the same number for vertices that are joined.
fn sorted_edges(triangles: &Triangles<'_>, name: impl Fn(u32) -> u32) -> Result<Vec<SortedEdge>> {
    if triangles.len() > MAX_TRIANGLES {
        let kind = Cause::value("at most 2^29 triangles", format!("{} triangles", triangles.len()));
        return Err(Error::without_offset("query", Field::new("adjacency"), kind));
    }
    let mut edges = try_with_capacity(as_index(triangles.len()).saturating_mul(3))?;
    for triangle in 0..triangles.len() {
        let Some(corners) = triangles.corners(triangle).filter(|_| triangles.get(triangle).is_some()) else { continue };
        let [a, b, c] = corners.map(&name);
        if a == b || b == c || c == a {
            continue;
        }
        for ([from, to], number) in [[a, b], [b, c], [c, a]].into_iter().zip(0..) {
            let edge = triangle << 2 | number;
            edges.push(if from < to { [from, to, edge] } else { [to, from, edge | DOWN] });
        }
    }
    Ok(edges)
}

/// Returns for each vertex the first vertex with an equal position.
fn first_of_equal(triangles: &Triangles<'_>) -> Result<Vec<u32>> {
    let count = u32::try_from(triangles.vertex_count()).unwrap_or(u32::MAX);
    let mut keys = try_with_capacity(as_index(count))?;
    // The addition of 0.0 changes -0.0 to 0.0.
    let key = |vertex| triangles.point(vertex).map(|point| point.map(|part| (part + 0.0).to_bits()));
    keys.extend((0..count).map(|vertex| (key(vertex).unwrap_or_default(), vertex)));
    keys.sort_unstable();
    let mut first = try_with_capacity(as_index(count))?;
    first.resize(as_index(count), 0);
    for run in keys.chunk_by(|(one, _), (other, _)| one == other) {
        let Some((_, least)) = run.first() else { continue };
        for (_, vertex) in run {
            if let Some(place) = first.get_mut(as_index(*vertex)) {
                *place = *least;
            }
        }
    }
    Ok(first)
}
