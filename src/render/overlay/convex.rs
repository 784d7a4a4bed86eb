//! The edges of the convex hull of points, found by turning planes around known edges.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;

use super::stroke::Point;
use crate::math::{as_u64, cross, dot, subtract};

/// The part of the size of the hull by which a point may be away from a face that contains it.
const TOLERANCE: f64 = 1e-4;

/// Finds the edges of a convex hull.
struct HullWalk<'p> {
    points: &'p [Point],
    tolerance: f64,
    /// The number of points that may still be tested.
    tests: u64,
    /// The edges of known faces, counter-clockwise around each face.
    known: BTreeSet<[usize; 2]>,
    waiting: Vec<[usize; 2]>,
}

/// Returns the edges of the convex hull of points, as pairs of their indices. Points on a flat face
/// have no edges to each other. The time is proportional to the number of points times the number
/// of edges.
///
/// `tests` is the number of points that may be tested. If it becomes 0, some edges are missing.
pub(crate) fn hull_edges(points: &[Point], tests: &mut u64) -> Vec<[usize; 2]> {
    let least = |part: fn(&Point) -> f64| points.iter().map(part).fold(f64::INFINITY, f64::min);
    let greatest = |part: fn(&Point) -> f64| points.iter().map(part).fold(f64::NEG_INFINITY, f64::max);
    let parts: [fn(&Point) -> f64; 3] = [|[x, ..]| *x, |[_, y, _]| *y, |[.., z]| *z];
    let size = parts.map(|part| greatest(part) - least(part)).into_iter().fold(0.0, f64::max);
    if size <= 0.0 || !size.is_finite() {
        return Vec::new();
    }
    let mut walk =
        HullWalk { points, tolerance: size * TOLERANCE, tests: *tests, known: BTreeSet::new(), waiting: Vec::new() };
    walk.start();
    let mut faces = points.len().saturating_mul(4);
    while let Some(edge) = walk.waiting.pop() {
        if !walk.known.contains(&edge) && faces > 0 && walk.tests > 0 {
            faces = faces.saturating_sub(1);
            walk.known.insert(edge);
            walk.turn(edge);
        }
    }
    *tests = walk.tests;
    let edges: BTreeSet<[usize; 2]> = walk.known.iter().map(|[from, to]| [*from.min(to), *from.max(to)]).collect();
    edges.into_iter().collect()
}

impl HullWalk<'_> {
    /// Counts points that are tested.
    fn count(&mut self, tests: usize) {
        self.tests = self.tests.saturating_sub(as_u64(tests));
    }

    fn at(&self, index: usize) -> Point {
        self.points.get(index).copied().unwrap_or_default()
    }

    /// Finds a first face or a first edge: on the plane through the leftmost point that turns
    /// around a vertical axis.
    fn start(&mut self) {
        let order = |one: &Point, other: &Point| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal);
        let Some(first) = self.points.iter().copied().min_by(order) else { return };
        let [x, y, z] = first;
        let above = [x, y, z + self.tolerance / TOLERANCE];
        let Some(normal) = self.supporting(first, above) else { return };
        if self.face(first, normal) {
            return;
        }
        // All points on the plane are on one line.
        let on_plane = self.on_plane(first, normal);
        let along = |index: &usize| self.at(*index);
        let ends = on_plane.iter().copied().min_by(|a, b| order(&along(a), &along(b)));
        let ends = ends.zip(on_plane.iter().copied().max_by(|a, b| order(&along(a), &along(b))));
        self.waiting.extend(ends.filter(|(from, to)| from != to).into_iter().flat_map(|(a, b)| [[a, b], [b, a]]));
    }

    /// Finds the face to the left of an edge.
    fn turn(&mut self, [from, to]: [usize; 2]) {
        let (from, to) = (self.at(from), self.at(to));
        if let Some(normal) = self.supporting(from, to) {
            self.face(from, normal);
        }
    }

    /// Returns the unit normal of the plane through a line that has all points on one side. The
    /// normal points away from them.
    fn supporting(&mut self, from: Point, to: Point) -> Option<Point> {
        self.count(self.points.len());
        let axis = subtract(to, from);
        let length = dot(axis, axis).sqrt();
        let mut best: Option<Point> = None;
        for point in self.points {
            let offset = subtract(*point, from);
            let normal = cross(axis, offset);
            let size = dot(normal, normal).sqrt();
            let is_off_the_line = size > self.tolerance * length;
            if is_off_the_line && best.is_none_or(|best| dot(best, offset) > 0.0) {
                best = Some(normal.map(|part| part / size));
            }
        }
        best
    }

    fn on_plane(&mut self, origin: Point, normal: Point) -> Vec<usize> {
        self.count(self.points.len());
        let is_on = |point: &Point| dot(normal, subtract(*point, origin)).abs() <= self.tolerance;
        self.points.iter().enumerate().filter(|(_, point)| is_on(point)).map(|(index, _)| index).collect()
    }

    /// Adds the edges of the face on a plane. Returns `false` if its points are on a line.
    fn face(&mut self, origin: Point, normal: Point) -> bool {
        let on_plane = self.on_plane(origin, normal);
        let outline = self.outline(&on_plane, normal);
        if outline.len() < 3 {
            return false;
        }
        for (from, to) in outline.iter().zip(outline.iter().cycle().skip(1)) {
            self.known.insert([*from, *to]);
            self.waiting.push([*to, *from]);
        }
        true
    }

    /// Returns the corners of the convex polygon around points on a plane, counter-clockwise.
    fn outline(&mut self, on_plane: &[usize], normal: Point) -> Vec<usize> {
        let order = |one: &usize, other: &usize| {
            self.at(*one).partial_cmp(&self.at(*other)).unwrap_or(std::cmp::Ordering::Equal)
        };
        let Some(first) = on_plane.iter().copied().min_by(order) else { return Vec::new() };
        let mut outline = vec![first];
        let mut last = first;
        while outline.len() <= on_plane.len() && self.tests > 0 {
            self.count(on_plane.len());
            let Some(next) = self.next_corner(on_plane, last, normal) else { break };
            if next == first || self.is_near(next, first) {
                break;
            }
            outline.push(next);
            last = next;
        }
        outline
    }

    /// Returns the corner that has all points of the plane on the left of the line to it.
    fn next_corner(&self, on_plane: &[usize], last: usize, normal: Point) -> Option<usize> {
        let start = self.at(last);
        let mut best: Option<(usize, Point)> = None;
        for index in on_plane.iter().copied().filter(|index| !self.is_near(*index, last)) {
            let offset = subtract(self.at(index), start);
            let is_better = best.is_none_or(|(_, best)| {
                let side = dot(normal, cross(best, offset));
                let length = dot(best, best).sqrt();
                let is_on_line = side.abs() <= self.tolerance * length && dot(best, offset) > 0.0;
                if is_on_line { dot(offset, offset) > dot(best, best) } else { side < 0.0 }
            });
            if is_better {
                best = Some((index, offset));
            }
        }
        best.map(|(index, _)| index)
    }

    fn is_near(&self, one: usize, other: usize) -> bool {
        let offset = subtract(self.at(one), self.at(other));
        dot(offset, offset) <= self.tolerance * self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges_of(points: &[Point]) -> Vec<[usize; 2]> {
        hull_edges(points, &mut { u64::MAX })
    }

    fn grid() -> Vec<Point> {
        let mut points = Vec::new();
        for x in 0..3 {
            for y in 0..3 {
                for z in 0..3 {
                    points.push([x, y, z].map(f64::from));
                }
            }
        }
        points
    }

    #[test]
    fn a_grid_has_the_edges_of_a_box() {
        let points = grid();
        let edges = edges_of(&points);
        assert_eq!(edges.len(), 12, "{edges:?}");
        for [from, to] in edges {
            let length: f64 = points[from].iter().zip(points[to]).map(|(a, b)| (a - b).abs()).sum();
            assert_eq!(length.to_bits(), 2.0_f64.to_bits());
        }
    }

    #[test]
    fn a_sphere_fulfils_eulers_formula() {
        let mut points = Vec::new();
        for at in 0..120_u32 {
            let (turn, height) = (f64::from(at) * 2.4, f64::from(at) / 60.0 - 0.99);
            let radius = (1.0 - height * height).sqrt();
            points.push([radius * turn.cos(), height, radius * turn.sin()]);
        }
        // Triangles only: three edges for each point, minus six. A few triangles are almost in the
        // plane of their neighbour, and have no edge to it.
        let count = edges_of(&points).len();
        assert!((350..=3 * 120 - 6).contains(&count), "{count}");
    }

    #[test]
    fn the_number_of_tests_is_limited() {
        let points: Vec<Point> = (0..400).map(|at| f64::from(at) * 0.01).map(|at| [at.cos(), at.sin(), at]).collect();
        let mut tests = 20_000;
        let some = hull_edges(&points, &mut tests).len();
        assert!(tests == 0 && some < edges_of(&points).len(), "{some}");
    }

    #[test]
    fn flat_and_empty_hulls_end() {
        assert!(edges_of(&[]).is_empty() && edges_of(&[[1.0; 3]; 9]).is_empty());
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]];
        assert_eq!(edges_of(&square).len(), 4);
        assert_eq!(edges_of(&[[0.0; 3], [1.0; 3], [2.0; 3]]), [[0, 2]]);
    }
}
