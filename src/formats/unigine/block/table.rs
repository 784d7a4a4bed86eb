//! Where blocks are: by the table at the end of the file or, where that does not tell, by walking over them.
//!
//! A place is believed where a block stands that ends at the next place: two looks, however many surfaces there are. A table
//! that agrees with itself and leaves blocks out is followed, as the engine would; `validate` walks, and tells of it, and the
//! writer walks, so that no block is lost.

use std::sync::atomic::Ordering;

use zerocopy::little_endian::I64;

use super::super::geometry::Starts;
use super::super::layout::{OFFSET, RawFrame};
use super::super::mesh::Mesh;
use super::super::read::{Reader, Sink, Unseen};
use super::Named;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;

/// Bytes of a place in the table.
const PLACE: u64 = 8;
/// Bytes of a magic.
pub(super) const MAGIC: u64 = 4;
/// Bytes that may follow the closing magic for the table to be found all the same.
const TAIL: usize = 64 << 10;

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns where a section starts: where the table and the blocks agree, there; otherwise where a walk over all blocks
    /// comes to it. Whoever asked for what before makes no difference.
    pub(in super::super) fn locate_block(&self, section: usize) -> Result<u64> {
        let surfaces = self.blocks.len();
        if section < surfaces {
            let told = self.told(section).map(|(start, _)| start);
            let start = told.map_or_else(|| self.walk_to(section, Named::Geometry), Ok);
            // Behind a block that cannot be passed, the table is all there is.
            let start = start.or_else(|error| self.placed(section).ok_or(error))?;
            self.starts.set(section, start);
            return Ok(start);
        }
        if self.starts.get(surfaces).is_none() {
            // Trees have no table: the first follows the last geometry.
            let told = surfaces.checked_sub(1).and_then(|last| self.told(last));
            let start = told.map_or_else(|| self.walk_to(surfaces, Named::Geometry), |(_, end)| Ok(end))?;
            self.starts.set(surfaces, start);
        }
        self.walk_to(section, Named::Tree)
    }

    /// Walks over the blocks of a kind from the farthest that was reached, and remembers each on the way.
    pub(super) fn walk_to(&self, section: usize, named: Named) -> Result<u64> {
        let ([geometry, trees], [walked, walked_trees]) = (&self.faults, &self.walked);
        let (fault, walked, starts) = match named {
            Named::Tree => (trees, walked_trees, &self.starts),
            Named::Geometry => {
                let new = || Starts::new(self.blocks.len().saturating_add(1), self.header.body);
                let asked = as_u64(self.blocks.len()).saturating_mul(PLACE);
                let starts = self.walk.get_or_init(new).as_ref();
                let out_of_memory = || {
                    let (format, field) = (self.generation().format(), Field::new("surfaces"));
                    Error::without_offset(format, field, ErrorKind::OutOfMemory { asked })
                };
                (geometry, walked, starts.ok_or_else(out_of_memory)?)
            }
        };
        if let (None, Some((_, error))) = (starts.get(section), fault.get()) {
            return Err(error.clone());
        }
        let mut known = walked.load(Ordering::Relaxed);
        while known < section {
            let next = self.pass_block(known, starts.get(known).unwrap_or(self.header.body)).inspect_err(|error| {
                fault.get_or_init(|| (known, error.clone()));
            })?;
            known = known.saturating_add(1);
            starts.set(known, next);
            walked.fetch_max(known, Ordering::Relaxed);
        }
        starts.get(section).ok_or_else(|| self.no_such("section", known, section))
    }

    /// Returns where the table says that a surface's block is, unless what is there reaches into the next.
    pub(in super::super) fn placed(&self, index: usize) -> Option<u64> {
        let table = self.table()?;
        let start = self.place(table, index).filter(|start| (self.header.body..table).contains(start))?;
        let next = index.saturating_add(1);
        let most = if next < self.blocks.len() { self.place(table, next)? } else { table.saturating_sub(MAGIC) };
        // One whose sizes cannot be used says so itself; one that reaches into the next is not to be inflated.
        self.block_at(start, index, Named::Geometry).map_or(true, |block| block.end() <= most).then_some(start)
    }

    /// Returns the offset of the table, where there is one.
    pub(super) fn table(&self) -> Option<u64> {
        *self.table.get_or_init(|| self.find_table())
    }

    /// Returns where the table says that a surface's block is, and where that ends.
    fn told(&self, index: usize) -> Option<(u64, u64)> {
        let table = self.table()?;
        let start = self.place(table, index)?;
        let end = self.block_at(start, index, Named::Geometry).ok()?.end();
        let next = index.saturating_add(1);
        let fits = if next < self.blocks.len() {
            self.place(table, next)? == end
        } else {
            self.reader(end).ok()?.magic(self.generation().magic(), "tree_magic").is_ok()
        };
        fits.then_some((start, end))
    }

    /// Looks for the table at the end of the file, where a sound one has it, or in front of some bytes more.
    fn find_table(&self) -> Option<u64> {
        let bytes = self.file.bytes();
        let magic = self.generation().magic().as_bytes();
        if bytes.ends_with(magic) {
            return self.table_before(as_u64(bytes.len()).checked_sub(MAGIC)?);
        }
        let first = bytes.len().saturating_sub(TAIL);
        let tail = bytes.get(first..)?;
        memchr::memmem::rfind_iter(tail, magic).find_map(|at| self.table_before(as_u64(first.saturating_add(at))))
    }

    /// Returns the offset of the table that the magic at `closing` closes, if it does.
    fn table_before(&self, closing: u64) -> Option<u64> {
        let table = closing.checked_sub(as_u64(self.blocks.len()).checked_mul(PLACE)?)?;
        let before = table.checked_sub(MAGIC).filter(|before| *before >= self.header.body)?;
        let magic = self.generation().magic();
        self.reader(closing).ok()?.magic(magic, "closing_magic").ok()?;
        self.reader(before).ok()?.magic(magic, "table_magic").ok()?;
        // Blocks that overlap would be inflated again and again: each place lies behind the sizes at the one before.
        let mut next = self.header.body;
        for index in 0..self.blocks.len() {
            let place = self.place(table, index).filter(|place| *place >= next && (index > 0 || *place == next))?;
            next = place.checked_add(as_u64(size_of::<RawFrame>()))?;
        }
        Some(table)
    }

    /// Returns a place that the table tells.
    pub(crate) fn place(&self, table: u64, index: usize) -> Option<u64> {
        let at = table.checked_add(as_u64(index).checked_mul(PLACE)?)?;
        let place = self.reader(at).ok()?.record::<I64>("offsets", OFFSET).ok()?.get();
        u64::try_from(place).ok()
    }

    /// Returns where a section ends that starts at `start`.
    pub(in super::super) fn pass_block(&self, section: usize, start: u64) -> Result<u64> {
        let mut reader = self.reader(start)?;
        match section.checked_sub(self.blocks.len()) {
            Some(0) => reader.magic(self.generation().magic(), "tree_magic")?,
            Some(behind) => pass_named(&mut reader, behind.saturating_sub(1), Named::Tree)?,
            None => pass_named(&mut reader, section, Named::Geometry)?,
        }
        Ok(reader.cursor.offset())
    }

    /// Reads what stands behind the trees: a magic, and the table.
    pub(in super::super) fn read_table<S: Sink>(&self, reader: &mut Reader<'_, S>) -> Result<u64> {
        reader.set_place(Field::new(""));
        reader.magic(self.generation().magic(), "table_magic")?;
        let table = reader.cursor.offset();
        let count = as_u64(self.blocks.len());
        reader.cursor.lend(count, PLACE, "offsets")?;
        reader.report("offsets", table, OFFSET, count);
        Ok(table)
    }
}

/// Steps over a block.
fn pass_named(reader: &mut Reader<'_, Unseen>, index: usize, named: Named) -> Result<()> {
    reader.set_place(Field::new("").in_list("surface", as_u64(index)));
    reader.block(named).map(drop)
}
