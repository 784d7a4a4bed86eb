//! Walking an animation file from animation to animation.

use super::super::layout::BYTE;
use super::super::read::{Reader, Sink};
use super::Coding;
use super::file::Animation;
use super::read::BoneIds;
use super::view::AnimationView;
use crate::error::{Field, Result};
use crate::math::as_u64;
use crate::parse::{OpenOptions, Region};

impl<D: AsRef<[u8]>> Animation<D> {
    /// Walks the whole structure: every count, every key's flags, the closing magic. No key is decoded.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset.
    pub fn check(&self) -> Result<()> {
        if self.file.sidecar().is_there() {
            // What a sidecar says is not what the file says.
            return Animation::open_with(
                self.as_bytes(),
                &OpenOptions { record_access: false, ..*self.file.options() },
            )?
            .check();
        }
        self.end().map(drop)
    }

    /// Returns the offset of the byte after the closing magic; bytes from there on belong to no field.
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset.
    pub fn end(&self) -> Result<u64> {
        let mut reader = self.reader(self.locate(self.animation_count())?)?;
        self.closing_magic(&mut reader)?;
        Ok(reader.cursor.offset())
    }

    /// Names every byte of the file, in file order and without gaps.
    ///
    /// # Errors
    ///
    /// The first fault, by field and offset; the regions before it have been handed out then.
    pub fn regions(&self, see: &mut dyn FnMut(Region)) -> Result<()> {
        let mut reader = Reader { cursor: self.cursor(), sink: |region| see(region) };
        reader.animation_header(self.generation, self.file.limits())?;
        for index in 0..self.animation_count() {
            self.read_animation(&mut reader, index)?;
        }
        self.closing_magic(&mut reader)?;
        let left = reader.cursor.left();
        if left > 0 {
            let start = reader.cursor.offset();
            reader.cursor.lend(left, 1, "end")?;
            reader.report("end", start, BYTE, left);
        }
        Ok(())
    }

    /// Reads the magic that closes the file. Where it is not there, and keys had flags of unknown meaning, those are to blame.
    fn closing_magic<S: Sink>(&self, reader: &mut Reader<'_, S>) -> Result<()> {
        reader.set_place(Field::new(""));
        let Err(error) = reader.magic(self.generation.magic(), "closing_magic") else { return Ok(()) };
        let views =
            (0..self.animation_count()).filter_map(|index| self.animation(index).ok().map(|view| (index, view)));
        for (index, view) in views {
            if let Some(at) = view.first_unknown() {
                reader.set_place(Field::new("").in_list("animation", as_u64(index)));
                return Err(reader.unknown_flags(at, &view.coding()));
            }
        }
        Err(error)
    }

    /// Reads an animation's block, whose bones, from an12 on, stand in the header.
    pub(super) fn read_animation<'a>(
        &'a self,
        reader: &mut Reader<'a, impl Sink>,
        index: usize,
    ) -> Result<AnimationView<'a>> {
        let kept = self.kept.slot(index).ok_or_else(|| self.no_such("animation", self.kept.len(), index))?;
        self.recall(kept, index);
        let share = as_u64(self.file.bytes().len()).checked_div(as_u64(self.kept.len())).unwrap_or_default();
        let bones =
            if self.generation.has_skeleton() { Some(self.reader(self.header.animated)?.bone_ids()?) } else { None };
        reader.set_place(Field::new("").in_list("animation", as_u64(index)));
        if self.generation.is_quantized() {
            return reader.quantized_animation(kept, share);
        }
        let bones: BoneIds<'a> = match bones {
            Some(bones) => bones,
            None => reader.bone_ids()?,
        };
        reader.keys(bones, Coding::Whole, kept, share)
    }

    /// Returns where an animation's block starts, and after the last, the closing magic.
    pub(super) fn locate(&self, section: usize) -> Result<u64> {
        if let Some(start) = self.starts.get(section) {
            return Ok(start);
        }
        if let Some(start) = self.recalled(section) {
            self.starts.set(section, start);
            return Ok(start);
        }
        if let Some((at, error)) = self.fault.get()
            && section > *at
        {
            return Err(error.clone());
        }
        let (mut known, mut start) = self.starts.nearest(section);
        while known < section {
            let passed = self.reader(start).and_then(|mut reader| {
                self.read_animation(&mut reader, known)?;
                Ok(reader.cursor.offset())
            });
            start = passed.map_err(|error| self.fault.get_or_init(|| (known, error)).1.clone())?;
            known = known.saturating_add(1);
            self.starts.set(known, start);
        }
        Ok(start)
    }
}
