//! The normals of the vertices, as short lines.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::stroke::{MAX_STROKES, StrokeInk, StrokeList};
use crate::array::Array;
use crate::error::Result;
use crate::math::{add_scaled, as_index};
use crate::model::{Corner, Normals};
use crate::render::corners::{CornerBatch, CornerReader};
use crate::render::normals::VertexNormals;
use crate::scene::shape::{ShapePositions, SurfaceShape};
use crate::scene::triangles::{PlacedPositions, TriangleReader};
use crate::scene::{PlacedScene, PlacedSurface, PoolKey};

/// Adds a line of the given length for each vertex of each surface. Of more than [`MAX_STROKES`]
/// vertices, every second, third and so on is drawn.
pub(crate) fn add_normals(scene: &PlacedScene<'_>, length: f64, out: &mut StrokeList) -> Result<()> {
    let (mut vertices, mut computed) = (0_usize, VertexNormals::default());
    scene.each_surface(&mut |surface| {
        let positions = surface.shape.positions(&surface.surface)?;
        let corners = surface.surface.indices()?.len();
        vertices = vertices.saturating_add(positions.len().min(corners));
        if corners > 2 && stored_normals(surface)?.is_none() && !matches!(positions, ShapePositions::Posed(_)) {
            compute(surface, positions.len(), &mut computed)?;
        }
        scene.input.release();
        Ok(())
    })?;
    let step = vertices.div_ceil(MAX_STROKES).max(1);
    let mut picker = NormalPicker { computed: &computed, seen: BTreeMap::new(), step, counter: 0, length };
    scene.each_surface(&mut |surface| {
        picker.add(surface, out)?;
        scene.input.release();
        Ok(())
    })
}

/// Returns the stored normals of a surface that hold for its shape.
fn stored_normals<'a>(surface: &'a PlacedSurface<'_>) -> Result<Option<Normals<'a>>> {
    if matches!(surface.shape, SurfaceShape::Frames(_)) { Ok(None) } else { surface.surface.normals() }
}

/// Adds the normals of the triangles of a surface to those of its vertices.
fn compute(surface: &PlacedSurface<'_>, count: usize, normals: &mut VertexNormals) -> Result<()> {
    let Some(pool) = normals.pool(surface.position_pool(), count) else { return Ok(()) };
    let reader = CornerReader::new(surface)?;
    let mut batch = Box::new(CornerBatch::new());
    let mut triangle = 0_usize;
    while reader.read(triangle, &mut batch) {
        pool.add(&batch);
        triangle = triangle.saturating_add(batch.triangles);
    }
    Ok(())
}

/// Chooses the vertices whose normals are drawn.
struct NormalPicker<'n> {
    computed: &'n VertexNormals,
    /// A bit for each vertex of a pool that was visited.
    seen: BTreeMap<PoolKey, Vec<u64>>,
    step: usize,
    /// The number of visited vertices.
    counter: usize,
    length: f64,
}

impl NormalPicker<'_> {
    fn add(&mut self, surface: &PlacedSurface<'_>, out: &mut StrokeList) -> Result<()> {
        // A surface without triangles has no vertices that are drawn, and needs no memory.
        if surface.surface.indices()?.len() < 3 {
            return Ok(());
        }
        let positions = PlacedPositions::new(surface)?;
        let stored = stored_normals(surface)?;
        let computed = self.computed.get(surface.position_pool());
        let Some(count) = stored.as_ref().map(Array::len).or(computed.map(|pool| pool.sums.len())) else {
            return Ok(());
        };
        let corners = self.pick(surface, count, stored.is_some())?;
        let posed = surface.shape.skinned_normals(&surface.surface, &corners)?;
        for (at, corner) in corners.iter().enumerate() {
            let normal = match (&posed, &stored, computed) {
                (Some(posed), ..) => posed.get(at).copied(),
                (None, Some(stored), _) => stored.get(as_index(corner.attribute)),
                (None, None, computed) => computed.and_then(|pool| pool.sums.get(as_index(corner.position)).copied()),
            };
            let Some((position, normal)) = positions.get(corner.position).zip(normal) else { continue };
            let conversion = &surface.conversion;
            // Computed normals follow the winding of the stored triangles.
            let is_turned = stored.is_none() && conversion.is_mirrored() != conversion.reverses_corners();
            let length = if is_turned { -self.length } else { self.length };
            let normal = conversion.normal(normal).map(f64::from);
            if normal.iter().any(|part| part.abs() > 0.0) {
                let from = position.map(f64::from);
                out.line([from, add_scaled(from, length, normal)], StrokeInk::Normals);
            }
        }
        Ok(())
    }

    /// Returns a corner of each chosen vertex. `count` is the number of normals, and `is_stored`
    /// states whether they belong to attribute vertices.
    fn pick(&mut self, surface: &PlacedSurface<'_>, count: usize, is_stored: bool) -> Result<Vec<Corner>> {
        let has_own = is_stored && surface.attribute_pool()?.is_none();
        let mut own = Vec::new();
        let seen = if has_own { &mut own } else { self.seen.entry(surface.position_pool()).or_default() };
        seen.resize(count.div_ceil(64), 0_u64);
        let (mut picked, counter, step) = (Vec::new(), &mut self.counter, self.step);
        TriangleReader::new(&surface.surface)?.each(&mut |corners| {
            for corner in corners {
                let vertex = if is_stored { corner.attribute } else { corner.position };
                let bit = 1_u64.wrapping_shl(vertex);
                let Some(word) = seen.get_mut(as_index(vertex) / 64).filter(|word| **word & bit == 0) else { continue };
                *word |= bit;
                if counter.is_multiple_of(step) && picked.len() < MAX_STROKES {
                    picked.push(corner);
                }
                *counter = counter.saturating_add(1);
            }
            Ok(())
        })?;
        Ok(picked)
    }
}
