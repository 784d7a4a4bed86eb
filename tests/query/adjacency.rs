//! Tests the neighbours of triangles against a map of all edges.

use std::collections::BTreeMap;
use std::path::Path;

use meshpeek::query::{Adjacency, Triangles};
use meshpeek::{Surface, unreal};

use crate::support::query::{Shape, ball, grid};
use crate::support::random::Random;
use crate::support::unigine::data;

/// The name of a vertex: its index, or its position.
type VertexName = [u32; 3];

/// Compares all edges with a map of edges, and walks around all corners.
fn expect_adjacency(triangles: &Triangles<'_>, by_value: bool) -> (Adjacency, usize) {
    let adjacency = if by_value { Adjacency::by_value(triangles) } else { Adjacency::new(triangles) }.unwrap();
    let name = |vertex: u32| -> VertexName {
        let by_position = || triangles.point(vertex).unwrap().map(|part| (part + 0.0).to_bits());
        if by_value { by_position() } else { [vertex, 0, 0] }
    };
    let names = |triangle: u32| {
        triangles.get(triangle)?;
        let names = triangles.corners(triangle)?.map(name);
        let [a, b, c] = names;
        (a != b && b != c && c != a).then_some(names)
    };
    let mut edges: BTreeMap<[VertexName; 2], Vec<(u32, usize)>> = BTreeMap::new();
    for triangle in 0..triangles.len() {
        let Some([a, b, c]) = names(triangle) else { continue };
        for (edge, ends) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            edges.entry(ends).or_default().push((triangle, edge));
        }
    }
    let none = Vec::new();
    let mut not_manifold = Vec::new();
    let mut joined = 0;
    for triangle in 0..triangles.len() {
        let Some([a, b, c]) = names(triangle) else {
            (0..3).for_each(|edge| assert_eq!(adjacency.across(triangle, edge), None));
            continue;
        };
        for (edge, [from, to]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            let [same, opposite] = [[from, to], [to, from]].map(|ends| edges.get(&ends).unwrap_or(&none));
            let expected = match (&same[..], &opposite[..]) {
                ([_], [other]) => Some(*other),
                ([_], []) => None,
                _ => {
                    not_manifold.push((triangle, edge));
                    None
                }
            };
            joined += usize::from(expected.is_some());
            assert_eq!(adjacency.across(triangle, edge), expected, "edge {edge} of triangle {triangle}");
        }
    }
    assert!(adjacency.non_manifold_edges().eq(not_manifold));
    for triangle in 0..triangles.len() {
        for corner in 0..3 {
            expect_around(&adjacency, &names, triangle, corner);
        }
        assert_eq!((adjacency.across(triangle, 3), adjacency.around(triangle, 3).count()), (None, 0));
    }
    for beyond in [triangles.len(), u32::MAX] {
        assert_eq!((adjacency.across(beyond, 0), adjacency.around(beyond, 0).count()), (None, 0));
    }
    (adjacency, joined)
}

/// Compares the triangles around a corner with those that steps over edges reach.
fn expect_around(adjacency: &Adjacency, names: &dyn Fn(u32) -> Option<[VertexName; 3]>, triangle: u32, corner: usize) {
    let found: Vec<_> = adjacency.around(triangle, corner).collect();
    let Some(all) = names(triangle) else { return assert_eq!(found, [(triangle, corner)]) };
    let mut reached = vec![(triangle, corner)];
    let mut next = 0;
    while let Some((at, place)) = reached.get(next).copied() {
        next += 1;
        // The two edges at the vertex.
        for (other, _) in [place, (place + 2) % 3].into_iter().filter_map(|edge| adjacency.across(at, edge)) {
            let place = names(other).unwrap().iter().position(|name| *name == all[corner]).unwrap();
            if !reached.contains(&(other, place)) {
                reached.push((other, place));
            }
        }
    }
    let mut sorted = found.clone();
    sorted.sort_unstable();
    reached.sort_unstable();
    assert_eq!(sorted, reached, "around corner {corner} of triangle {triangle}");
    let follows = |pair: &[(u32, usize)]| adjacency.across(pair[0].0, (pair[0].1 + 2) % 3) == Some(pair[1]);
    assert!(found.windows(2).all(follows), "{found:?}");
    let (first, last) = (found[0], found[found.len() - 1]);
    let is_open = adjacency.across(first.0, first.1).is_none();
    assert_eq!(is_open, adjacency.across(last.0, (last.1 + 2) % 3).is_none());
    assert!(is_open || first == (triangle, corner));
}

#[test]
fn joins_grids_and_balls() {
    let (_, joined) = expect_adjacency(&grid(12).triangles(), false);
    assert_eq!(joined, 12 * 12 * 6 - 4 * 12);
    let mut random = Random::new(80);
    let ball = ball(&mut random, 6).shuffled(&mut random);
    let (_, by_index) = expect_adjacency(&ball.triangles(), false);
    assert_eq!(by_index, ball.len() * 3 - 24, "the poles are cut");
    let (_, by_value) = expect_adjacency(&ball.triangles(), true);
    assert_eq!(by_value, (ball.len() - 24) * 3, "the triangles without area at the poles have no neighbours");
    // Each triangle has vertices of its own.
    let faces: Vec<_> = ball.faces().into_iter().flatten().collect();
    let soup = Shape::soup(&faces);
    assert_eq!(expect_adjacency(&soup.triangles(), false).1, 0);
    assert_eq!(expect_adjacency(&soup.triangles(), true).1, by_value);
}

#[test]
fn reports_edges_that_are_not_manifold() {
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [f32::NAN; 3]];
    let not_manifold = |indices: &[u32]| {
        let shape = Shape::new(&positions, indices);
        let (adjacency, joined) = expect_adjacency(&shape.triangles(), false);
        (adjacency.non_manifold_edges().collect::<Vec<_>>(), joined)
    };
    assert_eq!(not_manifold(&[]), (vec![], 0));
    assert_eq!(not_manifold(&[0, 1, 2, 1, 0, 4]), (vec![], 2));
    assert_eq!(not_manifold(&[0, 1, 2, 1, 0, 3, 1, 0, 4]), (vec![(0, 0), (1, 0), (2, 0)], 0));
    assert_eq!(not_manifold(&[0, 1, 2, 0, 1, 4]), (vec![(0, 0), (1, 0)], 0));
    // Both sides of a triangle are joined at three edges.
    assert_eq!(not_manifold(&[0, 1, 2, 2, 1, 0]), (vec![], 6));
    // An index out of range, a position that is not finite, and a triangle with a corner twice.
    assert_eq!(not_manifold(&[0, 1, 2, 1, 0, 9, 1, 0, 5, 1, 0, 1, 0, 0, 0]), (vec![], 0));
    // -0 and 0 are one position.
    let soup = Shape::soup(&[
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[1.0, -0.0, 0.0], [-0.0, 0.0, -0.0], [0.0, -1.0, 0.0]],
    ]);
    assert_eq!(expect_adjacency(&soup.triangles(), true).1, 2);
}

#[test]
fn random_indices() {
    let mut random = Random::new(81);
    for count in 1..60 {
        let positions: Vec<_> = (0..7).map(|_| [random.below(2), random.below(2), 0].map(|part| part as f32)).collect();
        let indices: Vec<u32> = (0..3 * count).map(|_| random.below(8) as u32).collect();
        let shape = Shape::new(&positions, &indices);
        expect_adjacency(&shape.triangles(), false);
        expect_adjacency(&shape.triangles(), true);
    }
}

#[test]
fn all_samples() {
    let folder = data();
    let folder = folder.parent().unwrap();
    let mut joined = [0, 0];
    let mut expect = |geometry: &dyn meshpeek::Geometry| {
        for surface in Surface::all(geometry).unwrap() {
            let triangles = Triangles::new(&surface).unwrap();
            for (joined, by_value) in joined.iter_mut().zip([false, true]) {
                *joined += expect_adjacency(&triangles, by_value).1;
            }
        }
    };
    for format in ["unigine", "secondlife", "ezmesh"] {
        for entry in std::fs::read_dir(folder.join(format)).unwrap() {
            let path = entry.unwrap().path();
            let ends = ["mesh", "llmesh", "ezm", "ezb"];
            if path.extension().is_some_and(|end| ends.iter().any(|known| Path::new(known).as_os_str() == end)) {
                let model = meshpeek::open(&path).unwrap();
                expect(model.geometry());
            }
        }
    }
    for stem in ["guard", "box", "crate64", "prototype"] {
        expect(&unreal::find(folder.join("unreal").join(stem)).unwrap().open(|path| meshpeek::read(path)).unwrap());
    }
    assert!(joined.iter().all(|joined| *joined > 1000), "{joined:?}");
}
