//! The columns of joints and weights of the vertices of a surface.

use std::ops::Range;
use std::sync::Arc;

use super::interleave::{ColumnBuffer, MAX_VERTICES, VertexColumn};
use super::layout::{Semantic, VertexFormat};
use super::output::Block;
use super::skin_lanes::{SkinFormats, write_lists};
use crate::error::Result;
use crate::math::as_index;
use crate::model::{Corner, Weights, WeightsIter};

/// The greatest number of positions for each vertex in a [`SkinTable`]. The vertices of a few
/// triangles must not take time in proportion to the whole surface.
const POSITIONS_PER_VERTEX: usize = 2;

/// The columns of joints and weights, and the weights of the surface.
#[derive(Clone, Debug)]
pub(super) struct SkinColumns<'a> {
    weights: Weights<'a>,
    formats: SkinFormats,
    columns: Columns,
    /// The joints and weights of each position, if the surface is welded. Otherwise, the lists of
    /// influences are read when vertices are written.
    table: Option<Arc<SkinTable>>,
}

/// The columns of joints and of weights.
type Columns = [Option<VertexColumn>; 2];

impl<'a> SkinColumns<'a> {
    /// Makes a skin without columns.
    pub(super) const fn new(weights: Weights<'a>) -> Self {
        let formats = SkinFormats::new(weights.skinning_rules());
        Self { weights, formats, columns: [None; 2], table: None }
    }

    /// Adds the column of joints or of weights.
    pub(super) const fn add(&mut self, semantic: Semantic, format: VertexFormat, column: VertexColumn) {
        let ([joints, shares], formats) = (&mut self.columns, &mut self.formats);
        let (place, format_place) = match semantic {
            Semantic::Joints => (joints, &mut formats.joints),
            _ => (shares, &mut formats.shares),
        };
        (*place, *format_place) = (Some(column), Some(format));
    }

    /// Makes the table of a welded surface, whose vertices use `positions`. If there is no table,
    /// the index of the weights is built.
    pub(super) fn prepare(&mut self, order: Option<&[Corner]>, positions: &Range<usize>) {
        let fits = |order: &&[Corner]| positions.end <= order.len().saturating_mul(POSITIONS_PER_VERTEX);
        let table = order.filter(fits).and_then(|_| SkinTable::new(self, positions.end));
        self.set_table(table.map(Arc::new));
    }

    fn set_table(&mut self, table: Option<Arc<SkinTable>>) {
        if table.is_none() {
            let _ = self.weights.get(0);
        }
        self.table = table;
    }

    /// Checks joints against the number of bones. A table with a joint that is out of range is
    /// dropped, because only the vertices that are written may return an error.
    pub(super) fn with_bones(mut self, bones: usize) -> Self {
        self.formats.bones = Some(bones);
        let table = self.table.take().filter(|table| table.joint_count(self.formats.joints) <= bones);
        self.set_table(table);
        self
    }

    /// Returns the lists of influences from vertex `start` on.
    pub(super) fn lists_from(&self, start: usize) -> WeightsIter<'a> {
        self.weights.iter_at(start)
    }

    /// Writes the joints and weights of a block of vertices. `lists` are the next lists of
    /// influences, if they are read in order.
    pub(super) fn write(
        &self,
        block: &Block<'_>,
        lists: &mut Option<WeightsIter<'a>>,
        buffers: &mut Option<[ColumnBuffer; 2]>,
        out: &mut [u8],
        stride: usize,
    ) -> Result<()> {
        if let Some((table, corners)) = self.table.as_ref().zip(block.corners()) {
            table.write(corners, out, stride);
            return Ok(());
        }
        let vertices = block.start()..block.start().saturating_add(block.len());
        let [joints, shares] = self.formats.values(buffers, block.len());
        match lists {
            Some(lists) => write_lists(self.formats, lists, vertices, joints, shares)?,
            None => {
                for (number, vertex) in vertices.enumerate() {
                    let influences = self.weights.get(block.position(number));
                    self.formats.write_list(influences.as_ref(), vertex, number, joints, shares)?;
                }
            }
        }
        put(self.columns, [joints, shares], out, stride);
        Ok(())
    }
}

/// Copies the columns to vertices.
fn put(columns: Columns, values: [&[u8]; 2], out: &mut [u8], stride: usize) {
    for (column, values) in columns.into_iter().zip(values) {
        if let Some(column) = column {
            column.put(values, out, stride);
        }
    }
}

/// The joints and weights of each position, as they are written to vertices. Several vertices of a
/// welded surface have the same position.
#[derive(Debug)]
struct SkinTable {
    /// One part with joints and weights, or one part with each.
    parts: Vec<TablePart>,
}

/// Bytes of a vertex without a gap: joints, weights, or joints and weights after them.
#[derive(Debug)]
struct TablePart {
    /// The offset of the bytes in a vertex.
    offset: usize,
    /// The number of bytes.
    size: usize,
    /// The columns of the rows.
    columns: Columns,
    /// The bytes of each position.
    rows: Vec<u8>,
}

impl SkinTable {
    /// Reads the first `count` lists of influences. Returns `None` if a joint does not fit its
    /// format, or if there is no memory.
    fn new(skin: &SkinColumns<'_>, count: usize) -> Option<Self> {
        let mut parts = match skin.columns {
            [Some(joints), Some(shares)] if joints.offset.saturating_add(joints.size) == shares.offset => {
                vec![TablePart::new(skin.columns, joints.offset, joints.size.saturating_add(shares.size))]
            }
            [joints, shares] => {
                let part = |columns, column: VertexColumn| TablePart::new(columns, column.offset, column.size);
                let joints = joints.map(|column| part([Some(column), None], column));
                joints.into_iter().chain(shares.map(|column| part([None, Some(column)], column))).collect()
            }
        };
        for TablePart { rows, size, .. } in &mut parts {
            rows.try_reserve_exact(count.checked_mul(*size)?).ok()?;
        }
        let (mut lists, mut buffers) = (skin.weights.iter(), None);
        for start in (0..count).step_by(MAX_VERTICES) {
            let count = count.saturating_sub(start).min(MAX_VERTICES);
            let [joints, shares] = skin.formats.values(&mut buffers, count);
            write_lists(skin.formats, &mut lists, 0..count, joints, shares).ok()?;
            for TablePart { columns, rows, size, .. } in &mut parts {
                let old = rows.len();
                rows.resize(old.saturating_add(count.saturating_mul(*size)), 0);
                put(*columns, [joints, shares], rows.get_mut(old..)?, *size);
            }
        }
        Some(Self { parts })
    }

    /// Returns the greatest joint plus 1, or 0 if the vertices have no joints.
    fn joint_count(&self, format: Option<VertexFormat>) -> usize {
        let joints = self.parts.first().into_iter().filter(|_| format.is_some());
        let rows = joints.flat_map(|part| part.rows.chunks_exact(part.size));
        let greatest = if format == Some(VertexFormat::Uint8x4) {
            rows.filter_map(|row| row.first_chunk::<4>()).flatten().copied().max().map(u16::from)
        } else {
            let joints = rows.filter_map(|row| row.first_chunk::<8>()).flat_map(|row| row.as_chunks().0);
            joints.map(|joint| u16::from_le_bytes(*joint)).max()
        };
        greatest.map_or(0, |joint| usize::from(joint).saturating_add(1))
    }

    /// Copies the joints and weights of the positions of `corners` to vertices.
    fn write(&self, corners: &[Corner], out: &mut [u8], stride: usize) {
        for TablePart { offset, size, rows, .. } in &self.parts {
            let copy = match size {
                4 => copy_rows::<4>,
                8 => copy_rows::<8>,
                12 => copy_rows::<12>,
                16 => copy_rows::<16>,
                20 => copy_rows::<20>,
                _ => copy_rows::<24>,
            };
            copy(rows, corners, out, stride, *offset);
        }
    }
}

impl TablePart {
    /// Makes a part without rows.
    fn new(columns: Columns, offset: usize, size: usize) -> Self {
        let moved = |column: VertexColumn| VertexColumn { offset: column.offset.saturating_sub(offset), ..column };
        Self { offset, size, columns: columns.map(|column| column.map(moved)), rows: Vec::new() }
    }
}

/// Copies the row of the position of each corner to `offset` of each vertex.
fn copy_rows<const SIZE: usize>(rows: &[u8], corners: &[Corner], out: &mut [u8], stride: usize, offset: usize) {
    let rows = rows.as_chunks::<SIZE>().0;
    for (vertex, corner) in out.chunks_exact_mut(stride).zip(corners) {
        let place = vertex.get_mut(offset..).and_then(<[u8]>::first_chunk_mut);
        if let Some((place, row)) = place.zip(rows.get(as_index(corner.position))) {
            *place = *row;
        }
    }
}
