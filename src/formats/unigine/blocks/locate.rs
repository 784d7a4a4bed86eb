//! Locates blocks with the table of blocks at the end of the file. If the table cannot be used,
//! blocks are located by reading one block after another.
//!
//! An entry of the table is trusted if a block starts at the offset in the entry and ends at the
//! offset in the next entry. Checking an entry takes two reads, independent of the number of
//! surfaces. If a table is consistent but leaves out blocks, the reader uses this table, as the
//! engine would do. `validate` reads one block after another and reports such a table. The writer
//! also reads one block after another, so no block is lost.

use zerocopy::little_endian::I64;

use super::block::BlockKind;
use crate::error::{Field, Result};
use crate::formats::unigine::layout::{OFFSET, RawFrame};
use crate::formats::unigine::reader::fields::{FieldReader, NoRegions, RegionSink};
use crate::formats::unigine::reader::locate::Sections;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::math::as_u64;

/// Size of an entry of the table of blocks, in bytes.
const PLACE: u64 = 8;
/// Size of a magic number, in bytes.
pub(crate) const MAGIC: u64 = 4;
/// The size of the part at the end of the file that is searched for the table of blocks, in bytes.
const TAIL: usize = 64 << 10;

impl MeshReader<'_> {
    /// Returns the start offset of a section in ms14 and ms15.
    ///
    /// The offset is taken from the table of blocks if the table and the blocks agree. If they do
    /// not agree, the offset is found by reading one block after another. The result does not
    /// depend on earlier calls.
    pub(crate) fn locate_block(self, section: usize) -> Result<u64> {
        let (surfaces, sections) = (self.surface_count(), &self.state.file.sections);
        if let Some(start) = sections.get(section) {
            return Ok(start);
        }
        if section < surfaces {
            let in_table = self.agreed_block(section).map(|(start, _)| start);
            let start = in_table.map_or_else(|| self.walk_to(section), Ok);
            // If a block cannot be read, only the table can locate the blocks after it.
            let start = start.or_else(|error| self.block_in_table(section).ok_or(error))?;
            sections.set(section, start);
            return Ok(start);
        }
        if sections.get(surfaces).is_none() {
            // The table does not contain the offsets of the tree blocks. The section of the trees
            // starts at the end of the last geometry block.
            let in_table = surfaces.checked_sub(1).and_then(|last| self.agreed_block(last));
            let start = in_table.map_or_else(|| self.walk_to(surfaces), |(_, end)| Ok(end))?;
            sections.set(surfaces, start);
        }
        sections.locate(section, || None, |known, start| self.pass_block(known, start))
    }

    /// Returns the offset of the geometry block of a surface, found by reading the blocks before
    /// it.
    pub(crate) fn walk_to(self, surface: usize) -> Result<u64> {
        let walk = if let Some(walk) = self.state.blocks.walk.get() {
            walk
        } else {
            let new = Sections::new(self.format(), self.surface_count(), self.body())?;
            self.state.blocks.walk.get_or_init(|| new)
        };
        walk.locate(surface, || None, |known, start| self.pass_block(known, start))
    }

    const fn body(self) -> u64 {
        self.state.file.header.body
    }

    /// Returns the offset that the table stores for the geometry block of a surface. Returns `None`
    /// if that block overlaps the next block.
    pub(crate) fn block_in_table(self, index: usize) -> Option<u64> {
        let table = self.table()?;
        let start = self.place(table, index).filter(|start| (self.body()..table).contains(start))?;
        let next = index.saturating_add(1);
        let most = if next < self.surface_count() { self.place(table, next)? } else { table.saturating_sub(MAGIC) };
        // The offset of a block with invalid sizes is returned, because reading the block returns
        // an error. A block that overlaps the next block must not be inflated.
        self.block_at(start, index, BlockKind::Geometry).map_or(true, |block| block.end() <= most).then_some(start)
    }

    /// Returns the offset of the table of blocks, or `None` if the file has no such table.
    pub(crate) fn table(self) -> Option<u64> {
        *self.state.blocks.table.get_or_init(|| self.find_table())
    }

    /// Returns the start of a surface's geometry block, as stored in the table, and the end of that
    /// block.
    ///
    /// Returns `None` if the table and the blocks do not agree.
    fn agreed_block(self, index: usize) -> Option<(u64, u64)> {
        let table = self.table()?;
        let start = self.place(table, index)?;
        let end = self.block_at(start, index, BlockKind::Geometry).ok()?.end();
        let next = index.saturating_add(1);
        let fits = if next < self.surface_count() {
            self.place(table, next)? == end
        } else {
            self.file().fields(end).ok()?.magic(self.generation().magic(), "tree_magic").is_ok()
        };
        fits.then_some((start, end))
    }

    /// Searches the end of the file for the table of blocks, and returns its offset.
    ///
    /// In a valid file, only the closing magic number follows the table. If other bytes follow this
    /// magic number, the search continues backwards through the last 64 KiB of the file.
    fn find_table(self) -> Option<u64> {
        let bytes = self.bytes;
        let magic = self.generation().magic().as_bytes();
        if bytes.ends_with(magic) {
            return self.table_before(as_u64(bytes.len()).checked_sub(MAGIC)?);
        }
        let first = bytes.len().saturating_sub(TAIL);
        let tail = bytes.get(first..)?;
        memchr::memmem::rfind_iter(tail, magic).find_map(|at| self.table_before(as_u64(first.saturating_add(at))))
    }

    /// Returns the offset of the table that ends at the offset `closing`. Returns `None` if the
    /// magic number at `closing` is not the end of a table.
    fn table_before(self, closing: u64) -> Option<u64> {
        let table = closing.checked_sub(as_u64(self.surface_count()).checked_mul(PLACE)?)?;
        let before = table.checked_sub(MAGIC).filter(|before| *before >= self.body())?;
        let magic = self.generation().magic();
        self.file().fields(closing).ok()?.magic(magic, "closing_magic").ok()?;
        self.file().fields(before).ok()?.magic(magic, "table_magic").ok()?;
        // If blocks overlapped, the same bytes would be inflated many times. Therefore each offset
        // in the table must lie after the two sizes of the previous block.
        let mut next = self.body();
        for index in 0..self.surface_count() {
            let place = self.place(table, index).filter(|place| *place >= next && (index > 0 || *place == next))?;
            next = place.checked_add(as_u64(size_of::<RawFrame>()))?;
        }
        Some(table)
    }

    /// Returns the offset that entry `index` of the table stores.
    pub(crate) fn place(self, table: u64, index: usize) -> Option<u64> {
        let at = table.checked_add(as_u64(index).checked_mul(PLACE)?)?;
        let place = self.file().fields(at).ok()?.record::<I64>("offsets", OFFSET).ok()?.get();
        u64::try_from(place).ok()
    }

    /// Returns the end offset of the section that starts at `start`.
    pub(crate) fn pass_block(self, section: usize, start: u64) -> Result<u64> {
        let mut reader = self.file().fields(start)?;
        match section.checked_sub(self.surface_count()) {
            Some(0) => reader.magic(self.generation().magic(), "tree_magic")?,
            Some(behind) => pass_named(&mut reader, behind.saturating_sub(1), BlockKind::Tree)?,
            None => pass_named(&mut reader, section, BlockKind::Geometry)?,
        }
        Ok(reader.cursor.offset())
    }

    /// Reads the fields after the tree blocks: a magic number and the table of blocks.
    pub(crate) fn read_table<S: RegionSink>(self, reader: &mut FieldReader<'_, S>) -> Result<u64> {
        reader.set_place(Field::new(""));
        reader.magic(self.generation().magic(), "table_magic")?;
        let table = reader.cursor.offset();
        let count = as_u64(self.surface_count());
        reader.cursor.lend(count, PLACE, "offsets")?;
        reader.report("offsets", table, OFFSET, count);
        Ok(table)
    }
}

/// Skips one block. Errors name surface `index`.
fn pass_named(reader: &mut FieldReader<'_, NoRegions>, index: usize, kind: BlockKind) -> Result<()> {
    reader.set_place(Field::new("").in_list("surface", as_u64(index)));
    reader.block(kind).map(drop)
}
