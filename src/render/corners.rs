//! The corners of the triangles of a surface: reads their indices and positions in batches.

use crate::array::Array;
use crate::array::bulk::ChunkBuffer;
use crate::error::Result;
use crate::math::as_index;
use crate::model::Indices;
use crate::render::raster::kernels::BATCH;
use crate::scene::PlacedSurface;
use crate::scene::shape::ShapePositions;

/// The number of corners of a batch.
pub(crate) const CORNERS: usize = 3 * BATCH;

/// The triangles of a surface.
pub(crate) struct CornerReader<'a> {
    pub(crate) positions: ShapePositions<'a>,
    pub(crate) indices: Indices<'a>,
}

/// The corners of up to [`BATCH`] triangles.
pub(crate) struct CornerBatch {
    pub(crate) indices: [u32; CORNERS],
    pub(crate) positions: [[f32; 3]; CORNERS],
    /// The number of triangles.
    pub(crate) triangles: usize,
    pub(crate) records: ChunkBuffer,
    /// The number of triangles with an index that is out of range. Their positions are 0.
    pub(crate) invalid: usize,
}

impl CornerBatch {
    pub(crate) const fn new() -> Self {
        Self {
            indices: [0; CORNERS],
            positions: [[0.0; 3]; CORNERS],
            records: ChunkBuffer::EMPTY,
            triangles: 0,
            invalid: 0,
        }
    }

    /// Reads the positions of the triangles whose indices are in the batch.
    pub(crate) fn read_positions(&mut self, positions: &ShapePositions<'_>) {
        let count = self.triangles.saturating_mul(3);
        let indices = self.indices.get(..count).unwrap_or_default();
        let (read, rest) = self.positions.split_at_mut(count.min(CORNERS));
        rest.fill([0.0; 3]);
        self.invalid = 0;
        if !positions.gather(indices, &mut self.records, read) {
            for (indices, corners) in indices.as_chunks::<3>().0.iter().zip(read.as_chunks_mut::<3>().0) {
                let [a, b, c] = indices.map(|index| positions.get(as_index(index)));
                *corners = if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                    [a, b, c]
                } else {
                    self.invalid = self.invalid.saturating_add(1);
                    [[0.0; 3]; 3]
                };
            }
        }
    }
}

impl<'a> CornerReader<'a> {
    /// Finds the positions and the indices of a surface.
    pub(crate) fn new(surface: &'a PlacedSurface<'a>) -> Result<Self> {
        Ok(Self { positions: surface.shape.positions(&surface.surface)?, indices: surface.surface.indices()? })
    }

    /// Returns a position of the surface that is finite, or 0 if there is none.
    pub(crate) fn origin(&self) -> [f32; 3] {
        let is_finite = |position: &[f32; 3]| position.iter().all(|part| part.is_finite());
        let mut positions = (0..self.positions.len()).map(|index| self.positions.get(index).filter(is_finite));
        positions.find_map(|position| position).unwrap_or_default()
    }

    /// Returns the number of triangles.
    pub(crate) fn triangle_count(&self) -> usize {
        self.indices.len() / 3
    }

    /// Reads the triangles from `first`, and returns whether there are any.
    pub(crate) fn read(&self, first: usize, batch: &mut CornerBatch) -> bool {
        let count = self.triangle_count().saturating_sub(first).min(BATCH);
        let (start, end) = (first.saturating_mul(3), first.saturating_add(count).saturating_mul(3));
        let Some(part) = self.indices.slice(start..end).filter(|_| count > 0) else { return false };
        part.fill(&mut batch.indices);
        batch.triangles = count;
        batch.read_positions(&self.positions);
        true
    }
}
