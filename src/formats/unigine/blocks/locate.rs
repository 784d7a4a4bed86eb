//! Locates geometry blocks with the table of block offsets at the end of the file. If the table is
//! missing or wrong, the blocks are located by reading one block after another.
//!
//! The reader uses an entry of the table of block offsets if the block at the offset in this entry
//! ends at the offset in the next entry. Checking an entry takes two reads, one in the table and
//! one in the block, independent of the number of surfaces. If all entries of a table pass this
//! check but the table leaves out blocks, the reader uses the table, as the engine would do. The
//! `validate` command reads one block after another and reports a table that leaves out blocks. The
//! writer locates blocks in the same way, and therefore copies those that the table leaves out.

use zerocopy::little_endian::I64;

use super::block::{BlockKind, BlockLocation};
use super::tree;
use crate::error::{Field, PathSegment, Result};
use crate::formats::unigine::layout::{BYTE, LZ4, OFFSET, RawFrame};
use crate::formats::unigine::reader::fields::{FieldReader, NoRegions, RegionSink};
use crate::formats::unigine::reader::file_reader::Sections;
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::math::as_u64;

/// Size of an entry in the table of block offsets, in bytes.
const PLACE: u64 = 8;
/// Size of a magic number, in bytes.
pub(crate) const MAGIC: u64 = 4;
/// The number of bytes at the end of the file that are searched for the table of block offsets.
const TAIL: usize = 64 << 10;

impl MeshReader<'_> {
    /// Returns the file offset of a section (a geometry block, the magic number before the trees,
    /// or a tree block) in ms14 and ms15.
    ///
    /// The offset is taken from the table of block offsets if the offsets in the table agree with
    /// the sizes of the blocks. Otherwise, the method finds the offset by reading one block after
    /// another. The returned offset does not depend on which blocks were located by earlier calls.
    pub(crate) fn locate_block(self, section: usize) -> Result<u64> {
        let (surfaces, sections) = (self.surface_count(), &self.state.file.sections);
        if let Some(start) = sections.get(section) {
            return Ok(start);
        }
        if section < surfaces {
            let in_table = self.agreed_block(section).map(|(start, _)| start);
            let start = in_table.map_or_else(|| self.walk_to(section), Ok);
            // If a block cannot be read, only the table of block offsets can locate the blocks
            // after this block.
            let start = start.or_else(|error| self.block_in_table(section).ok_or(error))?;
            sections.set(section, start);
            return Ok(start);
        }
        if sections.get(surfaces).is_none() {
            // The table of block offsets contains only the offsets of the geometry blocks. The
            // magic number before the tree blocks is at the end of the last geometry block.
            let in_table = surfaces.checked_sub(1).and_then(|last| self.agreed_block(last));
            let start = in_table.map_or_else(|| self.walk_to(surfaces), |(_, end)| Ok(end))?;
            sections.set(surfaces, start);
        }
        sections.locate(section, || None, |known, start| self.pass_block(known, start))
    }

    /// Returns the file offset of a surface's geometry block. The method finds the offset by
    /// reading the sizes of all geometry blocks before this block.
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

    /// Returns the offset that the table stores for the geometry block of a surface.
    ///
    /// Returns `None` if the file has no table, if the offset is out of range, or if the geometry
    /// block overlaps the next block.
    pub(crate) fn block_in_table(self, index: usize) -> Option<u64> {
        let table = self.table()?;
        let start = self.place(table, index).filter(|start| (self.body()..table).contains(start))?;
        let next = index.saturating_add(1);
        let most = if next < self.surface_count() { self.place(table, next)? } else { table.saturating_sub(MAGIC) };
        // If the size fields of the block are out of range, `block_in_table` still returns the
        // offset of the block, and the caller gets an error when it reads the block. The offset of
        // a block that overlaps the next block is not returned, because such a block must not be
        // inflated.
        self.block_at(start, index, BlockKind::Geometry).map_or(true, |block| block.end() <= most).then_some(start)
    }

    /// Returns the file offset of the table of block offsets, or `None` if the file has no such
    /// table. The first call searches the file for the table.
    pub(crate) fn table(self) -> Option<u64> {
        *self.state.blocks.table.get_or_init(|| self.find_table())
    }

    /// Returns the start offset of a surface's geometry block, as stored in the table, and the end
    /// offset of this block.
    ///
    /// Returns `None` if the block does not end at the offset that the table stores for the next
    /// block. The last geometry block must end at the magic number before the tree blocks.
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

    /// Searches the end of the file for the table of block offsets, and returns the file offset of
    /// the table.
    ///
    /// In an undamaged file, the table is followed by the closing magic number, which ends the
    /// file. If the file ends with other bytes, the last 64 KiB of the file are searched backwards
    /// for the closing magic number.
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

    /// Returns the file offset of the table of block offsets that ends at the file offset
    /// `closing`.
    ///
    /// Returns `None` if `closing` is not the offset of the magic number after a table.
    fn table_before(self, closing: u64) -> Option<u64> {
        let table = closing.checked_sub(as_u64(self.surface_count()).checked_mul(PLACE)?)?;
        let before = table.checked_sub(MAGIC).filter(|before| *before >= self.body())?;
        let magic = self.generation().magic();
        self.file().fields(closing).ok()?.magic(magic, "closing_magic").ok()?;
        self.file().fields(before).ok()?.magic(magic, "table_magic").ok()?;
        // Each offset in the table must be after the two size fields of the previous block. Without
        // this check of the table, a damaged file could contain many overlapping blocks, and the
        // same bytes would be inflated many times.
        let mut next = self.body();
        for index in 0..self.surface_count() {
            let place = self.place(table, index).filter(|place| *place >= next && (index > 0 || *place == next))?;
            next = place.checked_add(as_u64(size_of::<RawFrame>()))?;
        }
        Some(table)
    }

    /// Returns the block offset that entry `index` of the table stores, or `None` if this offset is
    /// negative or the table is incomplete.
    pub(crate) fn place(self, table: u64, index: usize) -> Option<u64> {
        let at = table.checked_add(as_u64(index).checked_mul(PLACE)?)?;
        let place = self.file().fields(at).ok()?.record::<I64>("offsets", OFFSET).ok()?.get();
        u64::try_from(place).ok()
    }

    /// Returns the end offset of the section with the index `section`, which starts at the file
    /// offset `start`. A section is a geometry block, the magic number before the trees, or a tree
    /// block.
    pub(crate) fn pass_block(self, section: usize, start: u64) -> Result<u64> {
        let mut reader = self.file().fields(start)?;
        match section.checked_sub(self.surface_count()) {
            Some(0) => reader.magic(self.generation().magic(), "tree_magic")?,
            Some(behind) => pass_named(&mut reader, behind.saturating_sub(1), BlockKind::Tree)?,
            None => pass_named(&mut reader, section, BlockKind::Geometry)?,
        }
        Ok(reader.cursor.offset())
    }

    /// Reads the fields after the tree blocks: a magic number and the table of block offsets.
    /// Returns the file offset of the table.
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

/// Skips one block of surface `index`. Error messages about the block contain the surface index.
fn pass_named(reader: &mut FieldReader<'_, NoRegions>, index: usize, kind: BlockKind) -> Result<()> {
    reader.set_place(Field::new("").in_list("surface", as_u64(index)));
    reader.block(kind).map(drop)
}

impl MeshReader<'_> {
    /// Reports the regions of all blocks and of the table of block offsets to the sink of `reader`.
    pub(crate) fn block_regions<S: RegionSink>(self, reader: &mut FieldReader<'_, S>) -> Result<()> {
        if self.blocks_of(reader, BlockKind::Geometry)? {
            reader.set_place(Field::new(""));
            reader.magic(self.generation().magic(), "tree_magic")?;
            self.blocks_of(reader, BlockKind::Tree)?;
        }
        self.read_table(reader).map(drop)
    }

    /// Reports the regions of all geometry blocks, or of all tree blocks, to the sink of `reader`.
    ///
    /// If the size fields of a block are out of range, the region of this block ends at the offset
    /// that the table stores for the next block. If the table stores no offset for the next block,
    /// the region of the damaged block ends before the table, and `blocks_of` returns `false`.
    fn blocks_of<S: RegionSink>(self, reader: &mut FieldReader<'_, S>, kind: BlockKind) -> Result<bool> {
        for index in 0..self.surface_count() {
            reader.set_place(Field::new("").in_list("surface", as_u64(index)));
            let block = match reader.block_sizes(kind) {
                Ok(block) => block,
                Err(error) => {
                    let next = index.saturating_add(1);
                    let told = if kind == BlockKind::Geometry { self.block_in_table(next) } else { None };
                    let end = told.filter(|_| next < self.surface_count());
                    let end = end.or_else(|| self.table()?.checked_sub(MAGIC)).ok_or_else(|| error.clone())?;
                    report_up_to(reader, end, kind).ok_or(error)?;
                    if told.is_some_and(|told| told == end) {
                        continue;
                    }
                    return Ok(false);
                }
            };
            if block.is_verbatim() && self.verbatim_parts(&block, index, kind, NoRegions).is_ok() {
                self.verbatim_parts(&block, index, kind, |region| reader.sink.add(region))?;
                reader.skip_content(block.stored, kind)?;
            } else {
                report_block(reader, &block, kind)?;
            }
        }
        Ok(true)
    }

    /// Reports each array in an uncompressed geometry block or tree block as a region to `sink`.
    fn verbatim_parts(self, block: &BlockLocation, index: usize, kind: BlockKind, sink: impl RegionSink) -> Result<()> {
        let cursor = block.cursor(self.bytes, self.format())?.with_access_log(self.state.file.context.access_log());
        let mut fields = FieldReader { cursor, sink };
        match kind {
            BlockKind::Geometry => self.arrays(index, fields)?.finish_block(),
            BlockKind::Tree => {
                fields.set_place(
                    Field::new("").in_list("surface", as_u64(index)).in_inner_list("tree", PathSegment::ONLY),
                );
                tree::read(&mut fields, &mut self.alone()).map(drop)
            }
        }
    }
}

/// Reports all stored bytes of a block as one region to the sink of `reader`.
fn report_block<S: RegionSink>(reader: &mut FieldReader<'_, S>, block: &BlockLocation, kind: BlockKind) -> Result<()> {
    let start = reader.cursor.offset();
    reader.skip_content(block.stored, kind)?;
    let (element, count) = if block.is_verbatim() { (BYTE, block.stored) } else { (LZ4, 1) };
    reader.report(kind.content(), start, element, count);
    Ok(())
}

/// Reports the bytes of a block whose size fields are out of range as one region to the sink of
/// `reader`. The reported region ends at the file offset `end`.
fn report_up_to<S: RegionSink>(reader: &mut FieldReader<'_, S>, end: u64, kind: BlockKind) -> Option<()> {
    let start = reader.cursor.offset();
    let length = end.checked_sub(start)?;
    reader.skip_content(length, kind).ok()?;
    reader.report(kind.content(), start, BYTE, length);
    Some(())
}
