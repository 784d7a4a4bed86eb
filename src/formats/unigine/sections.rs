//! Walking a mesh from section to section: animations, surfaces, and in compressed generations their trees.

use super::block::Buffer;
use super::geometry::{Arrays, Told};
use super::header::Header;
use super::layout::BYTE;
use super::mesh::Mesh;
use super::read::{Reader, Sink, Unseen};
use crate::error::{Field, Result};
use crate::math::as_u64;
use crate::parse::{OpenOptions, Region};

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Walks the whole structure: every count, every animation key's flags, the closing magic. No vertex is looked at, but
    /// compressed geometry is inflated, surface by surface, to see the counts in it. What [`validate`](Self::validate)
    /// finds beyond that is not an error here.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset.
    pub fn check(&self) -> Result<()> {
        if self.file.sidecar().is_there() {
            // What a sidecar says is not what the file says.
            return Mesh::open_with(self.as_bytes(), &OpenOptions { record_access: false, ..*self.file.options() })?
                .check();
        }
        let mut buffer = Buffer::default();
        for index in 0..self.blocks.len() {
            self.surface_in(index, &mut buffer)?;
        }
        self.end().map(drop)
    }

    /// Returns the offset of the byte after the closing magic; bytes from there on belong to no field.
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset.
    pub fn end(&self) -> Result<u64> {
        let mut reader = self.reader(self.locate(self.sections())?)?;
        if self.generation().is_compressed() {
            self.read_table(&mut reader)?;
        }
        reader.magic(self.generation().magic(), "closing_magic")?;
        Ok(reader.cursor.offset())
    }

    /// Names every byte of the file, in file order and without gaps.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset; the regions before it have been handed out then.
    pub fn regions(&self, see: &mut dyn FnMut(Region)) -> Result<()> {
        let generation = self.generation();
        let mut reader = Reader { cursor: self.cursor(), sink: |region| see(region) };
        reader.header(generation, self.file.limits())?;
        for index in 0..self.animation_count() {
            self.read_animation(&mut reader, index)?;
        }
        if generation.is_compressed() {
            self.block_regions(&mut reader)?;
        } else {
            for index in 0..self.surface_count() {
                let start = reader.cursor.offset();
                let mut arrays = self.arrays(index, start, &mut reader.sink)?;
                while arrays.next()?.is_some() {}
                reader.cursor = arrays.reader.cursor;
            }
        }
        reader.set_place(Field::new(""));
        reader.magic(generation.magic(), "closing_magic")?;
        let left = reader.cursor.left();
        if left > 0 {
            let start = reader.cursor.offset();
            reader.cursor.lend(left, 1, "end")?;
            reader.report("end", start, BYTE, left);
        }
        Ok(())
    }

    /// Starts finding the arrays of surface `index`, whose geometry is at `start`.
    fn arrays<S: Sink>(&self, index: usize, start: u64, sink: S) -> Result<Arrays<'_, S>> {
        self.arrays_of(index, Reader { cursor: self.cursor().at(start)?, sink })
    }

    /// Starts finding the arrays of surface `index`, whose geometry is what `reader` reads.
    pub(super) fn arrays_of<'a, S: Sink>(&'a self, index: usize, reader: Reader<'a, S>) -> Result<Arrays<'a, S>> {
        let (head, memo) = (self.head(index)?, self.memo(index)?);
        let told = match head.corners {
            Some(corners) => Some(Told { targets: self.reader(head.target_names)?, corners }),
            None => None,
        };
        Ok(Arrays::new(reader, self.generation(), as_u64(index), head.targets, memo).told(told))
    }

    /// Returns the number of sections.
    pub(super) fn sections(&self) -> usize {
        sections(&self.header)
    }

    /// Returns where a section starts: walks from the nearest one known, and remembers each on the way.
    pub(super) fn locate(&self, section: usize) -> Result<u64> {
        if let Some(start) = self.starts.get(section) {
            return Ok(start);
        }
        if self.generation().is_compressed() {
            return self.locate_block(section);
        }
        if let Some(start) = self.recalled(section) {
            self.starts.set(section, start);
            return Ok(start);
        }
        let [fault, _] = &self.faults;
        if let Some((at, error)) = fault.get()
            && section > *at
        {
            return Err(error.clone());
        }
        let (mut known, mut start) = self.starts.nearest(section);
        while known < section {
            start = self.pass(known, start).map_err(|error| fault.get_or_init(|| (known, error)).1.clone())?;
            known = known.saturating_add(1);
            self.starts.set(known, start);
        }
        Ok(start)
    }

    /// Returns where a section ends that starts at `start`.
    fn pass(&self, section: usize, start: u64) -> Result<u64> {
        match section.checked_sub(self.header.animations.len()) {
            None => {
                let mut reader = self.reader(start)?;
                self.read_animation(&mut reader, section)?;
                Ok(reader.cursor.offset())
            }
            Some(surface) => self.arrays(surface, start, Unseen)?.finish(),
        }
    }
}

/// Returns the number of sections: animations and surfaces or, of a compressed generation, surfaces, the magic behind
/// them, and their trees.
pub(super) fn sections(header: &Header) -> usize {
    let surfaces = header.surfaces.len();
    let behind = if header.generation.is_compressed() { surfaces.saturating_add(1) } else { 0 };
    header.animations.len().saturating_add(surfaces).saturating_add(behind)
}
