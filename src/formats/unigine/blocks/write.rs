//! Writes the blocks of a mesh in format version ms14 or ms15, and the table of block offsets after
//! the blocks.

use std::io::Write;

use super::block::{BlockKind, BlockLocation};
use super::inflate::deflate;
use super::inflated::InflatedBlock;
use crate::error::{Field, Result};
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::formats::unigine::writer::FieldWriter;
use crate::math::as_u64;
use crate::model::Storage;

impl<W: Write> FieldWriter<W> {
    /// Writes a block: its two size fields and its stored bytes. `raw` is the size of the
    /// uncompressed content in bytes.
    fn block(&mut self, raw: i64, stored: &[u8]) -> Result<()> {
        self.bytes(&raw.to_le_bytes())?;
        self.bytes(&i64::try_from(stored.len()).unwrap_or(i64::MAX).to_le_bytes())?;
        self.bytes(stored)
    }

    /// Writes a block with the given uncompressed content. The writer compresses the content,
    /// unless `storage` is [`Storage::Raw`].
    pub(crate) fn new_block(&mut self, content: &[u8], storage: Storage) -> Result<()> {
        let raw = i64::try_from(content.len()).unwrap_or(i64::MAX);
        if storage == Storage::Raw { self.block(raw, content) } else { self.block(raw, &deflate(content)) }
    }

    /// Writes the fields after the last block: a magic number, the table of block offsets `places`,
    /// and the closing magic number.
    pub(crate) fn table(&mut self, places: &[u64]) -> Result<()> {
        self.magic()?;
        for place in places {
            self.bytes(&place.to_le_bytes())?;
        }
        self.magic()
    }
}

/// Writes the blocks and the table of block offsets of a mesh in format version ms14 or ms15. The
/// table contains the offsets of the geometry blocks in the written file.
pub(crate) fn compressed_mesh(
    mesh: MeshReader<'_>,
    mut writer: FieldWriter<impl Write>,
    storage: Storage,
) -> Result<()> {
    let mut places = Vec::new();
    for index in 0..mesh.surface_count() {
        places.push(writer.written());
        // The table of block offsets in the source file is not used, because it may be wrong. The
        // blocks are located by reading one after another, so blocks that the table leaves out are
        // also written.
        let block = mesh.block_at(mesh.walk_to(index)?, index, BlockKind::Geometry)?;
        write_block(mesh, &mut writer, block, (index, BlockKind::Geometry), storage)?;
    }
    writer.magic()?;
    for index in 0..mesh.surface_count() {
        write_block(mesh, &mut writer, mesh.tree_block(index)?, (index, BlockKind::Tree), storage)?;
    }
    mesh.end()?;
    writer.table(&places)?;
    writer.flush()
}

fn write_block(
    mesh: MeshReader<'_>,
    writer: &mut FieldWriter<impl Write>,
    block: BlockLocation,
    (index, kind): (usize, BlockKind),
    storage: Storage,
) -> Result<()> {
    let stored = block.bytes(mesh.bytes);
    crate::io::prefetch(stored);
    if storage == Storage::Kept {
        return writer.block(block.raw, stored);
    }
    let place = Field::new("").in_list("surface", as_u64(index));
    let mut inflated = InflatedBlock::default();
    inflated.fill(mesh.bytes, block, mesh.limits(), &mut mesh.alone(), mesh.format(), (place, kind))?;
    writer.new_block(inflated.bytes(mesh.bytes), storage)
}
