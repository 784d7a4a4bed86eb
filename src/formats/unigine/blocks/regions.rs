//! Reports the byte ranges (regions) of all blocks in a file to a [`RegionSink`], which receives
//! the name and the location of each region. Each compressed block is reported as one region. In an
//! uncompressed block, each array is reported as a region.

use super::block::{BlockKind, BlockLocation};
use super::locate::MAGIC;
use super::tree;
use crate::error::{Field, PathSegment, Result};
use crate::formats::unigine::layout::{BYTE, LZ4};
use crate::formats::unigine::reader::fields::{FieldReader, NoRegions, RegionSink};
use crate::formats::unigine::reader::mesh_reader::MeshReader;
use crate::math::as_u64;

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
