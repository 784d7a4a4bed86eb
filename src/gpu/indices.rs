//! Indices of a surface in a format that a GPU reads.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::output::Blocks;
use crate::array::Array;
use crate::array::bulk::ChunkBuffer;
use crate::error::debug::short_debug;
use crate::error::{Cause, Result};
use crate::math::as_index;
use crate::model::{Indices, SpaceConversion, Surface, Welded};
use crate::simd::kernel;

/// The format of an index in memory. The bytes are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexFormat {
    /// 16 bits.
    Uint16,
    /// 32 bits.
    Uint32,
}

impl IndexFormat {
    /// Returns the smallest format that holds the indices of `count` vertices.
    ///
    /// The index 65535 is not used in 16 bits, because some graphics interfaces, such as WebGL 2,
    /// restart the primitive at it.
    #[must_use]
    pub const fn for_vertices(count: usize) -> Self {
        if count < 1 << 16 { Self::Uint16 } else { Self::Uint32 }
    }

    /// Returns the size of an index in bytes.
    #[must_use]
    pub const fn size(self) -> u32 {
        match self {
            Self::Uint16 => 2,
            Self::Uint32 => 4,
        }
    }
}

/// The indices of a surface, which are checked and converted when they are written.
///
/// [`Drawable::indices`](super::Drawable::indices) returns it. Three indices are a triangle. They
/// refer to the vertices of [`Drawable::vertices`](super::Drawable::vertices).
#[derive(Clone, Copy)]
pub struct IndexSource<'a> {
    surface: Surface<'a>,
    array: IndexArray<'a>,
    vertex_count: usize,
    format: IndexFormat,
    is_reversed: bool,
}

#[derive(Clone, Copy)]
enum IndexArray<'a> {
    Stored(Indices<'a>),
    Welded(&'a [u32]),
}

short_debug!(IndexSource<'_>: |source| {
    surface: source.surface, index_count: source.index_count(), format: source.format, is_reversed: source.is_reversed,
});

/// The number of indices in a block: whole triangles, of at most 8 KiB.
const BLOCK: usize = 1536;

impl<'a> IndexSource<'a> {
    /// Finds the indices of a surface whose two index streams are known to be equal.
    pub(crate) fn stored(surface: &Surface<'a>, format: IndexFormat) -> Result<Self> {
        surface.corners()?;
        let array = IndexArray::Stored(surface.indices()?);
        Ok(Self { surface: *surface, array, vertex_count: surface.positions()?.len(), format, is_reversed: false })
    }

    /// Takes the indices of a welded surface.
    pub(crate) fn welded(surface: &Surface<'a>, welded: &'a Welded, format: IndexFormat) -> Self {
        let array = IndexArray::Welded(&welded.indices);
        Self { surface: *surface, array, vertex_count: welded.vertices.len(), format, is_reversed: false }
    }

    /// Exchanges the second and the third corner of each triangle if the conversion reverses the
    /// winding, as [`SpaceConversion::triangle`] does.
    #[must_use]
    pub const fn in_space(self, conversion: SpaceConversion) -> Self {
        Self { is_reversed: conversion.reverses_corners(), ..self }
    }

    /// Returns the number of indices: three for each triangle.
    #[must_use]
    pub fn index_count(&self) -> usize {
        match &self.array {
            IndexArray::Stored(indices) => indices.len(),
            IndexArray::Welded(indices) => indices.len(),
        }
    }

    /// Returns the size of all indices in bytes.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.index_count().saturating_mul(as_index(self.format.size()))
    }

    /// Writes the indices in `range` to `out`. The range may start and end within a triangle.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the range ends after the last index, [`ErrorKind::Buffer`]
    /// if `out` does not have exactly the size of these indices, [`ErrorKind::Value`] if an index
    /// is not below the number of vertices, and [`ErrorKind::Refused`] if an index does not fit the
    /// format. An error may leave a part of `out` overwritten.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    pub fn write_into(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        Blocks::write_into(self, range, out)
    }

    /// Writes the indices in `range` to memory that is not initialised, and returns the same
    /// memory. The memory is never read.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write_into`](Self::write_into).
    pub fn write_uninit<'o>(&self, range: Range<usize>, out: &'o mut [MaybeUninit<u8>]) -> Result<&'o mut [u8]> {
        Blocks::write_uninit(self, range, out)
    }

    /// Passes the indices in `range` to `visit`, in blocks of at most 8 KiB. The first argument is
    /// the offset of the block from the start of the first index of the range, in bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write_into`](Self::write_into), except for the size of a buffer.
    pub fn push(&self, range: Range<usize>, mut visit: impl FnMut(u64, &[u8])) -> Result<()> {
        Blocks::push(self, range, &mut visit)
    }

    /// Decodes the indices from `start` on into `out`.
    fn fill(&self, start: usize, out: &mut [u32]) {
        let range = start..start.saturating_add(out.len());
        match &self.array {
            IndexArray::Stored(indices) => {
                if let Some(part) = indices.slice(range) {
                    part.fill(out);
                }
            }
            IndexArray::Welded(indices) => {
                let part = indices.get(range).unwrap_or_default();
                out.iter_mut().zip(part).for_each(|(out, index)| *out = *index);
            }
        }
    }

    /// Checks the indices of a block. The first is index `start` of the surface.
    fn check(&self, start: usize, indices: &[u32]) -> Result<()> {
        let greatest = as_index(greatest(indices));
        let most = match self.format {
            IndexFormat::Uint16 => usize::from(u16::MAX),
            IndexFormat::Uint32 => usize::MAX,
        };
        if indices.is_empty() || (greatest < self.vertex_count && greatest <= most) {
            return Ok(());
        }
        let is_wrong = |index: &u32| as_index(*index) >= self.vertex_count || as_index(*index) > most;
        let (corner, index) = (start..).zip(indices).find(|(_, index)| is_wrong(index)).unwrap_or((start, &0));
        let found = format!("{index} at corner {corner}");
        let kind = if as_index(*index) >= self.vertex_count {
            Cause::value(format!("an index below {}", self.vertex_count), found)
        } else {
            Cause::Refused { expected: "indices of at most 65535, or the format uint32".into(), found: found.into() }
        };
        Err(self.surface.fault("indices", kind))
    }
}

kernel! {
    fn greatest(indices: &[u32]) -> u32 {
        indices.iter().fold(0, |greatest, index| greatest.max(*index))
    }
}

kernel! {
    /// Writes the low 16 bits of each index.
    fn narrow_all(indices: &[u32], out: &mut [u8]) {
        for (out, index) in out.as_chunks_mut::<2>().0.iter_mut().zip(indices) {
            let [low, high, ..] = index.to_le_bytes();
            *out = [low, high];
        }
    }
}

kernel! {
    fn copy_all(indices: &[u32], out: &mut [u8]) {
        for (out, index) in out.as_chunks_mut::<4>().0.iter_mut().zip(indices) {
            *out = index.to_le_bytes();
        }
    }
}

impl Blocks for IndexSource<'_> {
    const NAME: &'static str = "indices";
    type Memory = ChunkBuffer;

    fn count(&self) -> usize {
        self.index_count()
    }

    fn item_size(&self) -> usize {
        as_index(self.format.size())
    }

    fn block(&self) -> usize {
        BLOCK
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the memory must not be moved")]
    fn memory() -> ChunkBuffer {
        ChunkBuffer::EMPTY
    }

    fn start(&self, range: &Range<usize>, _: &mut ChunkBuffer) {
        if let IndexArray::Stored(indices) = &self.array {
            indices.slice(range.clone()).unwrap_or(*indices).prefetch();
        }
    }

    fn write_block(&self, memory: &mut ChunkBuffer, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        // Whole triangles are decoded, and the range may start and end within one.
        let before = range.start % 3;
        let first = range.start.saturating_sub(before);
        let end = range.end.next_multiple_of(3).min(self.index_count());
        let indices = memory.values().get_mut(..end.saturating_sub(first)).unwrap_or_default();
        self.fill(first, indices);
        if self.is_reversed {
            indices.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, second, third]| std::mem::swap(second, third));
        }
        let indices = indices.get(before..before.saturating_add(range.len())).unwrap_or_default();
        self.check(range.start, indices)?;
        match self.format {
            IndexFormat::Uint16 => narrow_all(indices, out),
            IndexFormat::Uint32 => copy_all(indices, out),
        }
        Ok(())
    }
}
