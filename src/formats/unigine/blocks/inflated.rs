//! A block whose uncompressed content can be read.

use super::block::{BlockKind, BlockLocation};
use super::inflate;
use crate::error::{Error, Field, Result};
use crate::math::as_u64;
use crate::parse::{Cursor, Limits, MemoryBudget};

/// A block whose uncompressed content can be read. The content is in the file if it is stored
/// uncompressed, otherwise inflated in memory.
#[derive(Debug, Default)]
pub(crate) struct InflatedBlock {
    block: Option<BlockLocation>,
    /// Whether the content is in `buffer`, because it was inflated, and not in the file.
    is_inflated: bool,
    buffer: Vec<u8>,
}

impl InflatedBlock {
    /// Inflates a block, unless its content is stored uncompressed. `place`, `kind` and `format`
    /// are used in error messages.
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

    /// Returns a cursor at the first byte of the uncompressed content.
    ///
    /// If the content is stored uncompressed in the file, the cursor's offsets are relative to the
    /// start of the file. If the content was inflated, they are relative to the start of the
    /// inflated bytes.
    pub(crate) fn cursor<'a>(&'a self, file: &'a [u8], format: &'static str) -> Result<Cursor<'a>> {
        let block = self.block.unwrap_or(BlockLocation { offset: 0, raw: 0, stored: 0 });
        if let Some(bytes) = self.inflated_bytes() {
            return Ok(Cursor::new(bytes, format).inflated_from(block.start()));
        }
        block.cursor(file, format)
    }

    /// Returns the file offset of the stored bytes that were inflated, or `None` if the block was
    /// not inflated.
    pub(crate) fn inflated_from(&self) -> Option<u64> {
        self.block.filter(|_| self.is_inflated).map(|block| block.start())
    }

    /// Returns the inflated bytes, or `None` if the content is stored uncompressed in the file.
    pub(crate) fn inflated_bytes(&self) -> Option<&[u8]> {
        self.is_inflated.then_some(&*self.buffer)
    }

    /// Returns the uncompressed content of the block, from the file or from memory.
    pub(crate) fn bytes<'a>(&'a self, file: &'a [u8]) -> &'a [u8] {
        let in_file = || self.block.map(|block| block.bytes(file)).unwrap_or_default();
        self.inflated_bytes().unwrap_or_else(in_file)
    }

    /// Replaces the content of the block in memory by other bytes.
    pub(crate) fn replace(&mut self, bytes: Vec<u8>) {
        self.buffer = bytes;
        self.is_inflated = true;
    }

    /// Returns the size of the memory that the inflated content takes, in bytes.
    pub(crate) fn size(&self) -> u64 {
        as_u64(self.buffer.capacity())
    }
}
