//! A block as it can be read.

use super::block::{BlockKind, BlockLocation};
use super::inflate;
use crate::error::{Error, Field, Result};
use crate::math::as_u64;
use crate::parse::{Cursor, Limits, MemoryBudget};

/// A block as it can be read: where it lies in the file or, inflated, in memory.
#[derive(Debug, Default)]
pub(crate) struct InflatedBlock {
    block: Option<BlockLocation>,
    /// Whether what it holds is in `buffer`, and not in the file.
    is_inflated: bool,
    buffer: Vec<u8>,
}

impl InflatedBlock {
    /// Inflates a block, unless it is stored verbatim. `field` and `format` are for errors.
    pub(crate) fn fill(
        &mut self,
        file: &[u8],
        block: BlockLocation,
        limits: &Limits,
        budget: &mut MemoryBudget<'_>,
        format: &'static str,
        (place, kind): (Field, BlockKind),
    ) -> Result<()> {
        self.block = Some(block);
        self.is_inflated = !block.is_verbatim();
        if block.is_verbatim() {
            return Ok(());
        }
        let size = inflate::check_size(block.stored, block.raw, limits)
            .map_err(|fault| Error::new(format, place.named(kind.sizes()), block.offset, fault))?;
        inflate::inflate(block.bytes(file), size, budget, &mut self.buffer)
            .map_err(|fault| Error::new(format, place.named(kind.content()), block.start(), fault))
    }

    /// Starts reading what the block holds, at its first byte. Offsets of a verbatim block are those of the file.
    pub(crate) fn cursor<'a>(&'a self, file: &'a [u8], format: &'static str) -> Result<Cursor<'a>> {
        let block = self.block.unwrap_or(BlockLocation { offset: 0, raw: 0, stored: 0 });
        if let Some(bytes) = self.inflated_bytes() {
            return Ok(Cursor::new(bytes, format).inflated_from(block.start()));
        }
        block.cursor(file, format)
    }

    /// Returns the offset of the block's bytes in the file, where what it holds lies elsewhere.
    pub(crate) fn inflated_from(&self) -> Option<u64> {
        self.block.filter(|_| self.is_inflated).map(|block| block.start())
    }

    /// Returns what the block inflates to; `None` where it lies in the file.
    pub(crate) fn inflated_bytes(&self) -> Option<&[u8]> {
        self.is_inflated.then_some(&*self.buffer)
    }

    /// Returns what the block holds, wherever it lies.
    pub(crate) fn bytes<'a>(&'a self, file: &'a [u8]) -> &'a [u8] {
        let in_file = || self.block.map(|block| block.bytes(file)).unwrap_or_default();
        self.inflated_bytes().unwrap_or_else(in_file)
    }

    /// Puts other bytes in the place of those that were read.
    pub(crate) fn replace(&mut self, bytes: Vec<u8>) {
        self.buffer = bytes;
        self.is_inflated = true;
    }

    /// Returns the bytes of memory that it holds.
    pub(crate) fn size(&self) -> u64 {
        as_u64(self.buffer.capacity())
    }
}
