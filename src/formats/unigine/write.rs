//! The writer: the reader mirrored, field by field.
//!
//! A mesh that was read is written from its views, and a sound one comes out byte for byte. What the engine itself
//! never writes (a compact int of another length, a name without its NUL, bytes behind the closing magic) comes out in
//! the engine's form; `validate` finds it, and `rewrite` says so.

use std::io::{self, Write};

use zerocopy::IntoBytes;
use zerocopy::little_endian::{I16, U16};

use super::block::Storage;
use super::layout::{Generation, RawBounds};
use super::mesh::Mesh;
use crate::decode::compact;
use crate::error::{Error, Field, Result};
use crate::io::prefetch;
use crate::math::as_u64;

/// Writes the primitives of UNIGINE files.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    out: W,
    magic: &'static str,
    format: &'static str,
    written: u64,
}

impl<W: Write> Writer<W> {
    pub(crate) const fn new(out: W, magic: &'static str, format: &'static str) -> Self {
        Self { out, magic, format, written: 0 }
    }

    /// Starts a mesh of a generation.
    pub(crate) const fn mesh(out: W, generation: Generation) -> Self {
        Self::new(out, generation.magic(), generation.format())
    }

    /// Writes the magic that opens, divides and closes a file.
    pub(crate) fn magic(&mut self) -> Result<()> {
        self.bytes(self.magic.as_bytes())
    }

    /// Writes a count as the engine spells it.
    pub(crate) fn count(&mut self, count: u32) -> Result<()> {
        // No reader gives, and no builder lets through, a count of 2^31 or more.
        let (bytes, length) = compact::encode(i32::try_from(count).unwrap_or(i32::MAX));
        self.bytes(bytes.get(..length).unwrap_or_default())
    }

    /// Writes the number of items of a list.
    pub(crate) fn length(&mut self, length: usize) -> Result<()> {
        self.count(u32::try_from(length).unwrap_or(u32::MAX))
    }

    /// Writes a name with its length and closing NUL.
    pub(crate) fn text(&mut self, name: &[u8]) -> Result<()> {
        self.length(name.len().saturating_add(1))?;
        self.bytes(name)?;
        self.bytes(&[0])
    }

    /// Writes the two lightmap bytes, where the generation has them.
    pub(crate) fn lightmap(&mut self, generation: Generation, lightmap: Option<[u8; 2]>) -> Result<()> {
        if generation.has_lightmap() { self.bytes(&lightmap.unwrap_or(DEFAULT_LIGHTMAP)) } else { Ok(()) }
    }

    /// Writes what the header says of a target: its name, and its number of positions, as far as the generation has them.
    pub(crate) fn target(&mut self, generation: Generation, name: &[u8], positions: Option<u32>) -> Result<()> {
        if generation.has_targets() {
            self.text(name)?;
        }
        positions.map_or(Ok(()), |positions| self.count(positions))
    }

    pub(crate) fn bounds(&mut self, bounds: &RawBounds) -> Result<()> {
        self.bytes(bounds.as_bytes())
    }

    /// Writes an index in the width that the number of items it points into gives it.
    pub(crate) fn index(&mut self, index: u32, items: usize) -> Result<()> {
        match (items, u8::try_from(index), u16::try_from(index)) {
            (..=0xff, Ok(index), _) => self.bytes(&[index]),
            (..=0xffff, _, Ok(index)) => self.bytes(U16::new(index).as_bytes()),
            _ => self.bytes(&index.to_le_bytes()),
        }
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| self.failed(error))?;
        self.written = self.written.saturating_add(as_u64(bytes.len()));
        Ok(())
    }

    /// Returns how many bytes were written so far.
    pub(crate) const fn written(&self) -> u64 {
        self.written
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::without_offset(self.format, Field::new("output"), error.into())
    }
}

/// The lightmap bytes of nearly every real surface: UV set 1, 256 texels.
const DEFAULT_LIGHTMAP: [u8; 2] = [1, 3];

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Writes the mesh again, field by field. A sound file's bytes come out as they were: blocks of compressed
    /// generations are copied ([`write_stored`](Self::write_stored) stores them anew).
    ///
    /// Many small writes: give it a [`BufWriter`](std::io::BufWriter), or memory.
    ///
    /// # Errors
    ///
    /// The first fault of the file, by field and offset, or what the output refuses; part of it may be written then.
    pub fn write_to(&self, out: impl Write) -> Result<()> {
        if self.generation().is_compressed() {
            return self.write_stored(out, Storage::Kept);
        }
        let mut writer = Writer::mesh(out, self.generation());
        self.write_header(&mut writer)?;
        for index in 0..self.animation_count() {
            writer.animation(&self.animation(index)?)?;
        }
        for surface in self.surfaces() {
            let mut arrays = surface?.arrays()?;
            while let Some(array) = arrays.next()? {
                writer.count(array.count)?;
                prefetch(array.bytes);
                writer.bytes(array.bytes)?;
            }
        }
        self.check()?;
        writer.magic()?;
        writer.flush()
    }

    /// Writes all before the first animation or geometry.
    pub(super) fn write_header(&self, writer: &mut Writer<impl Write>) -> Result<()> {
        writer.magic()?;
        if let Some(leaf) = self.leaf_triangles() {
            writer.count(leaf)?;
        }
        writer.bounds(self.raw_bounds()?)?;
        if self.generation().has_bones() {
            writer.length(self.bone_count())?;
        }
        for bone in 0..self.bone_count() {
            let (name, parent, _) = self.raw_bone(bone)?;
            writer.text(name.as_bytes())?;
            writer.bytes(I16::new(parent).as_bytes())?;
        }
        if self.generation().has_animations() {
            writer.length(self.animation_count())?;
            for animation in 0..self.animation_count() {
                writer.text(self.animation_name(animation)?.as_bytes())?;
            }
        }
        writer.length(self.surface_count())?;
        for surface in 0..self.surface_count() {
            let head = self.head(surface)?;
            writer.text(head.name.as_bytes())?;
            writer.lightmap(self.generation(), head.lightmap)?;
            for count in head.corners.iter().flat_map(|corners| corners.counts) {
                writer.count(count)?;
            }
            writer.bounds(head.bounds)?;
            if self.generation().has_targets() {
                writer.count(head.targets)?;
            }
            for target in self.targets(surface)? {
                let (name, positions) = target?;
                writer.target(self.generation(), name.as_bytes(), positions)?;
            }
        }
        if let Some(memory) = self.memory_estimate() {
            writer.bytes(&memory.to_le_bytes())?;
        }
        writer.magic()?;
        for bone in 0..self.bone_count() {
            let (_, _, transform) = self.raw_bone(bone)?;
            writer.bytes(transform.as_bytes())?;
        }
        Ok(())
    }
}
