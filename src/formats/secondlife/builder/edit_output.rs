//! Writes an edited asset: a new header, followed by the blocks.

// Rule: this file sorts and maps by copies only.

use std::ops::Range;

use md5::{Digest as _, Md5};

use super::super::asset_part::AssetPart;
use super::super::layout::FORMAT;
use super::super::llsd::LlsdWriter;
use super::check::whole;
use super::edit::Edit;
use super::edit_blocks::{BlockSource, HeaderEntry};
use crate::error::{Error, Field, Result};

/// The blocks of an asset, in the order in which viewers write these blocks.
const USUAL_ORDER: [AssetPart; 10] = [
    AssetPart::Skin,
    AssetPart::PhysicsConvex,
    AssetPart::LowestLod,
    AssetPart::LowLod,
    AssetPart::MediumLod,
    AssetPart::HighLod,
    AssetPart::PhysicsMesh,
    AssetPart::PhysicsShape,
    AssetPart::PhysicsHavok,
    AssetPart::Skeleton,
];

/// Bytes to write after the header: a byte range of the original asset, or the bytes of a new block
/// and the index of the new block's header entry.
#[derive(Clone, Debug)]
enum OutputRun<'e> {
    Kept(Range<usize>),
    New(usize, &'e [u8]),
}

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
        let mut bytes = self.asset.get(..self.line).unwrap_or_default().to_vec();
        let mut writer = LlsdWriter::after(bytes);
        writer.open_map(self.entries.len().try_into().unwrap_or(u32::MAX));
        bytes = writer.into_bytes();
        for (number, entry) in self.entries.iter().enumerate() {
            bytes.extend_from_slice(&entry.key);
            match &entry.block {
                Some(source) => bytes = self.write_block(bytes, entry, source, offset(&pieces, number, source))?,
                None => bytes.extend_from_slice(&entry.value),
            }
        }
        let mut writer = LlsdWriter::after(bytes);
        writer.close_map();
        bytes = writer.into_bytes();
        for piece in &pieces {
            bytes.extend_from_slice(self.bytes_of(piece));
        }
        bytes.extend_from_slice(self.trailing);
        Ok(bytes)
    }

    /// Returns the byte sequences to write after the header, in output order.
    fn pieces(&self) -> Result<Vec<OutputRun<'_>>> {
        let mut kept: Vec<Range<usize>> = Vec::new();
        for entry in &self.entries {
            match &entry.block {
                Some(BlockSource::Kept(range)) => kept.push(range.clone()),
                Some(BlockSource::Damaged { error, .. }) => return Err(error.clone()),
                _ => {}
            }
        }
        kept.sort_unstable_by_key(|range| (range.start, range.end));
        // If the byte ranges of unchanged blocks overlap, the ranges are merged, and each merged
        // range is copied once.
        kept.dedup_by(|next, before| {
            let overlap = next.start < before.end;
            if overlap {
                before.end = before.end.max(next.end);
            }
            overlap
        });
        let mut pieces: Vec<((usize, usize), OutputRun<'_>)> =
            kept.into_iter().map(|range| ((range.start, usize::MAX), OutputRun::Kept(range))).collect();
        for (number, entry) in self.entries.iter().enumerate() {
            if let Some(BlockSource::New { stored, instead_of }) = &entry.block {
                let place = rank(&entry.name);
                // A new block that replaces no block is written before all blocks that follow the
                // new block in `USUAL_ORDER`.
                let later = self.entries.iter().filter(|other| rank(&other.name) > place);
                let before = || later.filter_map(|entry| entry.block.as_ref().and_then(BlockSource::start)).min();
                let start = instead_of.or_else(before).unwrap_or(usize::MAX);
                pieces.push(((start, place), OutputRun::New(number, stored)));
            }
        }
        pieces.sort_by_key(|(place, _)| *place);
        Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
    }

    fn bytes_of<'e>(&'e self, piece: &OutputRun<'e>) -> &'e [u8] {
        match piece {
            OutputRun::Kept(range) => self.asset.get(range.clone()).unwrap_or_default(),
            OutputRun::New(_, stored) => stored,
        }
    }

    /// Writes the map in the header entry of a block. The written map has the values of the
    /// original map, except for the new offset, the new size and the new hash.
    fn write_block(
        &self,
        bytes: Vec<u8>,
        entry: &HeaderEntry<'_>,
        source: &BlockSource,
        offset: usize,
    ) -> Result<Vec<u8>> {
        let part = AssetPart::ALL.into_iter().find(|part| entry.name == part.key().as_bytes());
        let part = part.unwrap_or(AssetPart::HighLod);
        let size = whole(part, source.len())?;
        let offset = whole(part, offset)?;
        let Some(map) = entry.map else {
            let mut writer = LlsdWriter::after(bytes);
            writer.open_map(2).key("offset").integer(offset).key("size").integer(size).close_map();
            return Ok(writer.into_bytes());
        };
        let [offset_at, size_at, hash_at] = ["offset", "size", "hash"].map(|key| map.get(key).map(|entry| entry.at));
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
            match source {
                _ if at == offset_at => _ = writer.integer(offset),
                _ if at == size_at => _ = writer.integer(size),
                BlockSource::New { stored, .. } if at == hash_at => _ = writer.binary(&Md5::digest(stored)),
                _ => {
                    let copied = writer.copy(self.asset, entry.at, &self.limits);
                    copied.map_err(|fault| Error::new(FORMAT, Field::new("header"), fault.at, fault.kind))?;
                }
            }
        }
        for (key, number, _) in lacking {
            writer.key(key).integer(*number);
        }
        writer.close_map();
        Ok(writer.into_bytes())
    }
}

/// Returns the byte offset of the block that a header entry refers to, relative to the end of the
/// header.
fn offset(pieces: &[OutputRun<'_>], number: usize, source: &BlockSource) -> usize {
    let mut at = 0_usize;
    for piece in pieces {
        let size = match (piece, source) {
            (OutputRun::New(owner, _), BlockSource::New { .. }) if *owner == number => return at,
            (OutputRun::Kept(all), BlockSource::Kept(range)) if all.start <= range.start && range.end <= all.end => {
                return at.saturating_add(range.start.saturating_sub(all.start));
            }
            (OutputRun::Kept(range), _) => range.len(),
            (OutputRun::New(_, stored), _) => stored.len(),
        };
        at = at.saturating_add(size);
    }
    at
}

/// Returns the index of the block with the key `name` in `USUAL_ORDER`, or the number of elements
/// of `USUAL_ORDER` if the array does not contain the block.
fn rank(name: &[u8]) -> usize {
    USUAL_ORDER.iter().position(|part| part.key().as_bytes() == name).unwrap_or(USUAL_ORDER.len())
}
