//! The arrays of a glTF file: accessors, buffer views and buffers.
//!
//! An export runs twice. The first run plans the arrays: it computes their sizes, their places and
//! the bounds that the JSON contains. The second run writes them in the same order.

use std::io::{self, Write};

use crate::array::Bounds;
use crate::error::{Cause, Result};
use crate::export::{ExportInput, fault};
use crate::math::{as_index, as_u64, fast_max, fast_min};

/// The type of the components of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    U8,
    U16,
    I16,
    I8,
    U32,
    F32,
}

impl Component {
    /// Returns the number of the type in glTF.
    pub(super) const fn code(self) -> u16 {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    /// Returns the size of a component in bytes.
    pub(super) const fn size(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// The elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ElementType {
    pub(super) component: Component,
    /// The number of components: 1 to 4, or 16 for a matrix.
    pub(super) width: u8,
    /// Whether integers represent numbers of 0 to 1 or of -1 to 1.
    pub(super) is_normalized: bool,
}

impl ElementType {
    /// Makes the type of elements of floats.
    pub(super) const fn floats(width: u8) -> Self {
        Self { component: Component::F32, width, is_normalized: false }
    }

    /// Makes the type of elements of integers.
    pub(super) const fn integers(component: Component, width: u8) -> Self {
        Self { component, width, is_normalized: false }
    }

    /// Makes the type of elements of integers that represent numbers of 0 to 1, or of -1 to 1.
    pub(super) const fn normalized(component: Component, width: u8) -> Self {
        Self { component, width, is_normalized: true }
    }

    /// Numbers, such as times.
    pub(super) const SCALARS: &'static [Self] = &[Self::floats(1)];
    /// Texture coordinates.
    pub(super) const FLOATS2: &'static [Self] = &[Self::floats(2)];
    /// Positions and directions.
    pub(super) const FLOATS3: &'static [Self] = &[Self::floats(3)];
    /// Tangents and rotations.
    pub(super) const FLOATS4: &'static [Self] = &[Self::floats(4)];
    /// Matrices.
    pub(super) const MATRICES: &'static [Self] = &[Self::floats(16)];
    /// Colours.
    pub(super) const COLORS: &'static [Self] = &[Self::normalized(Component::U8, 4)];

    /// Returns the name of the type in glTF.
    pub(super) const fn name(self) -> &'static str {
        match self.width {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        }
    }

    /// Returns the size of an element in bytes.
    pub(super) fn size(self) -> u32 {
        self.component.size().saturating_mul(self.width.into())
    }
}

/// What a GPU uses an array for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Vertices,
    Indices,
    /// Matrices and keys, which a GPU does not read from a buffer of vertices.
    Other,
}

/// Items in a file: the arrays of one or more attributes, of which all items have the same size.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArraySpec<'s> {
    /// The type of each attribute of an item.
    pub(super) elements: &'s [ElementType],
    /// The number of items.
    pub(super) count: usize,
    pub(super) usage: Usage,
    /// Whether the JSON contains the bounds of the array, which has one attribute of floats.
    pub(super) has_bounds: bool,
}

impl<'s> ArraySpec<'s> {
    /// Makes the description of an array of vertices.
    pub(super) const fn vertices(elements: &'s [ElementType], count: usize) -> Self {
        Self { elements, count, usage: Usage::Vertices, has_bounds: false }
    }

    /// Makes the description of an array of indices.
    pub(super) const fn indices(elements: &'s [ElementType], count: usize) -> Self {
        Self { elements, count, usage: Usage::Indices, has_bounds: false }
    }

    /// Makes the description of an array that a GPU does not read as vertices or indices.
    pub(super) const fn other(elements: &'s [ElementType], count: usize) -> Self {
        Self { elements, count, usage: Usage::Other, has_bounds: false }
    }

    /// Returns the description of an array whose bounds are in the JSON.
    pub(super) const fn with_bounds(self) -> Self {
        Self { has_bounds: true, ..self }
    }

    /// Returns the distance of two items in bytes. Vertices are aligned to 4 bytes.
    pub(super) fn stride(&self) -> u32 {
        let size = |element: &ElementType| match self.usage {
            Usage::Vertices => element.size().next_multiple_of(4),
            Usage::Indices | Usage::Other => element.size(),
        };
        self.elements.iter().map(size).fold(0, u32::saturating_add)
    }

    /// Returns the size of the array in bytes.
    pub(super) fn size(&self) -> u64 {
        as_u64(self.count).saturating_mul(self.stride().into())
    }
}

/// An accessor of the JSON.
#[derive(Clone, Debug)]
pub(super) struct Accessor {
    /// The index of the view, or `None` for an array of zeros.
    pub(super) view: Option<u32>,
    /// The offset of the first element from the start of the view, in bytes.
    pub(super) offset: u32,
    pub(super) count: u64,
    pub(super) element: ElementType,
    pub(super) bounds: Option<Bounds>,
}

/// A buffer view of the JSON.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) buffer: u32,
    /// The offset from the start of the buffer, in bytes.
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) stride: u32,
    pub(super) usage: Usage,
}

/// A function that writes the bytes of an array.
pub(super) type Produce<'p> = &'p mut dyn FnMut(&mut dyn Write) -> Result<()>;

/// What receives the arrays of an export, in order.
pub(super) trait BufferSink {
    /// Adds an array. `produce` writes its bytes if the sink needs them. Returns the index of the
    /// accessor of its first attribute. The accessors of further attributes follow.
    fn array(&mut self, spec: &ArraySpec<'_>, produce: Produce<'_>) -> Result<u32>;
    /// Adds an accessor of zeros without bytes.
    fn zeros(&mut self, element: ElementType, count: usize) -> Result<u32>;
}

/// The first run: computes the places of all arrays.
#[derive(Debug)]
pub(super) struct Planner<'a> {
    input: ExportInput<'a>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) views: Vec<View>,
    /// The sizes of the buffers in bytes.
    pub(super) buffers: Vec<u64>,
    /// The greatest size of a buffer, in bytes.
    split: u64,
}

/// The alignment of the start of every view, in bytes.
const ALIGNMENT: u64 = 4;

impl<'a> Planner<'a> {
    pub(super) const fn new(input: ExportInput<'a>, split: u64) -> Self {
        Self { input, accessors: Vec::new(), views: Vec::new(), buffers: Vec::new(), split }
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
        let mut bounds = None;
        if spec.has_bounds {
            let mut writer = BoundsWriter::new(spec.elements.first().map_or(1, |element| element.width));
            produce(&mut self.input.releasing(&mut writer))?;
            bounds = Some(writer.bounds);
        }
        let (buffer, offset) = self.place(spec.size());
        let view = u32::try_from(self.views.len()).unwrap_or(u32::MAX);
        let (stride, count) = (spec.stride(), as_u64(spec.count));
        self.views.push(View { buffer, offset, length: spec.size(), stride, usage: spec.usage });
        let (mut first, mut at) = (None, 0_u32);
        for element in spec.elements {
            let accessor = Accessor { view: Some(view), offset: at, count, element: *element, bounds };
            let index = self.add_accessor(accessor)?;
            first.get_or_insert(index);
            at = at.saturating_add(element.size().next_multiple_of(4));
        }
        Ok(first.unwrap_or_default())
    }

    fn zeros(&mut self, element: ElementType, count: usize) -> Result<u32> {
        let zero = Bounds { min: [0.0; 3], max: [0.0; 3] };
        self.add_accessor(Accessor { view: None, offset: 0, count: as_u64(count), element, bounds: Some(zero) })
    }
}

/// A writer that computes the bounds of floats.
struct BoundsWriter {
    bounds: Bounds,
    width: usize,
}

impl BoundsWriter {
    fn new(width: u8) -> Self {
        Self { bounds: Bounds::EMPTY, width: width.into() }
    }
}

impl Write for BoundsWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for item in bytes.chunks_exact(self.width.saturating_mul(4).max(1)) {
            let parts = item.as_chunks::<4>().0.iter().map(|part| f32::from_le_bytes(*part));
            for ((min, max), part) in self.bounds.min.iter_mut().zip(&mut self.bounds.max).zip(parts) {
                *min = fast_min(part, *min);
                *max = fast_max(part, *max);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The second run: writes the arrays of one buffer, or of all buffers.
pub(super) struct ArrayWriter<'o, 'p> {
    plan: &'p Planner<'p>,
    /// The index of the only buffer that is written.
    buffer: u32,
    out: &'o mut dyn Write,
    /// The number of bytes of the buffer that are written.
    written: u64,
    views: usize,
    accessors: u32,
}

impl<'o, 'p> ArrayWriter<'o, 'p> {
    pub(super) fn new(plan: &'p Planner<'p>, buffer: u32, out: &'o mut dyn Write) -> Self {
        Self { plan, buffer, out, written: 0, views: 0, accessors: 0 }
    }

    /// Returns the number of bytes that were written.
    pub(super) const fn written(&self) -> u64 {
        self.written
    }

    fn pad_to(&mut self, offset: u64) -> Result<()> {
        let missing = offset.saturating_sub(self.written);
        for _ in 0..missing {
            self.out.write_all(&[0])?;
        }
        self.written = self.written.saturating_add(missing);
        Ok(())
    }
}

impl BufferSink for ArrayWriter<'_, '_> {
    fn array(&mut self, spec: &ArraySpec<'_>, produce: Produce<'_>) -> Result<u32> {
        let first = self.accessors;
        self.accessors = first.saturating_add(u32::try_from(spec.elements.len()).unwrap_or(u32::MAX));
        let view = self.plan.views.get(self.views).filter(|view| view.length == spec.size()).ok_or_else(changed)?;
        self.views = self.views.saturating_add(1);
        if view.buffer != self.buffer {
            return Ok(first);
        }
        self.pad_to(view.offset)?;
        let mut counting = CountingWriter { out: &mut *self.out, count: 0 };
        produce(&mut self.plan.input.releasing(&mut counting))?;
        if counting.count != view.length {
            return Err(changed());
        }
        self.written = self.written.saturating_add(view.length);
        Ok(first)
    }

    fn zeros(&mut self, _: ElementType, _: usize) -> Result<u32> {
        let first = self.accessors;
        self.accessors = first.saturating_add(1);
        Ok(first)
    }
}

/// Returns the error for an array that has another size than in the first run.
fn changed() -> crate::error::Error {
    fault("buffers", Cause::Changed)
}

/// A writer that counts the bytes.
pub(super) struct CountingWriter<'o> {
    pub(super) out: &'o mut dyn Write,
    pub(super) count: u64,
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.count = self.count.saturating_add(as_u64(written));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
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
