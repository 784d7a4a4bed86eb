//! Where blocks are: by the table at the end of the file or, where that does not tell, by walking over them.
//!
//! A place is believed where a block stands that ends at the next place: two looks, however many surfaces there are. A table
//! that agrees with itself and leaves blocks out is followed, as the engine would; `validate` walks, and tells of it, and the
//! writer walks, so that no block is lost.

use zerocopy::little_endian::I64;

use super::block::BlockKind;
use crate::error::{Field, Result};
use crate::formats::unigine::layout::{OFFSET, RawFrame};
use crate::formats::unigine::reader::fields::{FieldReader, NoRegions, RegionSink};
use crate::formats::unigine::reader::locate::Sections;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::math::as_u64;

/// Bytes of a place in the table.
const PLACE: u64 = 8;
/// Bytes of a magic.
pub(crate) const MAGIC: u64 = 4;
/// Bytes that may follow the closing magic for the table to be found all the same.
const TAIL: usize = 64 << 10;

impl MeshReader<'_> {
    /// Returns where a section starts: by the table if that and the blocks agree, otherwise by a walk over all blocks. The
    /// answer does not depend on earlier calls.
    pub(crate) fn locate_block(self, section: usize) -> Result<u64> {
        let (surfaces, sections) = (self.surface_count(), &self.state.file.sections);
        if let Some(start) = sections.get(section) {
            return Ok(start);
        }
        if section < surfaces {
            let in_table = self.agreed_block(section).map(|(start, _)| start);
            let start = in_table.map_or_else(|| self.walk_to(section), Ok);
            // After a block that cannot be passed, the table is all there is.
            let start = start.or_else(|error| self.block_in_table(section).ok_or(error))?;
            sections.set(section, start);
            return Ok(start);
        }
        if sections.get(surfaces).is_none() {
            // Trees have no table: the first follows the last geometry.
            let in_table = surfaces.checked_sub(1).and_then(|last| self.agreed_block(last));
            let start = in_table.map_or_else(|| self.walk_to(surfaces), |(_, end)| Ok(end))?;
            sections.set(surfaces, start);
        }
        sections.locate(section, || None, |known, start| self.pass_block(known, start))
    }

    /// Returns where the geometry of a surface starts, by walking over the blocks before it.
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

    /// Returns where the table says that a surface's block is, unless what is there reaches into the next.
    pub(crate) fn block_in_table(self, index: usize) -> Option<u64> {
        let table = self.table()?;
        let start = self.place(table, index).filter(|start| (self.body()..table).contains(start))?;
        let next = index.saturating_add(1);
        let most = if next < self.surface_count() { self.place(table, next)? } else { table.saturating_sub(MAGIC) };
        // One whose sizes cannot be used says so itself; one that reaches into the next is not to be inflated.
        self.block_at(start, index, BlockKind::Geometry).map_or(true, |block| block.end() <= most).then_some(start)
    }

    /// Returns the offset of the table, where there is one.
    pub(crate) fn table(self) -> Option<u64> {
        *self.state.blocks.table.get_or_init(|| self.find_table())
    }

    /// Returns where the table says that a surface's block is, and where that ends.
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

    /// Looks for the table at the end of the file, where a sound one has it, or in front of some bytes more.
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

    /// Returns the offset of the table that the magic at `closing` closes, if it does.
    fn table_before(self, closing: u64) -> Option<u64> {
        let table = closing.checked_sub(as_u64(self.surface_count()).checked_mul(PLACE)?)?;
        let before = table.checked_sub(MAGIC).filter(|before| *before >= self.body())?;
        let magic = self.generation().magic();
        self.file().fields(closing).ok()?.magic(magic, "closing_magic").ok()?;
        self.file().fields(before).ok()?.magic(magic, "table_magic").ok()?;
        // Blocks that overlap would be inflated again and again: each place lies behind the sizes at the one before.
        let mut next = self.body();
        for index in 0..self.surface_count() {
            let place = self.place(table, index).filter(|place| *place >= next && (index > 0 || *place == next))?;
            next = place.checked_add(as_u64(size_of::<RawFrame>()))?;
        }
        Some(table)
    }

    /// Returns a place that the table tells.
    pub(crate) fn place(self, table: u64, index: usize) -> Option<u64> {
        let at = table.checked_add(as_u64(index).checked_mul(PLACE)?)?;
        let place = self.file().fields(at).ok()?.record::<I64>("offsets", OFFSET).ok()?.get();
        u64::try_from(place).ok()
    }

    /// Returns where a section ends that starts at `start`.
    pub(crate) fn pass_block(self, section: usize, start: u64) -> Result<u64> {
        let mut reader = self.file().fields(start)?;
        match section.checked_sub(self.surface_count()) {
            Some(0) => reader.magic(self.generation().magic(), "tree_magic")?,
            Some(behind) => pass_named(&mut reader, behind.saturating_sub(1), BlockKind::Tree)?,
            None => pass_named(&mut reader, section, BlockKind::Geometry)?,
        }
        Ok(reader.cursor.offset())
    }

    /// Reads what stands behind the trees: a magic, and the table.
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

/// Steps over a block.
fn pass_named(reader: &mut FieldReader<'_, NoRegions>, index: usize, kind: BlockKind) -> Result<()> {
    reader.set_place(Field::new("").in_list("surface", as_u64(index)));
    reader.block(kind).map(drop)
}
