//! The arrays of a glTF file: accessors, buffer views and buffers.
//!
//! An export runs twice. The first run plans the arrays: it computes their sizes, their places and
//! the bounds that the JSON contains. The second run writes them in the same order.

use std::io::{self, Write};

use zerocopy::FromBytes as _;
use zerocopy::little_endian::F32;

use super::document::{AccessorType, ArraySpec, BufferUsage, ComponentType};
use super::meshopt;
use crate::array::{Bounds, Packed};
use crate::decode::Floats;
use crate::error::{Cause, Result};
use crate::export::options::{Compression, ExportOptions};
use crate::export::{FileBytesOutput, FileOutput, SceneInput, check_size, fault};
use crate::math::{as_index, as_u64, fast_max, fast_min};
use crate::parse::room;
use crate::text::block::CountingWriter;

/// An accessor of the JSON.
#[derive(Clone, Debug)]
pub(super) struct Accessor {
    /// The index of the view.
    pub(super) view: u32,
    /// The offset of the first element from the start of the view, in bytes.
    pub(super) offset: u32,
    pub(super) count: u64,
    pub(super) element: AccessorType,
    pub(super) bounds: Option<Bounds>,
}

/// A buffer view of the JSON.
#[derive(Clone, Debug)]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    /// The offset from the start of the buffer, in bytes.
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) stride: u32,
    pub(super) usage: BufferUsage,
    /// The compressed bytes, if the view is compressed. The place of the view is then in the
    /// fallback buffer, which has no bytes.
    pub(super) compressed: Option<CompressedView>,
}

/// The place of the compressed bytes of a view.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompressedView {
    pub(super) buffer: u32,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// The number of items.
    pub(super) count: u64,
}

/// A function that writes the bytes of an array.
pub(super) type Produce<'p> = &'p mut dyn FnMut(&mut dyn Write) -> Result<()>;

/// What receives the arrays of an export, in order.
pub(super) trait BufferSink {
    /// Adds an array. `produce` writes its bytes if the sink needs them. Returns the index of the
    /// accessor of its first attribute. The accessors of further attributes follow.
    fn array(&mut self, spec: &ArraySpec<'_>, produce: Produce<'_>) -> Result<u32>;

    /// Returns an error if the output is larger than the options allow. `objects` is the number of
    /// objects of the JSON, such as nodes, without accessors and views.
    fn check_objects(&self, objects: usize) -> Result<()> {
        let _ = objects;
        Ok(())
    }
}

/// The number of bytes for which each object of the JSON counts toward the size of the output.
const OBJECT_BYTES: u64 = 256;

/// The first run: computes the places of all arrays.
#[derive(Debug)]
pub(super) struct Planner<'a> {
    input: SceneInput<'a>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) views: Vec<BufferView>,
    /// The sizes of the buffers in bytes.
    pub(super) buffers: Vec<u64>,
    /// The size of the fallback buffer, which has the decompressed bytes of compressed views.
    pub(super) fallback: u64,
    /// The greatest size of a buffer, in bytes.
    split: u64,
    /// The greatest size of the output, in bytes.
    max_bytes: u64,
    pub(super) compression: Option<Compression>,
}

/// The alignment of the start of every view, in bytes.
const ALIGNMENT: u64 = 4;

impl<'a> Planner<'a> {
    pub(super) fn new(input: SceneInput<'a>, split: u64, options: &ExportOptions) -> Self {
        let (accessors, views, buffers) = (Vec::new(), Vec::new(), Vec::new());
        let (max_bytes, compression) = (options.max_bytes, options.compression);
        Self { input, accessors, views, buffers, fallback: 0, split, max_bytes, compression }
    }

    /// Returns an error if the output is larger than the options allow. `more` is the size of
    /// another array, and `objects` the number of other objects.
    fn check_size(&self, more: u64, objects: usize) -> Result<()> {
        let objects = [self.accessors.len(), self.views.len(), objects].map(as_u64).into_iter();
        let objects = objects.fold(0, u64::saturating_add).saturating_mul(OBJECT_BYTES);
        let arrays = self.buffers.iter().fold(more, |sum, length| sum.saturating_add(*length));
        check_size(arrays.saturating_add(objects), self.max_bytes)
    }

    /// Returns the index of the fallback buffer, which follows all others.
    pub(super) fn fallback_index(&self) -> usize {
        self.buffers.len()
    }

    /// Adds a view of an array.
    fn add_view(&mut self, spec: &ArraySpec<'_>, produce: Produce<'_>) -> Result<u32> {
        let (length, stride, usage) = (spec.size(), spec.stride(), spec.usage);
        let view = match self.compression {
            None => {
                let (buffer, offset) = self.place(length);
                BufferView { buffer, offset, length, stride, usage, compressed: None }
            }
            Some(compression) => {
                let encoded = as_u64(compress(spec, compression, &self.input, produce)?.len());
                let (buffer, offset) = self.place(encoded);
                let compressed = CompressedView { buffer, offset, length: encoded, count: as_u64(spec.count) };
                let at = self.fallback.next_multiple_of(ALIGNMENT);
                self.fallback = at.saturating_add(length);
                BufferView { buffer: u32::MAX, offset: at, length, stride, usage, compressed: Some(compressed) }
            }
        };
        self.views.push(view);
        Ok(u32::try_from(self.views.len().saturating_sub(1)).unwrap_or(u32::MAX))
    }

    /// Returns the place of the next `length` bytes: the index of a buffer, and the offset in it.
    fn place(&mut self, length: u64) -> (u32, u64) {
        let fits = |end: u64| end.saturating_add(length) <= self.split;
        let offset = self.buffers.last().map(|end| end.next_multiple_of(ALIGNMENT)).filter(|end| fits(*end));
        if offset.is_none() {
            self.buffers.push(0);
        }
        let offset = offset.unwrap_or_default();
        if let Some(end) = self.buffers.last_mut() {
            *end = offset.saturating_add(length);
        }
        (u32::try_from(self.buffers.len().saturating_sub(1)).unwrap_or(u32::MAX), offset)
    }

    fn add_accessor(&mut self, accessor: Accessor) -> Result<u32> {
        let asked = as_u64(size_of::<Accessor>());
        self.accessors.try_reserve(1).map_err(|_| fault("accessors", Cause::OutOfMemory { asked }))?;
        self.accessors.push(accessor);
        Ok(u32::try_from(self.accessors.len().saturating_sub(1)).unwrap_or(u32::MAX))
    }
}

impl BufferSink for Planner<'_> {
    fn array(&mut self, spec: &ArraySpec<'_>, produce: Produce<'_>) -> Result<u32> {
        self.check_size(if self.compression.is_none() { spec.size() } else { 0 }, 0)?;
        let mut bounds = None;
        if spec.has_bounds {
            let mut writer = BoundsWriter::new(spec);
            produce(&mut self.input.releasing(&mut writer))?;
            bounds = Some(writer.bounds());
        }
        let (view, count) = (self.add_view(spec, produce)?, as_u64(spec.count));
        let (mut first, mut at) = (None, 0_u32);
        for element in spec.elements {
            let accessor = Accessor { view, offset: at, count, element: *element, bounds };
            let index = self.add_accessor(accessor)?;
            first.get_or_insert(index);
            at = at.saturating_add(element.size().next_multiple_of(4));
        }
        Ok(first.unwrap_or_default())
    }

    fn check_objects(&self, objects: usize) -> Result<()> {
        self.check_size(0, objects)
    }
}

/// The second run: writes the arrays of one buffer, or of all buffers one after another.
pub(super) struct ArrayWriter<'o, 'f, 'p> {
    plan: &'p Planner<'p>,
    /// The index of the only buffer that is written.
    only: Option<usize>,
    out: &'o mut FileOutput<'f>,
    /// The index of the buffer of the last array.
    buffer: Option<usize>,
    /// The number of bytes of this buffer that are written.
    written: u64,
    views: usize,
    accessors: u32,
}

impl<'o, 'f, 'p> ArrayWriter<'o, 'f, 'p> {
    pub(super) fn new(plan: &'p Planner<'p>, only: Option<usize>, out: &'o mut FileOutput<'f>) -> Self {
        Self { plan, only, out, buffer: None, written: 0, views: 0, accessors: 0 }
    }

    /// Continues in a buffer at an offset.
    fn seek(&mut self, buffer: usize, offset: u64) -> Result<()> {
        if self.buffer != Some(buffer) {
            (self.buffer, self.written) = (Some(buffer), 0);
            (self.out)(buffer, &[])?;
        }
        for _ in self.written..offset {
            (self.out)(buffer, &[0])?;
        }
        self.written = self.written.max(offset);
        Ok(())
    }
}

impl BufferSink for ArrayWriter<'_, '_, '_> {
    fn array(&mut self, spec: &ArraySpec<'_>, produce: Produce<'_>) -> Result<u32> {
        let first = self.accessors;
        self.accessors = first.saturating_add(u32::try_from(spec.elements.len()).unwrap_or(u32::MAX));
        let view = self.plan.views.get(self.views).filter(|view| view.length == spec.size()).ok_or_else(changed)?;
        self.views = self.views.saturating_add(1);
        let (buffer, offset, length) = match &view.compressed {
            Some(compressed) => (compressed.buffer, compressed.offset, compressed.length),
            None => (view.buffer, view.offset, view.length),
        };
        let buffer = as_index(buffer);
        if self.only.is_some_and(|only| only != buffer) {
            return Ok(first);
        }
        self.seek(buffer, offset)?;
        let mut out = FileBytesOutput { file: buffer, out: &mut *self.out };
        let mut counting = CountingWriter::new(&mut out);
        match self.plan.compression {
            None => produce(&mut self.plan.input.releasing(&mut counting))?,
            Some(compression) => counting.write_all(&compress(spec, compression, &self.plan.input, produce)?)?,
        }
        if counting.written != length {
            return Err(changed());
        }
        self.written = self.written.saturating_add(length);
        Ok(first)
    }
}

/// Returns the compressed bytes of an array.
fn compress(
    spec: &ArraySpec<'_>,
    compression: Compression,
    input: &SceneInput<'_>,
    produce: Produce<'_>,
) -> Result<Vec<u8>> {
    let mut bytes = room("export", "compression", usize::try_from(spec.size()).unwrap_or(usize::MAX))?;
    produce(&mut input.releasing(&mut bytes))?;
    meshopt::encode(spec, compression, &bytes)
}

/// Returns the error for an array that has another size than in the first run.
fn changed() -> crate::error::Error {
    fault("buffers", Cause::Changed)
}

/// A block of memory in which floats are decoded, before they are written.
pub(super) struct FloatBlock(Vec<f32>);

/// The size of a block in bytes. It stays in the second-level cache of the processor.
const BLOCK_BYTES: usize = 48 << 10;

impl FloatBlock {
    pub(super) fn new() -> Self {
        Self(vec![0.0; BLOCK_BYTES / 4])
    }

    /// Returns the number of items of `stride` bytes in a block.
    pub(super) fn capacity(stride: u32) -> usize {
        BLOCK_BYTES.checked_div(as_index(stride)).unwrap_or(1).max(1)
    }

    /// Returns the first `count` floats.
    pub(super) fn floats(&mut self, count: usize) -> &mut [f32] {
        self.0.get_mut(..count).unwrap_or_default()
    }
}

/// A writer that computes the bounds of floats, or of unsigned integers of 16 bits.
pub(super) struct BoundsWriter {
    bounds: Bounds,
    is_float: bool,
    width: usize,
    stride: usize,
}

impl BoundsWriter {
    pub(super) fn new(spec: &ArraySpec<'_>) -> Self {
        let element = spec.elements.first().copied().unwrap_or(AccessorType::floats(1));
        let is_float = element.component == ComponentType::F32;
        Self { bounds: Bounds::EMPTY, is_float, width: element.width.into(), stride: as_index(spec.stride()).max(1) }
    }

    /// Returns the bounds. A bound of -0 is returned as 0, because which of the two is found
    /// depends on the instructions of the processor.
    pub(super) fn bounds(&self) -> Bounds {
        let Bounds { min, max } = self.bounds;
        Bounds { min: min.map(|part| part + 0.0), max: max.map(|part| part + 0.0) }
    }

    fn add(&mut self, parts: impl Iterator<Item = f32>) {
        for ((min, max), part) in self.bounds.min.iter_mut().zip(&mut self.bounds.max).zip(parts) {
            *min = fast_min(part, *min);
            *max = fast_max(part, *max);
        }
    }
}

impl Write for BoundsWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Ok(positions) = <[[F32; 3]]>::ref_from_bytes(bytes)
            && (self.is_float, self.width, self.stride) == (true, 3, 12)
        {
            self.bounds = self.bounds.union(&Packed::new(positions, Floats::<3>).bounds());
            return Ok(bytes.len());
        }
        for item in bytes.chunks_exact(self.stride) {
            if self.is_float {
                self.add(item.as_chunks().0.iter().take(self.width).map(|part| f32::from_le_bytes(*part)));
            } else {
                self.add(item.as_chunks().0.iter().take(self.width).map(|part| u16::from_le_bytes(*part).into()));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
