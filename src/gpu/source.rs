//! Vertices of a surface in a layout.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::block::Block;
use super::input::{Input, Number, Scratch};
use super::layout::{Semantic, VertexAttribute, VertexLayout};
use super::output::{Blocks, Visit};
use super::rows::{Column, Rows};
use super::skin::{Greatest, Skin};
use crate::array::Array;
use crate::array::chunk_buffer::ChunkBuffer;
use crate::error::debug::short_debug;
use crate::error::{Cause, Result};
use crate::math::{as_index, as_u64};
use crate::model::{Corner, IndexStream, SpaceConversion, Surface, WeightsIter, Welded};

/// The vertices of a surface in a [`VertexLayout`], which are decoded when they are written.
///
/// Vertex *i* of a source made by [`new`](Self::new) has item *i* of each array of the surface.
/// Vertex *i* of a source made by [`welded`](Self::welded) is vertex *i* of the welded surface.
///
/// Making a source finds the arrays of the surface and allocates some hundred bytes. Only for
/// [`Joints`](Semantic::Joints) or [`Weights`](Semantic::Weights) it may build the index of
/// [`Weights`](crate::Weights), which reads all weights once. Writing allocates nothing. It decodes
/// blocks of at most 256 vertices in the first-level cache of the processor.
#[derive(Clone)]
pub struct VertexSource<'a> {
    surface: Surface<'a>,
    order: Option<&'a [Corner]>,
    vertex_count: usize,
    inputs: Vec<(Input<'a>, Number, Column)>,
    skin: Option<Skin<'a>>,
    rows: Rows,
    missing: Vec<Semantic>,
    conversion: Option<SpaceConversion>,
}

short_debug!(VertexSource<'_>: |source| {
    surface: source.surface, vertex_count: source.vertex_count, stride: source.rows.stride(), missing: source.missing,
});

impl<'a> VertexSource<'a> {
    /// Finds the arrays of a surface with a single index stream
    /// ([`Surface::is_single_stream`]).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if the surface has two index streams, [`ErrorKind::Value`](crate::ErrorKind::Value) if
    /// an array is shorter than the positions, and the errors of the methods of [`Surface`] that
    /// find the arrays.
    pub fn new(surface: &Surface<'a>, layout: &VertexLayout) -> Result<Self> {
        expect_single_stream(surface)?;
        Self::make(surface, None, surface.positions()?.len(), layout)
    }

    /// Finds the arrays of a welded surface. The vertices are those of `welded`.
    ///
    /// The method reads the list of the vertices once, to check their indices.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if an index of a vertex is out of range, which means that
    /// another surface was welded, and the errors of the methods of [`Surface`] that find the
    /// arrays.
    pub fn welded(surface: &Surface<'a>, welded: &'a Welded, layout: &VertexLayout) -> Result<Self> {
        Self::make(surface, Some(&welded.vertices), welded.vertices.len(), layout)
    }

    fn make(surface: &Surface<'a>, order: Option<&'a [Corner]>, count: usize, layout: &VertexLayout) -> Result<Self> {
        let mut source = Self {
            surface: *surface,
            order,
            vertex_count: count,
            inputs: Vec::new(),
            skin: None,
            rows: Rows::new(layout.stride()),
            missing: Vec::new(),
            conversion: None,
        };
        for attribute in layout.attributes() {
            source.add(attribute)?;
        }
        source.check_lengths()?;
        Ok(source)
    }

    /// Finds the array of an attribute, and adds its column.
    fn add(&mut self, attribute: &VertexAttribute) -> Result<()> {
        let (semantic, format, offset) = (attribute.semantic(), attribute.format(), attribute.offset());
        if matches!(semantic, Semantic::Joints | Semantic::Weights) {
            return self.add_skin(attribute);
        }
        let found = Input::find(&self.surface, semantic)?;
        match (found, Number::of(format)) {
            (Some(input), Some(number)) => {
                let width = input.floats().saturating_mul(number.size());
                let column = self.rows.add(offset, width);
                self.inputs.push((input, number, column));
                if semantic == Semantic::Position {
                    let rest = offset.saturating_add(u32::try_from(width).unwrap_or(u32::MAX));
                    self.rows.set(
                        rest,
                        default_bytes(number, [[1.0]])
                            .get(..as_index(format.size()).saturating_sub(width))
                            .unwrap_or_default(),
                    );
                }
            }
            (None, Some(number)) => {
                let value = match semantic {
                    Semantic::Normal => [0.0, 0.0, 1.0, 0.0],
                    Semantic::Tangent => [1.0, 0.0, 0.0, 1.0],
                    Semantic::Color => [1.0; 4],
                    _ => [0.0; 4],
                };
                let bytes = default_bytes(number, [value]);
                self.rows.set(offset, bytes.get(..as_index(format.size())).unwrap_or_default());
                self.missing.push(semantic);
            }
            (_, None) => {}
        }
        Ok(())
    }

    fn add_skin(&mut self, attribute: &VertexAttribute) -> Result<()> {
        let (semantic, format, offset) = (attribute.semantic(), attribute.format(), attribute.offset());
        if self.skin.is_none() {
            self.skin = self.surface.weights()?.map(Skin::new);
        }
        if let Some(skin) = &mut self.skin {
            skin.add(semantic, format, self.rows.add(offset, as_index(format.size())));
            return Ok(());
        }
        if semantic == Semantic::Weights {
            let mut bytes = [0; 16];
            Greatest::of(None).write_weights(format, &mut bytes);
            self.rows.set(offset, bytes.get(..as_index(format.size())).unwrap_or_default());
        }
        self.missing.push(semantic);
        Ok(())
    }

    /// Returns an error if an array has too few items for the vertices.
    fn check_lengths(&self) -> Result<()> {
        let greatest = |stream: IndexStream| match self.order {
            None => self.vertex_count,
            Some(order) => {
                order.iter().map(|corner| as_index(corner.index(stream)).saturating_add(1)).max().unwrap_or(0)
            }
        };
        let needed = [IndexStream::Positions, IndexStream::Attributes].map(greatest);
        for (input, ..) in &self.inputs {
            let [positions, attributes] = needed;
            let needed = if input.stream() == IndexStream::Positions { positions } else { attributes };
            if input.len() < needed {
                let kind = Cause::Value {
                    expected: format!("{needed} items, one for each vertex").into(),
                    found: input.len().to_string().into(),
                };
                return Err(self.surface.fault(input.name(), kind));
            }
        }
        Ok(())
    }

    /// Converts positions, directions and texture coordinates to other conventions, as
    /// [`Surface::converted`] does. If the conversion mirrors the surface, the sign of the tangents
    /// changes. Attributes that the surface does not have are not converted.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::gpu::{Semantic, VertexFormat, VertexLayout, VertexSource};
    /// use meshpeek::{model::Space, Geometry, Surface};
    /// let model = meshpeek::Model::open(meshpeek::read("data/secondlife/quad.llmesh")?)?;
    /// let surface = Surface::new(model.geometry()?, 0);
    /// let layout = VertexLayout::packed(&[(Semantic::Position, VertexFormat::Float32x3)])?;
    /// let conversion = model.geometry()?.space().conversion_to(&Space::GLTF)?;
    /// let source = VertexSource::new(&surface, &layout)?.in_space(conversion);
    /// # let mut out = vec![0; source.byte_len()];
    /// # source.write_into(0..source.vertex_count(), &mut out)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn in_space(self, conversion: SpaceConversion) -> Self {
        let is_identity = conversion == SpaceConversion::IDENTITY;
        Self { conversion: Some(conversion).filter(|_| !is_identity), ..self }
    }

    /// Takes the positions, normals and tangents of a morph target. Target 0 is the base shape.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::target_positions`], and [`ErrorKind::Value`](crate::ErrorKind::Value) if an array of
    /// the target is too short.
    pub fn with_target(mut self, target: usize) -> Result<Self> {
        for (input, ..) in &mut self.inputs {
            input.set_target(&self.surface, target)?;
        }
        self.check_lengths()?;
        Ok(self)
    }

    /// Takes the positions of vertex frame `frame`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::vertex_frame`], and [`ErrorKind::Value`](crate::ErrorKind::Value) if the frame has
    /// too few positions.
    pub fn with_frame(mut self, frame: usize) -> Result<Self> {
        for (input, ..) in &mut self.inputs {
            if let Input::Position(array) = input {
                *array = self.surface.vertex_frame(frame)?;
            }
        }
        self.check_lengths()?;
        Ok(self)
    }

    /// Returns the attributes of the layout that the surface does not have.
    ///
    /// Each vertex has a default for them: the normal 0, 0, 1, the tangent 1, 0, 0 with the sign 1,
    /// texture coordinates 0, the colour 1, joints 0, and the weights 1, 0, 0, 0.
    #[must_use]
    pub fn missing(&self) -> &[Semantic] {
        &self.missing
    }

    /// Returns the number of vertices.
    #[must_use]
    pub const fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Returns the size of all vertices in bytes: their number times the stride of the layout.
    #[must_use]
    pub const fn byte_len(&self) -> usize {
        self.vertex_count.saturating_mul(self.rows.stride())
    }

    /// Writes the vertices in `range` to `out`.
    ///
    /// If the size of `out` is 32 MiB or more, `out` is written with stores that bypass the cache.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`](crate::ErrorKind::NoSuch) if the range ends after the last vertex, [`ErrorKind::Buffer`](crate::ErrorKind::Buffer)
    /// if `out` does not have exactly the size of these vertices, and [`ErrorKind::Refused`](crate::ErrorKind::Refused) if a
    /// joint does not fit its format. An error may leave a part of `out` overwritten.
    pub fn write_into(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        Blocks::write_into(self, range, out)
    }

    /// Writes the vertices in `range` to memory that is not initialised, and returns the same
    /// memory. The memory is never read.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write_into`](Self::write_into).
    pub fn write_uninit<'o>(&self, range: Range<usize>, out: &'o mut [MaybeUninit<u8>]) -> Result<&'o mut [u8]> {
        Blocks::write_uninit(self, range, out)
    }

    /// Passes the vertices in `range` to `visit`, in blocks of whole vertices of at most 8 KiB. The
    /// first argument is the offset of the block from the start of the first vertex of the range,
    /// in bytes.
    ///
    /// This is the way into memory that must not be read, such as a mapped buffer of a GPU.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write_into`](Self::write_into), except for the size of a buffer.
    pub fn push(&self, range: Range<usize>, mut visit: impl FnMut(u64, &[u8])) -> Result<()> {
        Blocks::push(self, range, &mut visit)
    }

    fn write_columns(
        &self,
        block: &Block<'_>,
        columns: &mut ChunkBuffer,
        rows: &mut ChunkBuffer,
        scratch: &mut Scratch,
    ) -> Result<()> {
        for (input, number, column) in &self.inputs {
            let picks = block.picks(input.stream());
            let out = self.rows.column(column, block.len(), columns);
            let written = input.write(picks, *number, self.conversion.as_ref(), scratch, out);
            // The constructors have checked all indices.
            written.ok_or_else(|| {
                self.surface.fault(input.name(), Cause::Missing { expected: "an item for each vertex".into() })
            })?;
            self.rows.put(column, block.len(), columns, rows);
        }
        Ok(())
    }

    /// Writes the joints and weights of a block. `lists` are the next lists of influences, if they
    /// are read in order.
    fn write_skin(
        &self,
        skin: &Skin<'a>,
        block: &Block<'_>,
        lists: &mut Option<WeightsIter<'a>>,
        columns: &mut ChunkBuffer,
        rows: &mut ChunkBuffer,
    ) -> Result<()> {
        for number in 0..block.len() {
            let influences = match lists {
                Some(lists) => lists.next(),
                None => skin.get(block.position(number)),
            };
            let greatest = Greatest::of(influences.as_ref());
            if let Some((format, column)) = skin.joints() {
                let out = self.rows.column(column, block.len(), columns);
                let out = out.chunks_exact_mut(column.width).nth(number).unwrap_or_default();
                greatest.write_joints(*format, block.start().saturating_add(number), out)?;
            }
            if let Some((format, column)) = skin.shares() {
                let out = self.rows.column(column, block.len(), columns);
                greatest.write_weights(*format, out.chunks_exact_mut(column.width).nth(number).unwrap_or_default());
            }
        }
        for (_, column) in [skin.joints(), skin.shares()].into_iter().flatten() {
            self.rows.put(column, block.len(), columns, rows);
        }
        Ok(())
    }
}

impl Blocks for VertexSource<'_> {
    const NAME: &'static str = "vertices";

    fn count(&self) -> usize {
        self.vertex_count
    }

    fn item_size(&self) -> usize {
        self.rows.stride()
    }

    fn visit_blocks(&self, range: Range<usize>, visit: &mut Visit<'_>) -> Result<()> {
        let direct = Some(&range).filter(|_| self.order.is_none());
        self.inputs.iter().for_each(|(input, ..)| input.prefetch(direct));
        let [mut columns, mut rows] = [ChunkBuffer::EMPTY; 2];
        let (mut scratch, mut block) = (Scratch::EMPTY, Block::EMPTY);
        self.rows.start(&mut rows);
        let mut lists = self.skin.filter(|_| self.order.is_none() && range.start == 0).map(|skin| skin.iter());
        let mut offset = 0;
        for start in range.clone().step_by(self.rows.block()) {
            let end = start.saturating_add(self.rows.block()).min(range.end);
            block.move_to(start..end, self.order);
            self.write_columns(&block, &mut columns, &mut rows, &mut scratch)?;
            if let Some(skin) = &self.skin {
                self.write_skin(skin, &block, &mut lists, &mut columns, &mut rows)?;
            }
            let size = block.len().saturating_mul(self.rows.stride());
            visit(offset, rows.values::<u8>().get(..size).unwrap_or_default());
            offset = offset.saturating_add(as_u64(size));
        }
        Ok(())
    }
}

/// Returns the bytes of numbers that are equal in all vertices.
fn default_bytes<const N: usize>(number: Number, mut value: [[f32; N]; 1]) -> [u8; 16] {
    let mut bytes = Aligned([0; 16]);
    let size = number.size().saturating_mul(N);
    number.put(&mut value, bytes.0.get_mut(..size).unwrap_or_default());
    bytes.0
}

/// Bytes that are aligned for floats.
#[repr(align(16))]
struct Aligned([u8; 16]);

/// Returns an error if the surface has two index streams.
pub(super) fn expect_single_stream(surface: &Surface<'_>) -> Result<()> {
    if surface.is_single_stream()? {
        return Ok(());
    }
    let expected = "a single index stream; weld the surface, and pass the result to `welded`".into();
    Err(surface.fault("attribute_indices", Cause::Refused { expected, found: "two index streams".into() }))
}
