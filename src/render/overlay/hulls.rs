//! The collision shapes of the assets.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeSet;

use super::convex::hull_edges;
use super::stroke::{MAX_STROKES, Point, Stroke, StrokeInk, StrokeList, StrokeShape};
use crate::array::Array;
use crate::error::Result;
use crate::model::animation::Affine;
use crate::model::{Geometry, Hull, Indices, Surface};
use crate::scene::PlacedScene;

/// The greatest number of points of a shape without triangles whose edges are computed. The points
/// of other shapes are drawn.
const MAX_POINTS: usize = 512;

/// Adds the edges of the collision shapes at all places.
pub(crate) fn add_hulls(scene: &PlacedScene<'_>, out: &mut StrokeList) -> Result<()> {
    for place in &scene.places {
        let asset = scene.contents.asset(place.asset)?;
        let Some(level) = scene.levels(&*asset)?.first().copied() else { continue };
        let conversion = scene.conversion(&*asset.level(level)?, place.transform)?;
        for index in 0..asset.hull_count()? {
            if out.is_full() {
                return Ok(());
            }
            let hull = asset.hull(index)?;
            add_hull(&hull, &hull.transform.then(conversion.map()), out);
        }
        if let Some(geometry) = asset.collision_mesh()? {
            add_collision_mesh(&*geometry, conversion.map(), out)?;
        }
    }
    Ok(())
}

fn add_hull(hull: &Hull<'_>, map: &Affine, out: &mut StrokeList) {
    let Some(stored) = &hull.points else { return };
    let points: Vec<Point> = stored.iter().take(MAX_STROKES).map(|point| placed(point, map)).collect();
    if let Some(triangles) = hull.triangles.as_ref().filter(|triangles| !triangles.is_empty()) {
        add_edges(triangles, &|index| points.get(index).copied(), out);
        return;
    }
    let finite: Vec<Point> =
        points.into_iter().filter(|point| point.iter().all(|part| part.is_finite() && part.abs() < 1e30)).collect();
    let edges = if finite.len() <= MAX_POINTS { hull_edges(&finite) } else { Vec::new() };
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
fn add_collision_mesh(geometry: &dyn Geometry, map: &Affine, out: &mut StrokeList) -> Result<()> {
    for surface in Surface::all(geometry)? {
        let positions = surface.positions()?;
        add_edges(&surface.indices()?, &|index| positions.get(index).map(|point| placed(point, map)), out);
    }
    Ok(())
}

/// Adds each edge of triangles once.
fn add_edges(indices: &Indices<'_>, point: &dyn Fn(usize) -> Option<Point>, out: &mut StrokeList) {
    let mut known = BTreeSet::new();
    for first in (0..indices.len() / 3).map(|triangle| triangle.saturating_mul(3)) {
        let corner = |at: usize| indices.get(first.saturating_add(at)).map(crate::math::as_index);
        for (from, to) in [(0, 1), (1, 2), (2, 0)].map(|(from, to)| (corner(from), corner(to))) {
            let Some((from, to)) = from.zip(to) else { continue };
            if !known.insert((from.min(to), from.max(to))) {
                continue;
            }
            let ends = point(from).zip(point(to));
            let is_full = ends.is_some_and(|(from, to)| !out.line([from, to], StrokeInk::Hulls));
            if is_full || known.len() > MAX_STROKES {
                return;
            }
        }
    }
}

fn placed(point: [f32; 3], map: &Affine) -> Point {
    let [.., origin] = map.columns();
    crate::math::add(map.turn(point.map(f64::from)), origin)
}
