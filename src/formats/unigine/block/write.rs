//! Writing blocks, and the table that says where they are.

use std::io::Write;

use super::super::mesh::Mesh;
use super::super::write::Writer;
use super::inflate::deflate;
use super::{Block, Held, Named};
use crate::error::{Field, Result};
use crate::math::as_u64;

/// How the blocks of a compressed generation are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// As they are in the file, whatever they hold.
    #[default]
    Kept,
    /// Verbatim: the file grows, and its arrays can be lent straight from it.
    Raw,
    /// Compressed, where that makes them smaller. What another encoder made of the same content differs.
    Lz4,
}

impl<W: Write> Writer<W> {
    /// Writes a block that holds `raw` bytes: its sizes, and its bytes.
    fn block(&mut self, raw: i64, stored: &[u8]) -> Result<()> {
        self.bytes(&raw.to_le_bytes())?;
        self.bytes(&i64::try_from(stored.len()).unwrap_or(i64::MAX).to_le_bytes())?;
        self.bytes(stored)
    }

    /// Writes a block of new content.
    pub(in super::super) fn new_block(&mut self, content: &[u8], storage: Storage) -> Result<()> {
        let raw = i64::try_from(content.len()).unwrap_or(i64::MAX);
        if storage == Storage::Raw { self.block(raw, content) } else { self.block(raw, &deflate(content)) }
    }

    /// Writes what follows the last block: the table, between its magics.
    pub(in super::super) fn table(&mut self, places: &[u64]) -> Result<()> {
        self.magic()?;
        for place in places {
            self.bytes(&place.to_le_bytes())?;
        }
        self.magic()
    }
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Writes a mesh of a compressed generation with its blocks as they are, verbatim, or compressed anew; the table says
    /// where they come to lie. A mesh of the generations before is written as [`write_to`](Self::write_to) does.
    ///
    /// # Errors
    ///
    /// The first fault of the file, by field and offset, or what the output refuses; part of it may be written then.
    pub fn write_stored(&self, out: impl Write, storage: Storage) -> Result<()> {
        if !self.generation().is_compressed() {
            return self.write_to(out);
        }
        let mut writer = Writer::mesh(out, self.generation());
        self.write_header(&mut writer)?;
        let mut places = Vec::new();
        for index in 0..self.surface_count() {
            places.push(writer.written());
            // Where the table is not that of the blocks, these count: no block is lost.
            let start = self.walk_to(index, Named::Geometry)?;
            let block = self.block_at(start, index, Named::Geometry)?;
            self.write_block(&mut writer, block, (index, Named::Geometry), storage)?;
        }
        writer.magic()?;
        for index in 0..self.surface_count() {
            self.write_block(&mut writer, self.tree_block(index)?, (index, Named::Tree), storage)?;
        }
        self.end()?;
        writer.table(&places)?;
        writer.flush()
    }

    fn write_block(
        &self,
        writer: &mut Writer<impl Write>,
        block: Block,
        (index, named): (usize, Named),
        storage: Storage,
    ) -> Result<()> {
        let file = self.file.bytes();
        crate::io::prefetch(block.bytes(file));
        if storage == Storage::Kept {
            return writer.block(block.raw, block.bytes(file));
        }
        let place = Field::new("").in_list("surface", as_u64(index));
        let format = self.generation().format();
        let mut held = Held::default();
        held.fill(file, block, self.file.limits(), &mut self.alone(), (format, (place, named)))?;
        writer.new_block(held.cursor(file, format)?.rest(), storage)
    }
}
