//! The names of blocks' bytes: of what is stored verbatim, those of all arrays in it.

use super::super::layout::{BYTE, LZ4};
use super::super::mesh::Mesh;
use super::super::read::{Lent, Reader, Sink, Unseen};
use super::table::MAGIC;
use super::{Block, Named, tree};
use crate::error::{Field, PathSegment, Result};
use crate::math::as_u64;

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Names the bytes of all blocks and of the table.
    pub(in super::super) fn block_regions<S: Sink>(&self, reader: &mut Reader<'_, S>) -> Result<()> {
        if self.blocks_of(reader, Named::Geometry)? {
            reader.set_place(Field::new(""));
            reader.magic(self.generation().magic(), "tree_magic")?;
            self.blocks_of(reader, Named::Tree)?;
        }
        self.read_table(reader).map(drop)
    }

    /// Names the bytes of all geometry, or of all trees. Where the sizes of one cannot be used, the bytes up to the next that
    /// the table tells are taken for it; `false` where that is the table itself.
    fn blocks_of<S: Sink>(&self, reader: &mut Reader<'_, S>, named: Named) -> Result<bool> {
        for index in 0..self.blocks.len() {
            reader.set_place(Field::new("").in_list("surface", as_u64(index)));
            let block = match reader.block_sizes(named) {
                Ok(block) => block,
                Err(error) => {
                    let next = index.saturating_add(1);
                    let told = if named == Named::Geometry { self.placed(next) } else { None };
                    let end = told.filter(|_| next < self.blocks.len());
                    let end = end.or_else(|| self.table()?.checked_sub(MAGIC)).ok_or_else(|| error.clone())?;
                    report_up_to(reader, end, named).ok_or(error)?;
                    if told.is_some_and(|told| told == end) {
                        continue;
                    }
                    return Ok(false);
                }
            };
            if block.is_verbatim() && self.verbatim_parts(&block, index, named, &mut Unseen).is_ok() {
                self.verbatim_parts(&block, index, named, &mut reader.sink)?;
                reader.cursor.lend(block.stored, 1, named.content())?;
            } else {
                report_block(reader, &block, named)?;
            }
        }
        Ok(true)
    }

    fn verbatim_parts(&self, block: &Block, index: usize, named: Named, sink: &mut impl Sink) -> Result<()> {
        match named {
            Named::Geometry => self.verbatim_geometry(block, index, sink),
            Named::Tree => self.verbatim_tree(block, index, sink),
        }
    }

    /// Names the arrays of geometry that is stored as it is.
    fn verbatim_geometry(&self, block: &Block, index: usize, sink: &mut impl Sink) -> Result<()> {
        self.arrays_of(index, self.verbatim(block, sink)?)?.finish_block()
    }

    /// Names the parts of a tree that is stored as it is.
    fn verbatim_tree(&self, block: &Block, index: usize, sink: &mut impl Sink) -> Result<()> {
        let mut reader = self.verbatim(block, sink)?;
        reader.set_place(Field::new("").in_list("surface", as_u64(index)).in_inner_list("tree", PathSegment::ONLY));
        tree::read(&mut reader, &mut self.alone()).map(drop)
    }

    fn verbatim<'a, S: Sink>(&'a self, block: &Block, sink: &'a mut S) -> Result<Reader<'a, Lent<'a, S>>> {
        let cursor = block.cursor(self.file.bytes(), self.generation().format())?;
        Ok(Reader { cursor: cursor.with_access_log(self.file.access_log()), sink: Lent(sink) })
    }
}

/// Names the bytes of a block as a whole.
fn report_block<S: Sink>(reader: &mut Reader<'_, S>, block: &Block, named: Named) -> Result<()> {
    let start = reader.cursor.offset();
    reader.cursor.lend(block.stored, 1, named.content())?;
    let (element, count) = if block.is_verbatim() { (BYTE, block.stored) } else { (LZ4, 1) };
    reader.report(named.content(), start, element, count);
    Ok(())
}

/// Names the bytes of a block whose sizes cannot be used.
fn report_up_to<S: Sink>(reader: &mut Reader<'_, S>, end: u64, named: Named) -> Option<()> {
    let start = reader.cursor.offset();
    let length = end.checked_sub(start)?;
    reader.cursor.lend(length, 1, named.content()).ok()?;
    reader.report(named.content(), start, BYTE, length);
    Some(())
}
