//! Which side of the triangles of a closed mesh is outside.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::corners::CornerBatch;
use crate::math::{add, dot, facet, subtract};
use crate::scene::PoolKey;

/// The part of the area of a mesh that may be missing if the mesh counts as closed.
const MAX_OPEN: f64 = 0.05;
/// The least part of the volumes of all triangles that a closed mesh encloses.
const MIN_VOLUME: f64 = 1e-6;
/// The greatest number of pools that are measured. A file may have millions.
const MAX_POOLS: usize = 1 << 16;

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
