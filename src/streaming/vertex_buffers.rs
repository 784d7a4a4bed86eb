//! Decodes triangles of a surface into a buffer of the program.

use std::ops::Range;

use super::log::Work;
use crate::error::Result;
use crate::gpu::{IndexFormat, IndexSource, VertexLayout, VertexSource};
use crate::math::as_u64;
use crate::model::Surface;

/// The alignment of the indices in a buffer, in bytes.
const INDEX_ALIGNMENT: u64 = 4;

/// The sizes of what is written to a buffer: first the vertices, then the indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferSizes {
    /// The number of vertices. They start at offset 0.
    pub vertices: u64,
    /// The number of indices.
    pub indices: u64,
    /// The offset of the first index in bytes, a multiple of 4.
    pub index_offset: u64,
    /// The size of the buffer in bytes.
    pub bytes: u64,
}

/// The place of the triangles of one surface in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Draw {
    /// The index of the surface.
    pub surface: u32,
    /// The format of the indices. The indices count from `first_vertex`.
    pub format: IndexFormat,
    /// The number of the first vertex of the surface in the buffer.
    pub first_vertex: u64,
    /// The offset of the first index of the surface in the buffer, in bytes.
    pub index_offset: u64,
    /// The number of indices: three for each triangle.
    pub indices: u64,
}

/// Where decoded vertices and indices are written, such as mapped buffers of a GPU.
///
/// The workers call all methods. A buffer is written in blocks of at most 8 KiB, in ascending
/// order of their offsets for the vertices and for the indices of each surface, and it is never
/// read.
pub trait BufferTarget: Send + Sync + 'static {
    /// A buffer.
    type Buffer: Send + Sync + 'static;

    /// Makes a buffer for the decoded triangles of an item.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no memory. The request then fails with this error.
    fn allocate(&self, sizes: &BufferSizes) -> Result<Self::Buffer>;

    /// Writes bytes at an offset of the buffer.
    fn write(&self, buffer: &mut Self::Buffer, offset: u64, bytes: &[u8]);

    /// Frees a buffer whose item was evicted.
    fn free(&self, buffer: Self::Buffer) {
        drop(buffer);
    }
}

/// Writes vertices and indices to memory of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryTarget;

impl BufferTarget for MemoryTarget {
    type Buffer = Vec<u8>;

    fn allocate(&self, sizes: &BufferSizes) -> Result<Vec<u8>> {
        super::memory::filled(usize::try_from(sizes.bytes).unwrap_or(usize::MAX), 0)
    }

    fn write(&self, buffer: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let place = buffer.get_mut(start..).unwrap_or_default();
        place.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    }
}

/// The value of a decoded item: a buffer of the program, and the surfaces in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Buffers<B> {
    /// The buffer.
    pub buffer: B,
    /// The sizes of the buffer.
    pub sizes: BufferSizes,
    /// The surfaces in the buffer.
    pub draws: Vec<Draw>,
}

impl<B> Buffers<B> {
    /// Returns the number of bytes of the buffer and of the list of surfaces.
    pub(super) fn memory(&self) -> u64 {
        self.sizes.bytes.saturating_add(as_u64(size_of_val(self.draws.as_slice())))
    }
}

/// Triangles of a surface to decode.
pub(super) struct TriangleRange<'a> {
    pub(super) surface: Surface<'a>,
    pub(super) range: Range<u32>,
}

/// Decodes triangles of several surfaces into one buffer.
pub(super) fn decode<T: BufferTarget>(
    parts: &[TriangleRange<'_>],
    layout: &VertexLayout,
    target: &T,
    work: &mut Work,
) -> Result<Buffers<T::Buffer>> {
    let welded =
        parts.iter().map(|part| part.surface.weld_triangles(part.range.clone())).collect::<Result<Vec<_>>>()?;
    let stride = u64::from(layout.stride());
    let mut sizes = BufferSizes::default();
    let mut draws = Vec::with_capacity(parts.len());
    for (part, welded) in parts.iter().zip(&welded) {
        let format = IndexFormat::for_vertices(welded.vertices.len());
        let indices = as_u64(welded.indices.len());
        let surface = u32::try_from(part.surface.index()).unwrap_or(u32::MAX);
        draws.push(Draw { surface, format, first_vertex: sizes.vertices, index_offset: 0, indices });
        sizes.vertices = sizes.vertices.saturating_add(as_u64(welded.vertices.len()));
        sizes.indices = sizes.indices.saturating_add(indices);
    }
    let aligned = |at: u64| at.next_multiple_of(INDEX_ALIGNMENT);
    let mut end = aligned(sizes.vertices.saturating_mul(stride));
    sizes.index_offset = end;
    for draw in &mut draws {
        draw.index_offset = end;
        end = aligned(end.saturating_add(draw.indices.saturating_mul(u64::from(draw.format.size()))));
    }
    sizes.bytes = end;
    let mut buffer = target.allocate(&sizes)?;
    for ((part, welded), draw) in parts.iter().zip(&welded).zip(&draws) {
        let start = draw.first_vertex.saturating_mul(stride);
        let vertices = VertexSource::welded(&part.surface, welded, layout)?;
        vertices.push(0..vertices.vertex_count(), |offset, bytes| {
            target.write(&mut buffer, start.saturating_add(offset), bytes);
        })?;
        let indices = IndexSource::welded(&part.surface, welded, draw.format);
        indices.push(0..indices.index_count(), |offset, bytes| {
            target.write(&mut buffer, draw.index_offset.saturating_add(offset), bytes);
        })?;
    }
    work.touched = work.touched.saturating_add(sizes.bytes);
    Ok(Buffers { buffer, sizes, draws })
}
