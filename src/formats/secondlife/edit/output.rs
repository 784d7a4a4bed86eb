//! Writes an edited asset: a new header, followed by the blocks.

// Rule: this file sorts and maps by copies only.

use std::ops::Range;

use super::super::layout::{AssetPart, FORMAT};
use super::super::llsd::LlsdWriter;
use super::Edit;
use super::entry::{BlockSource, HeaderEntry};
use crate::error::{Cause, Error, Field, Result};

impl Edit<'_> {
    /// Encodes the asset with the changes and returns its bytes.
    ///
    /// # Errors
    ///
    /// Returns the error of [`AssetView::stored`](super::super::AssetView::stored) if a block to
    /// copy is damaged or not complete. Returns
    /// [`ErrorKind::Refused`](crate::error::ErrorKind::Refused) if the offset or the size of a
    /// block does not fit in an LLSD integer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let pieces = self.pieces()?;
        let bytes = self.asset.get(..self.line).unwrap_or_default().to_vec();
        let mut writer = LlsdWriter::after(bytes);
        writer.open_map(self.entries.len().try_into().unwrap_or(u32::MAX));
        let mut bytes = writer.into_bytes();
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.key);
            match &entry.block {
                Some(BlockSource::Kept(range)) => {
                    bytes = self.write_block(bytes, entry, range, offset(&pieces, range))?;
                }
                _ => bytes.extend_from_slice(&entry.value),
            }
        }
        let mut writer = LlsdWriter::after(bytes);
        writer.close_map();
        bytes = writer.into_bytes();
        for piece in pieces {
            bytes.extend_from_slice(self.asset.get(piece).unwrap_or_default());
        }
        bytes.extend_from_slice(self.trailing);
        Ok(bytes)
    }

    /// Returns the byte ranges of the asset to write after the header, in output order.
    fn pieces(&self) -> Result<Vec<Range<usize>>> {
        let mut kept: Vec<Range<usize>> = Vec::new();
        for entry in &self.entries {
            match &entry.block {
                Some(BlockSource::Kept(range)) => kept.push(range.clone()),
                Some(BlockSource::Damaged { error, .. }) => return Err(error.clone()),
                None => {}
            }
        }
        kept.sort_unstable_by_key(|range| (range.start, range.end));
        // If the byte ranges of blocks overlap, the ranges are merged, and each merged range is
        // copied once.
        kept.dedup_by(|next, before| {
            let overlap = next.start < before.end;
            if overlap {
                before.end = before.end.max(next.end);
            }
            overlap
        });
        Ok(kept)
    }

    /// Writes the map in the header entry of a block. The written map has the values of the
    /// original map, except for the new offset.
    fn write_block(
        &self,
        bytes: Vec<u8>,
        entry: &HeaderEntry<'_>,
        range: &Range<usize>,
        offset: usize,
    ) -> Result<Vec<u8>> {
        let part = AssetPart::ALL.into_iter().find(|part| entry.name == part.key().as_bytes());
        let part = part.unwrap_or(AssetPart::HighLod);
        let size = whole(part, range.len())?;
        let offset = whole(part, offset)?;
        let Some(map) = entry.map else {
            let mut writer = LlsdWriter::after(bytes);
            writer.open_map(2).key("offset").integer(offset).key("size").integer(size).close_map();
            return Ok(writer.into_bytes());
        };
        let [offset_at, size_at] = ["offset", "size"].map(|key| map.get(key).map(|entry| entry.at));
        // If a map does not contain the key `offset` or `size`, readers use 0 for the missing
        // value. If the key `offset` or `size` is missing and the new value of the key is not 0,
        // the key is added to the map.
        let lacking = [("offset", offset, offset_at), ("size", size, size_at)];
        let lacking = lacking.iter().filter(|(_, number, at)| at.is_none() && *number != 0);
        let count = map.len().saturating_add(lacking.clone().count());
        let mut writer = LlsdWriter::after(bytes);
        writer.open_map(count.try_into().unwrap_or(u32::MAX));
        for entry in map.iter() {
            let at = Some(entry.at);
            writer.key_as_read(entry.key);
            if at == offset_at {
                writer.integer(offset);
            } else if at == size_at {
                writer.integer(size);
            } else {
                let copied = writer.copy(self.asset, entry.at, &self.limits);
                copied.map_err(|fault| Error::new(FORMAT, Field::new("header"), fault.at, fault.kind))?;
            }
        }
        for (key, number, _) in lacking {
            writer.key(key).integer(*number);
        }
        writer.close_map();
        Ok(writer.into_bytes())
    }
}

/// Returns the byte offset of a block relative to the end of the header.
fn offset(pieces: &[Range<usize>], range: &Range<usize>) -> usize {
    let before = pieces.iter().take_while(|piece| piece.end < range.end);
    let piece = pieces.iter().find(|piece| range.end <= piece.end);
    let within = piece.map_or(0, |piece| range.start.saturating_sub(piece.start));
    before.map(ExactSizeIterator::len).fold(within, usize::saturating_add)
}

/// Converts the offset or the size of a block to an LLSD integer, which is a signed 32-bit integer.
fn whole(part: AssetPart, number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| {
        let expected = format!("at most {} bytes for all blocks together", i32::MAX);
        let kind = Cause::Refused { expected: expected.into(), found: number.to_string().into() };
        Error::without_offset(FORMAT, Field::new(part.key()), kind)
    })
}
