//! The normals of the vertices, as short lines.

// Rule: this file sorts and maps by copies only.

use std::collections::{BTreeMap, BTreeSet};

use super::stroke::{MAX_STROKES, StrokeInk, StrokeList};
use crate::array::Array;
use crate::error::Result;
use crate::math::{add_scaled, as_index};
use crate::model::Corner;
use crate::render::options::PictureOptions;
use crate::scene::normals::{ComputedNormals, NormalSource};
use crate::scene::shape::{PlacedPositions, TriangleReader};
use crate::scene::{PlacedScene, PlacedSurface, PoolKey};

/// Adds a line of the given length for each vertex of each surface, or for each of its normals at a
/// crease. Of more than [`MAX_STROKES`] vertices, every second, third and so on is drawn.
pub(crate) fn add_normals(
    scene: &PlacedScene<'_>,
    options: &PictureOptions,
    length: f64,
    out: &mut StrokeList,
) -> Result<()> {
    let (mut vertices, mut computed) = (0_usize, ComputedNormals::new(options.normals));
    scene.each_surface(&mut |surface| {
        let positions = surface.shape.positions(&surface.surface)?;
        let corners = surface.surface.indices()?.len();
        vertices = vertices.saturating_add(positions.len().min(corners));
        computed.add(&surface.normal_input())?;
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

/// Chooses the vertices whose normals are drawn.
struct NormalPicker<'n> {
    computed: &'n ComputedNormals,
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
        let length = self.length;
        let mut line = |position: u32, normal: [f32; 3]| {
            let Some(position) = positions.get(position) else { return };
            let normal = normal.map(f64::from);
            if normal.iter().any(|part| part.abs() > 0.0) {
                let from = position.map(f64::from);
                out.line([from, add_scaled(from, length, normal)], StrokeInk::Normals);
            }
        };
        match self.computed.source(&surface.normal_input())? {
            NormalSource::Stored(stored) => {
                let corners = self.pick(surface, stored.len())?;
                let posed = surface.shape.skinned_normals(&surface.surface, &corners)?;
                for (at, corner) in corners.iter().enumerate() {
                    let normal = match &posed {
                        Some(posed) => posed.get(at).copied(),
                        None => stored.get(as_index(corner.attribute)),
                    };
                    line(corner.position, surface.conversion.normal(normal.unwrap_or_default()));
                }
            }
            NormalSource::Computed(_) => {
                let corners = self.computed.corners(&surface.normal_input())?.unwrap_or_default();
                let (mut drawn, indices) = (BTreeSet::new(), surface.surface.indices()?);
                for (index, normal) in indices.iter().zip(corners.normals) {
                    if drawn.insert((index, normal.map(f32::to_bits))) && self.next() {
                        line(index, normal);
                    }
                }
            }
            NormalSource::None => {}
        }
        Ok(())
    }

    /// Counts a vertex, and returns whether it is drawn.
    fn next(&mut self) -> bool {
        let is_drawn = self.counter.is_multiple_of(self.step);
        self.counter = self.counter.saturating_add(1);
        is_drawn
    }

    /// Returns a corner of each chosen vertex. `count` is the number of stored normals.
    fn pick(&mut self, surface: &PlacedSurface<'_>, count: usize) -> Result<Vec<Corner>> {
        let has_own = surface.attribute_pool()?.is_none();
        let mut seen =
            if has_own { Vec::new() } else { self.seen.remove(&surface.position_pool()).unwrap_or_default() };
        seen.resize(count.div_ceil(64), 0_u64);
        let mut picked = Vec::new();
        TriangleReader::new(&surface.surface)?.each(&mut |corners| {
            for corner in corners {
                let vertex = corner.attribute;
                let bit = 1_u64.wrapping_shl(vertex);
                let Some(word) = seen.get_mut(as_index(vertex) / 64).filter(|word| **word & bit == 0) else { continue };
                *word |= bit;
                if self.next() && picked.len() < MAX_STROKES {
                    picked.push(corner);
                }
            }
            Ok(())
        })?;
        if !has_own {
            self.seen.insert(surface.position_pool(), seen);
        }
        Ok(picked)
    }
}
