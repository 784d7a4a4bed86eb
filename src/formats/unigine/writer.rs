//! Writes the fields of UNIGINE files.

use std::io::{self, Write};

use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I16, I32};

use super::animation::coding::Coding;
use super::layout::{Generation, RawBounds};
use crate::decode::{OffsetScale16, compact};
use crate::error::{Error, Field, Result};
use crate::math::as_u64;

/// The lightmap bytes of nearly every surface in real files: UV set 1 and a lightmap resolution of
/// 256 texels.
const DEFAULT_LIGHTMAP: [u8; 2] = [1, 3];

/// Writes numbers, strings and other primitive values of UNIGINE files, and counts the written
/// bytes.
#[derive(Debug)]
pub(crate) struct FieldWriter<W> {
    out: W,
    magic: &'static str,
    format: &'static str,
    written: u64,
}

impl<W: Write> FieldWriter<W> {
    pub(crate) const fn new(out: W, magic: &'static str, format: &'static str) -> Self {
        Self { out, magic, format, written: 0 }
    }

    /// Creates a writer for a mesh of the format version `generation`.
    pub(crate) const fn for_mesh(out: W, generation: Generation) -> Self {
        Self::new(out, generation.magic(), generation.format())
    }

    /// Writes the magic number, which occurs at the start, between the sections, and at the end of
    /// a file.
    pub(crate) fn magic(&mut self) -> Result<()> {
        self.bytes(self.magic.as_bytes())
    }

    /// Writes a count as a variable-length integer (compact int), in the shortest encoding, as the
    /// engine does.
    pub(crate) fn count(&mut self, count: u32) -> Result<()> {
        // The count is always below 2^31, because readers and builders return an error for greater
        // counts.
        let (bytes, length) = compact::encode(i32::try_from(count).unwrap_or(i32::MAX));
        self.bytes(bytes.get(..length).unwrap_or_default())
    }

    /// Writes `length`, the number of items of an array, as a variable-length integer (compact
    /// int).
    pub(crate) fn length(&mut self, length: usize) -> Result<()> {
        self.count(u32::try_from(length).unwrap_or(u32::MAX))
    }

    /// Writes the length of a name, the bytes of the name, and a closing NUL byte. The written
    /// length includes the NUL byte.
    pub(crate) fn text(&mut self, name: &[u8]) -> Result<()> {
        self.length(name.len().saturating_add(1))?;
        self.bytes(name)?;
        self.bytes(&[0])
    }

    /// Writes the two lightmap bytes of a surface. Writes nothing for ms10 and ms11, which store no
    /// lightmap bytes.
    pub(crate) fn lightmap(&mut self, generation: Generation, lightmap: Option<[u8; 2]>) -> Result<()> {
        if generation.has_lightmap() { self.bytes(&lightmap.unwrap_or(DEFAULT_LIGHTMAP)) } else { Ok(()) }
    }

    /// Writes the header entry of a shape (target): its name (not in ms15) and its number of
    /// positions (only in ms14 and ms15).
    pub(crate) fn target(&mut self, generation: Generation, name: &[u8], positions: Option<u32>) -> Result<()> {
        if generation.has_targets() {
            self.text(name)?;
        }
        positions.map_or(Ok(()), |positions| self.count(positions))
    }

    pub(crate) fn bounds(&mut self, bounds: &RawBounds) -> Result<()> {
        self.bytes(bounds.as_bytes())
    }

    /// Writes an index with one, two or four bytes, depending on the number of items in the array
    /// that the index refers to.
    #[cfg(feature = "cli")]
    pub(crate) fn index(&mut self, index: u32, items: usize) -> Result<()> {
        match (items, u8::try_from(index), u16::try_from(index)) {
            (..=0xff, Ok(index), _) => self.bytes(&[index]),
            (..=0xffff, _, Ok(index)) => self.bytes(zerocopy::little_endian::U16::new(index).as_bytes()),
            _ => self.bytes(&index.to_le_bytes()),
        }
    }

    /// Writes a count as a 32-bit integer.
    pub(crate) fn length_32(&mut self, length: usize) -> Result<()> {
        self.bytes(I32::new(i32::try_from(length).unwrap_or(i32::MAX)).as_bytes())
    }

    /// Writes the length of a name as a 32-bit integer, the bytes of the name, and a closing NUL.
    pub(crate) fn text_32(&mut self, name: &[u8]) -> Result<()> {
        self.length_32(name.len().saturating_add(1))?;
        self.bytes(name)?;
        self.bytes(&[0])
    }

    /// Writes a quantization box: the minimum corner and the size along x, y, z.
    pub(crate) fn boxed(&mut self, OffsetScale16 { min, size }: &OffsetScale16) -> Result<()> {
        self.bytes(min.map(F32::new).as_bytes())?;
        self.bytes(size.map(F32::new).as_bytes())
    }

    /// Writes the fields of an animation before its animation frames: bone indices, quantization
    /// boxes and the flags byte.
    ///
    /// The quantization boxes are written only for [`Coding::Quantized`], and the flags byte is
    /// written only if `flags` is not `None`.
    pub(crate) fn animation_head(&mut self, bones: &[I16], coding: &Coding, flags: Option<u8>) -> Result<()> {
        self.length(bones.len())?;
        self.bytes(bones.as_bytes())?;
        if let Coding::Quantized(boxes) = coding {
            boxes.iter().try_for_each(|one| self.boxed(one))?;
        }
        flags.map_or(Ok(()), |flags| self.bytes(&[flags]))
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| self.failed(error))?;
        self.written = self.written.saturating_add(as_u64(bytes.len()));
        Ok(())
    }

    /// Returns the number of bytes that were written to the output so far.
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
