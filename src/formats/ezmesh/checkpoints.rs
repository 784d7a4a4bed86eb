//! Checkpoints: the byte position of every 64th vertex in the vertex text of a `.ezm` file.
//!
//! To read a single vertex, the reader starts at the last checkpoint before the vertex, and not at
//! the first vertex of the text.

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::vertex_format::VertexFormat;
use super::xml::number_block::NumberBlock;
use super::xml::numbers::TextPosition;
use super::xml::vertex_rows::read_row;
use crate::error::Result;
use crate::math::as_u64;
use crate::sidecar::RecordSlice;

/// Number of vertices (rows) from one checkpoint of the vertex text to the next checkpoint.
pub(super) const INTERVAL: usize = 64;

/// A checkpoint: the byte position of a vertex (row) in the vertex text of a file.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawCheckpoint {
    at: U64,
    /// Byte offset of the end of the character data that contains the start of the vertex: the end
    /// of the element's text, or the end of a CDATA section.
    end: U64,
}

/// The checkpoints of the vertex text of one element.
#[derive(Debug)]
pub(super) enum RowCheckpoints {
    Built(Box<[RawCheckpoint]>),
    Indexed(RecordSlice<RawCheckpoint>),
}

impl RowCheckpoints {
    /// Reads all rows of the vertex text, and records a checkpoint for every 64th row. Returns
    /// `None` if the allocation of the checkpoints fails.
    pub(super) fn build(block: &NumberBlock<'_>, format: &VertexFormat, rows: usize) -> Result<Option<Self>> {
        let mut points = Vec::new();
        if points.try_reserve_exact(rows.div_ceil(INTERVAL)).is_err() {
            return Ok(None);
        }
        let mut tokens = block.tokens();
        for row in 0..rows {
            if row.is_multiple_of(INTERVAL) {
                let TextPosition { at, end } = tokens.place();
                points.push(RawCheckpoint { at: as_u64(at).into(), end: as_u64(end).into() });
            }
            read_row(format, &mut tokens, &mut |_, _| {})
                .map_err(|fault| block.fault(fault, rows, format.all_scalars().len()))?;
        }
        Ok(Some(Self::Built(points.into())))
    }

    /// Returns the position in the vertex text of the last checkpoint at or before the vertex with
    /// the index `row`.
    pub(super) fn before(&self, row: usize) -> Option<TextPosition> {
        let point = match self {
            Self::Built(points) => points.get(row.checked_div(INTERVAL)?)?,
            Self::Indexed(points) => points.get(as_u64(row.checked_div(INTERVAL)?))?,
        };
        let [at, end] = [point.at, point.end].map(|offset| usize::try_from(offset.get()).ok());
        Some(TextPosition { at: at?, end: end? })
    }
}
