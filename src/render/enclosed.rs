//! Which side of the triangles of a surface is the front, and which side of those of a closed mesh
//! is outside.
//!
//! Some files have triangles that are wound the other way than their format says. A picture shows
//! them right side out.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::corners::CornerBatch;
use crate::array::Array;
use crate::math::{add, as_index, dot, facet, subtract};
use crate::model::{Indices, Normals};
use crate::render::corners::CornerReader;
use crate::scene::PoolKey;

/// The part of the area of a mesh that may be missing if the mesh counts as closed.
const MAX_OPEN: f64 = 0.05;
/// The least part of the volumes of all triangles that a closed mesh encloses.
const MIN_VOLUME: f64 = 1e-6;
/// The greatest number of pools that are measured. A file may have millions.
const MAX_POOLS: usize = 1 << 16;
/// The number of triangles that are compared with their normals.
const TRIANGLES_TESTED: usize = 64;

/// The volume inside the triangles of each pool.
#[derive(Default)]
pub(crate) struct EnclosedVolumes {
    pools: BTreeMap<PoolKey, EnclosedVolume>,
}

/// The volume inside the triangles of a pool.
#[derive(Default)]
pub(crate) struct EnclosedVolume {
    /// A point of the mesh.
    origin: Option<[f32; 3]>,
    /// The sum of the normals of all triangles: 0 if the mesh is closed.
    total: [f64; 3],
    /// The sum of the lengths of the normals.
    area: f64,
    /// Six times the volume that the triangles enclose, if the mesh is closed.
    volume: f64,
    /// The sum of the volumes without their signs.
    size: f64,
}

impl EnclosedVolumes {
    /// Returns the volume of a pool, or `None` if there are too many pools. The pool of a surface
    /// without triangles must not be requested.
    pub(crate) fn pool(&mut self, key: PoolKey) -> Option<&mut EnclosedVolume> {
        if self.pools.len() >= MAX_POOLS && !self.pools.contains_key(&key) {
            return None;
        }
        Some(self.pools.entry(key).or_default())
    }

    /// Returns the volume of a pool.
    pub(crate) fn get(&self, key: PoolKey) -> Option<&EnclosedVolume> {
        self.pools.get(&key)
    }
}

impl EnclosedVolume {
    /// Adds the triangles of a batch.
    pub(crate) fn add(&mut self, batch: &CornerBatch) {
        for corners in batch.positions.as_chunks::<3>().0.iter().take(batch.triangles) {
            let normal = facet(*corners);
            if normal.iter().all(|part| part.is_finite()) {
                self.measure(*corners, normal.map(f64::from));
            }
        }
    }

    fn measure(&mut self, [corner, ..]: [[f32; 3]; 3], normal: [f64; 3]) {
        let origin = *self.origin.get_or_insert(corner);
        let offset = subtract(corner.map(f64::from), origin.map(f64::from));
        self.total = add(self.total, normal);
        self.area += dot(normal, normal).sqrt();
        let volume = dot(offset, normal);
        self.volume += volume;
        self.size += volume.abs();
    }

    /// Returns whether the mesh is closed and its triangles show their front to the inside.
    /// `is_clockwise` states that the format winds triangles clockwise.
    pub(crate) fn is_inside_out(&self, is_clockwise: bool) -> bool {
        let is_closed = dot(self.total, self.total).sqrt() < MAX_OPEN * self.area;
        // A surface that is stored with both sides encloses nothing but rounding errors.
        is_closed && (self.volume < 0.0) != is_clockwise && self.volume.abs() > MIN_VOLUME * self.size
    }
}

/// Returns whether most triangles of a surface are wound the other way than their stored normals
/// say. `sign` is -1 if the format winds triangles clockwise, and 1 otherwise.
pub(crate) fn is_reversed(
    reader: &CornerReader<'_>,
    attributes: &Indices<'_>,
    normals: &Normals<'_>,
    sign: f32,
) -> bool {
    let count = reader.triangle_count();
    let step = (count / TRIANGLES_TESTED).max(1);
    let mut balance = 0_i32;
    for triangle in (0..count).step_by(step) {
        let corners = [0, 1, 2].map(|corner| triangle.saturating_mul(3).saturating_add(corner));
        let positions = corners.map(|corner| reader.positions.get(as_index(reader.indices.get(corner)?)));
        let normals = corners.map(|corner| normals.get(as_index(attributes.get(corner)?)));
        let ([Some(a), Some(b), Some(c)], [Some(p), Some(q), Some(r)]) = (positions, normals) else { continue };
        let agreement = dot(facet([a, b, c]), add(add(p, q), r)) * sign;
        balance = balance.saturating_add(i32::from(agreement > 0.0)).saturating_sub(i32::from(agreement < 0.0));
    }
    balance < 0
}
