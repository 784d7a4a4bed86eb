//! A geometry block or tree block whose uncompressed content is available, in the file or in a
//! buffer.

use super::block::{BlockKind, BlockLocation};
use super::inflate;
use crate::error::debug::short_debug;
use crate::error::{Breaking as _, Error, Field, FormatName, Result};
use crate::formats::unigine::validate::rules::INVALID_BLOCK;
use crate::math::as_u64;
use crate::parse::{Cursor, Limits, MemoryBudget};

/// A geometry block or tree block whose uncompressed content is available, in the file or in a
/// buffer.
///
/// If the block is stored uncompressed, the content is borrowed from the file. Otherwise, it is
/// inflated to a buffer in memory.
#[derive(Debug, Default)]
pub(crate) struct InflatedBlock {
    block: Option<BlockLocation>,
    /// Whether the uncompressed content is in `buffer`, to which it was inflated, and not in the
    /// file.
    is_inflated: bool,
    buffer: Vec<u8>,
}

impl InflatedBlock {
    /// Inflates a block to the buffer, unless its content is stored uncompressed. The arguments
    /// `place`, `kind` and `format` are used in error messages.
    pub(crate) fn fill(
        &mut self,
        file: &[u8],
        block: BlockLocation,
        limits: &Limits,
        budget: &mut MemoryBudget<'_>,
        format: &'static FormatName,
        (place, kind): (Field, BlockKind),
    ) -> Result<()> {
        self.block = Some(block);
        self.is_inflated = !block.is_verbatim();
        if block.is_verbatim() {
            return Ok(());
        }
        let size = inflate::check_size(block.stored, block.raw, limits)
            .map_err(|fault| Error::new(format, place.named(kind.sizes()), block.offset, fault))
            .breaking(&INVALID_BLOCK)?;
        inflate::inflate(block.bytes(file), size, budget, &mut self.buffer)
            .map_err(|fault| Error::new(format, place.named(kind.content()), block.start(), fault))
            .breaking(&INVALID_BLOCK)
    }

    /// Returns a cursor at the first byte of the uncompressed content.
    ///
    /// If the content is stored uncompressed in the file, the cursor's offsets are relative to the
    /// start of the file. Otherwise, they are relative to the start of the inflated bytes.
    pub(crate) fn cursor<'a>(&'a self, file: &'a [u8], format: &'static FormatName) -> Result<Cursor<'a>> {
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

    /// Replaces the content of the block with the given bytes in memory.
    pub(crate) fn replace(&mut self, bytes: Vec<u8>) {
        self.buffer = bytes;
        self.is_inflated = true;
    }

    /// Returns the size of the buffer for the inflated content in memory, in bytes.
    pub(crate) fn size(&self) -> u64 {
        as_u64(self.buffer.capacity())
    }
}

/// A reusable buffer for the inflated geometry of one surface at a time.
///
/// Inflating several surfaces into the same buffer saves allocations. Geometry that is inflated
/// into an `InflateBuffer` is not cached in the mesh.
///
/// ```
/// # fn main() -> meshpeek::Result<()> {
/// use meshpeek::Array;
/// use meshpeek::unigine::{InflateBuffer, Mesh};
/// let mesh = Mesh::open(meshpeek::read("data/unigine/room_ms14.mesh")?)?;
/// let mut buffer = InflateBuffer::default();
/// for index in 0..mesh.surface_count() {
///     let surface = mesh.surface_in(index, &mut buffer)?;
///     println!("{}: {} positions", surface.name(), surface.positions()?.len());
/// }
/// assert_eq!(mesh.inflated_bytes(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct InflateBuffer {
    pub(crate) block: InflatedBlock,
}

short_debug!(InflateBuffer: |buffer| { bytes: buffer.block.size() });
