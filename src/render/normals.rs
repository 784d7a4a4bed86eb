//! Normals that are computed from the triangles, for meshes without stored normals.

// Rule: this file sorts and maps by copies only.

use std::collections::BTreeMap;

use super::corners::CornerBatch;
use crate::math::{add, as_index, dot, facet, narrow, subtract};
use crate::scene::PoolKey;

/// The greatest number of vertices whose normals are computed: 12 MiB. Other surfaces are drawn
/// with the normals of their triangles.
const MAX_VERTICES: usize = 1 << 20;
/// The memory of a pool, in vertices.
const POOL: usize = 16;
/// The part of the area of a mesh that may be missing if the mesh counts as closed.
const MAX_OPEN: f64 = 0.05;

/// The normals of the vertices of each pool.
#[derive(Default)]
pub(crate) struct VertexNormals {
    pools: BTreeMap<PoolKey, PoolNormals>,
    vertices: usize,
}

/// The normals of the vertices of a pool.
pub(crate) struct PoolNormals {
    /// For each vertex the weighted sum of the normals of its triangles.
    pub(crate) sums: Vec<[f32; 3]>,
    /// A point of the mesh.
    origin: Option<[f32; 3]>,
    /// The sum of the normals of all triangles: 0 if the mesh is closed.
    total: [f64; 3],
    /// The sum of the lengths of the normals.
    area: f64,
    /// Six times the volume that the triangles enclose, if the mesh is closed.
    volume: f64,
}

impl VertexNormals {
    /// Returns the normals of a pool with `count` vertices, or `None` if there are too many. The
    /// pool of a surface without triangles must not be requested: a file may have millions.
    pub(crate) fn pool(&mut self, key: PoolKey, count: usize) -> Option<&mut PoolNormals> {
        let own = self.pools.get(&key).map(|pool| pool.sums.len());
        if own.is_none_or(|own| own < count) {
            // The surfaces of a pool may have stored normals of which only some say something.
            let more =
                count.saturating_sub(own.unwrap_or_default()).saturating_add(if own.is_none() { POOL } else { 0 });
            let vertices = self.vertices.saturating_add(more);
            if vertices > MAX_VERTICES {
                return None;
            }
            self.vertices = vertices;
            self.pools.entry(key).or_insert_with(PoolNormals::new).sums.resize(count, [0.0; 3]);
        }
        self.pools.get_mut(&key)
    }

    /// Returns the normals of a pool.
    pub(crate) fn get(&self, key: PoolKey) -> Option<&PoolNormals> {
        self.pools.get(&key)
    }
}

impl PoolNormals {
    const fn new() -> Self {
        Self { sums: Vec::new(), origin: None, total: [0.0; 3], area: 0.0, volume: 0.0 }
    }

    /// Adds the normals of the triangles of a batch.
    pub(crate) fn add(&mut self, batch: &CornerBatch) {
        let indices = batch.indices.as_chunks::<3>().0.iter().take(batch.triangles);
        for (indices, corners) in indices.zip(batch.positions.as_chunks::<3>().0) {
            let normal = facet(*corners);
            if normal.iter().all(|part| part.is_finite()) {
                for (index, weight) in indices.iter().zip(weights(*corners)) {
                    let part = normal.map(|part| narrow(f64::from(part) * weight));
                    self.sums.get_mut(as_index(*index)).into_iter().for_each(|sum| *sum = add(*sum, part));
                }
                self.measure(*corners, normal.map(f64::from));
            }
        }
    }

    fn measure(&mut self, [corner, ..]: [[f32; 3]; 3], normal: [f64; 3]) {
        let origin = *self.origin.get_or_insert(corner);
        let offset = subtract(corner.map(f64::from), origin.map(f64::from));
        self.total = add(self.total, normal);
        self.area += dot(normal, normal).sqrt();
        self.volume += dot(offset, normal);
    }

    /// Returns whether the mesh is closed and its triangles show their front to the inside.
    /// `is_clockwise` states that the format winds triangles clockwise.
    pub(crate) fn is_inside_out(&self, is_clockwise: bool) -> bool {
        let is_closed = dot(self.total, self.total).sqrt() < MAX_OPEN * self.area;
        is_closed && (self.volume < 0.0) != is_clockwise && self.volume != 0.0
    }
}

/// Returns the weights of the normal of a triangle at its corners, for a normal as long as twice
/// the area: 1 divided by the squares of the lengths of both edges.
///
/// The sum is then exact on a sphere, and it does not depend on how a flat face is split into
/// triangles (N. Max, Weights for Computing Vertex Normals from Facet Normals, 1999).
fn weights([a, b, c]: [[f32; 3]; 3]) -> [f64; 3] {
    let square = |from: [f32; 3], to: [f32; 3]| {
        let edge = subtract(to.map(f64::from), from.map(f64::from));
        dot(edge, edge)
    };
    let (ab, bc, ca) = (square(a, b), square(b, c), square(c, a));
    [ab * ca, ab * bc, bc * ca].map(|product| if product > 0.0 { 1.0 / product } else { 0.0 })
}
