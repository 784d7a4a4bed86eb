//! The collision shapes of the assets.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;

use super::convex::hull_edges;
use super::stroke::{MAX_STROKES, Point, Stroke, StrokeInk, StrokeList, StrokeShape};
use crate::array::Array;
use crate::error::Result;
use crate::math::as_u64;
use crate::model::animation::Affine;
use crate::model::{Geometry, Hull, Indices};
use crate::scene::input::SceneLoad;
use crate::scene::{PlacedScene, inflated_bytes};

/// The greatest number of points of a shape without triangles whose edges are computed. The points
/// of other shapes are drawn.
const MAX_POINTS: usize = 512;
/// The greatest number of points that are tested to find the edges of all shapes.
const MAX_TESTS: u64 = 1 << 26;
/// The load of a shape, and that of the edges of a triangle.
const SHAPE: u64 = 16;
const EDGES: u64 = 4;

/// Adds the edges of the collision shapes at all places.
pub(crate) fn add_hulls(scene: &PlacedScene<'_>, out: &mut StrokeList) -> Result<()> {
    let (mut load, mut tests) = (scene.load(), MAX_TESTS);
    for place in &scene.places {
        if !load.take(SHAPE) {
            out.miss();
            return Ok(());
        }
        let asset = scene.contents.asset(place.asset)?;
        let Some(level) = scene.levels(&*asset)?.first().copied() else { continue };
        let geometry = asset.level(level)?;
        let placement = PlacedScene::placement(place, &*geometry, asset.animations());
        let conversion = scene.conversion(&*geometry, placement)?;
        for index in 0..asset.hull_count()? {
            if out.is_full() || tests == 0 || !load.take(SHAPE) {
                out.miss();
                return Ok(());
            }
            let hull = asset.hull(index)?;
            add_hull(&hull, &hull.transform.then(conversion.map()), (&mut load, &mut tests), out);
        }
        if let Some(geometry) = asset.collision_mesh()? {
            add_collision_mesh(&*geometry, conversion.map(), &mut load, out)?;
        }
        if !load.take_inflated(inflated_bytes(&asset)) {
            out.miss();
            return Ok(());
        }
    }
    Ok(())
}

fn add_hull(hull: &Hull<'_>, map: &Affine, (load, tests): (&mut SceneLoad, &mut u64), out: &mut StrokeList) {
    let Some(stored) = &hull.points else { return };
    if !load.take(as_u64(stored.len().min(MAX_STROKES))) {
        return out.miss();
    }
    let points: Vec<Point> = stored.iter().take(MAX_STROKES).map(|point| placed(point, map)).collect();
    if let Some(triangles) = hull.triangles.as_ref().filter(|triangles| !triangles.is_empty()) {
        return add_edges(triangles, &|index| points.get(index).copied(), load, out);
    }
    let finite: Vec<Point> =
        points.into_iter().filter(|point| point.iter().all(|part| part.is_finite() && part.abs() < 1e30)).collect();
    let edges = if finite.len() <= MAX_POINTS { hull_edges(&finite, tests) } else { Vec::new() };
    for (from, to) in edges.iter().filter_map(|[from, to]| finite.get(*from).zip(finite.get(*to))) {
        out.line([*from, *to], StrokeInk::Hulls);
    }
    if edges.is_empty() {
        for point in finite {
            out.push(Stroke { ends: [point; 2], shape: StrokeShape::Dot, ink: StrokeInk::Hulls });
        }
    }
}

/// Adds the edges of the triangles for collision tests.
fn add_collision_mesh(geometry: &dyn Geometry, map: &Affine, load: &mut SceneLoad, out: &mut StrokeList) -> Result<()> {
    for surface in geometry.surfaces()? {
        let positions = surface.positions()?;
        add_edges(&surface.indices()?, &|index| positions.get(index).map(|point| placed(point, map)), load, out);
    }
    Ok(())
}

/// Adds each edge of triangles once.
fn add_edges(
    indices: &Indices<'_>,
    point: &dyn Fn(usize) -> Option<Point>,
    load: &mut SceneLoad,
    out: &mut StrokeList,
) {
    let mut known = BTreeSet::new();
    for first in (0..indices.len() / 3).map(|triangle| triangle.saturating_mul(3)) {
        if out.is_full() || !load.take(EDGES) {
            return out.miss();
        }
        let corner = |at: usize| indices.get(first.saturating_add(at)).map(crate::math::as_index);
        for (from, to) in [(0, 1), (1, 2), (2, 0)].map(|(from, to)| (corner(from), corner(to))) {
            let Some((from, to)) = from.zip(to) else { continue };
            if !known.insert((from.min(to), from.max(to))) {
                continue;
            }
            let ends = point(from).zip(point(to));
            if let Some((from, to)) = ends {
                out.line([from, to], StrokeInk::Hulls);
            }
        }
    }
}

fn placed(point: [f32; 3], map: &Affine) -> Point {
    let [.., origin] = map.columns();
    crate::math::add(map.turn(point.map(f64::from)), origin)
}
