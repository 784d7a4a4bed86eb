//! Vertices in memory, which are filled from columns: one column for each attribute.

use super::interleave::scatter;
use crate::array::chunk_buffer::{CHUNK_BYTES, ChunkBuffer};
use crate::math::as_index;

/// The greatest number of vertices in a block. The columns of a block, its decoded floats and its
/// vertices are in the first-level cache together.
pub(super) const MAX_VERTICES: usize = 256;

/// A column: the bytes of one attribute of each vertex of a block, without gaps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// The offset of the attribute in a vertex, in bytes.
    pub(super) offset: usize,
    /// The number of bytes of the attribute that the column contains.
    pub(super) width: usize,
    /// The sum of the widths of all columns before this one.
    before: usize,
}

/// The vertices of a block: their size, the bytes that are equal in all vertices, and the columns.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// One vertex with the bytes that no column contains.
    template: Vec<u8>,
    block: usize,
    width: usize,
}

impl Rows {
    /// Makes vertices of `stride` bytes, 1 to 2048, without columns.
    pub(super) fn new(stride: u32) -> Self {
        let stride = as_index(stride).max(1);
        // A multiple of 4 vertices aligns the columns for floats.
        let block = CHUNK_BYTES.checked_div(stride).unwrap_or_default().clamp(4, MAX_VERTICES) & !3;
        Self { template: vec![0; stride], block, width: 0 }
    }

    pub(super) const fn stride(&self) -> usize {
        self.template.len()
    }

    /// Returns the greatest number of vertices in a block.
    pub(super) const fn block(&self) -> usize {
        self.block
    }

    /// Adds a column of `width` bytes at `offset` of each vertex. The columns do not overlap.
    pub(super) fn add(&mut self, offset: u32, width: usize) -> Column {
        let column = Column { offset: as_index(offset), width, before: self.width };
        self.width = self.width.saturating_add(width);
        column
    }

    /// Sets bytes that are equal in all vertices.
    pub(super) fn set(&mut self, offset: u32, bytes: &[u8]) {
        let place = self.template.get_mut(as_index(offset)..).unwrap_or_default();
        place.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    }

    /// Writes the bytes that are equal in all vertices.
    pub(super) fn start(&self, rows: &mut ChunkBuffer) {
        if self.template.iter().any(|byte| *byte != 0) {
            for row in rows.values::<u8>().chunks_exact_mut(self.stride()) {
                row.copy_from_slice(&self.template);
            }
        }
    }

    /// Returns the bytes of a column for the first `count` vertices of a block.
    pub(super) fn column<'c>(&self, column: &Column, count: usize, columns: &'c mut ChunkBuffer) -> &'c mut [u8] {
        let start = self.block.saturating_mul(column.before);
        let size = count.saturating_mul(column.width);
        columns.values::<u8>().get_mut(start..start.saturating_add(size)).unwrap_or_default()
    }

    /// Copies a column to the vertices.
    pub(super) fn put(&self, column: &Column, count: usize, columns: &mut ChunkBuffer, rows: &mut ChunkBuffer) {
        let bytes = self.column(column, count, columns);
        scatter(bytes, column.width, rows.values::<u8>(), self.stride(), column.offset);
    }
}
