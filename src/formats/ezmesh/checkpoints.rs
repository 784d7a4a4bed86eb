//! Where every 64th vertex of a block of text starts, so that a single vertex is read without those before it.

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::vertex_format::VertexFormat;
use super::xml::number_block::NumberBlock;
use super::xml::numbers::TextPosition;
use crate::error::Result;
use crate::math::as_u64;
use crate::sidecar::RecordSlice;

/// Rows from one checkpoint to the next.
pub(super) const INTERVAL: usize = 64;

/// Where a row starts in the text.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawCheckpoint {
    at: U64,
    /// The end of the piece of text that the row starts in: the block's, or a CDATA section's.
    end: U64,
}

/// The checkpoints of a block.
#[derive(Debug)]
pub(super) enum RowCheckpoints {
    Built(Box<[RawCheckpoint]>),
    Indexed(RecordSlice<RawCheckpoint>),
}

impl RowCheckpoints {
    /// Reads all rows; `None` without the memory for the checkpoints.
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
            block
                .row(format, &mut tokens, &mut |_, _| {})
                .map_err(|fault| block.fault(fault, rows, format.all_scalars().len()))?;
        }
        Ok(Some(Self::Built(points.into())))
    }

    /// Returns where the last row with a checkpoint at or before `row` starts.
    pub(super) fn before(&self, row: usize) -> Option<TextPosition> {
        let point = match self {
            Self::Built(points) => points.get(row.checked_div(INTERVAL)?)?,
            Self::Indexed(points) => points.get(as_u64(row.checked_div(INTERVAL)?))?,
        };
        let [at, end] = [point.at, point.end].map(|offset| usize::try_from(offset.get()).ok());
        Some(TextPosition { at: at?, end: end? })
    }
}
