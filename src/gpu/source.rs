//! Vertices of a surface in a layout.

// Rule: this file sorts and maps by copies only.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::greatest::Greatest;
use super::input::{AttributeArray, Number};
use super::interleave::VertexColumn;
use super::layout::{Semantic, VertexAttribute, VertexLayout};
use super::output::Blocks;
use super::skin::SkinColumns;
use crate::array::Array;
use crate::error::debug::short_debug;
use crate::error::{Cause, Result};
use crate::math::as_index;
use crate::model::{Corner, IndexStream, SpaceConversion, Surface, Welded};
use crate::simd::kernel;

/// The vertices of a surface in a [`VertexLayout`], which are decoded when they are written.
///
/// [`Drawable::vertices`](super::Drawable::vertices) returns it. Making a source finds the arrays
/// of the surface and allocates some hundred bytes. Only for [`Joints`](Semantic::Joints) or
/// [`Weights`](Semantic::Weights) it reads all weights once. It then allocates the 4 to 24 bytes of
/// each position of a welded surface, or builds the index of [`Weights`](crate::Weights). Writing
/// allocates nothing. It decodes blocks of at most 256 vertices in the first-level cache of the
/// processor.
#[derive(Clone)]
pub struct VertexSource<'a> {
    pub(super) surface: Surface<'a>,
    pub(super) order: Option<&'a [Corner]>,
    pub(super) vertex_count: usize,
    pub(super) attributes: Vec<SourceAttribute<'a>>,
    pub(super) skin: Option<SkinColumns<'a>>,
    /// One vertex with the bytes that no attribute of the surface contains.
    pub(super) template: Vec<u8>,
    /// Whether there are such bytes.
    pub(super) has_template: bool,
    pub(super) missing: Vec<Semantic>,
    pub(super) conversion: Option<SpaceConversion>,
    /// The items of the arrays of each index stream that the vertices use.
    used: [Range<usize>; 2],
}

short_debug!(VertexSource<'_>: |source| {
    surface: source.surface, vertex_count: source.vertex_count, stride: source.stride(), missing: source.missing,
});

impl<'a> VertexSource<'a> {
    /// Finds the arrays of a surface whose two index streams are known to be equal.
    pub(crate) fn stored(surface: &Surface<'a>, layout: &VertexLayout) -> Result<Self> {
        Self::make(surface, None, surface.positions()?.len(), layout)
    }

    /// Finds the arrays of a welded surface. Reads the list of the vertices once, to check their
    /// indices.
    pub(crate) fn welded(surface: &Surface<'a>, welded: &'a Welded, layout: &VertexLayout) -> Result<Self> {
        Self::make(surface, Some(&welded.vertices), welded.vertices.len(), layout)
    }

    fn make(surface: &Surface<'a>, order: Option<&'a [Corner]>, count: usize, layout: &VertexLayout) -> Result<Self> {
        let mut source = Self {
            surface: *surface,
            order,
            vertex_count: count,
            attributes: Vec::new(),
            skin: None,
            template: vec![0; as_index(layout.stride()).max(1)],
            has_template: false,
            missing: Vec::new(),
            conversion: None,
            used: used_items(order, count),
        };
        let mut size = 0_u32;
        for attribute in layout.attributes() {
            size = size.saturating_add(attribute.format().size());
            source.add(attribute)?;
        }
        source.has_template |= size < layout.stride();
        source.find_words();
        source.check_lengths()?;
        if let Some(skin) = &mut source.skin {
            skin.prepare(order, &source.used[0]);
        }
        Ok(source)
    }

    /// Finds the array of an attribute.
    fn add(&mut self, attribute: &VertexAttribute) -> Result<()> {
        let (semantic, format) = (attribute.semantic(), attribute.format());
        let [offset, size] = [attribute.offset(), format.size()].map(as_index);
        let Some(number) = Number::of(format).filter(|_| semantic != Semantic::Weights) else {
            return self.add_skin(attribute);
        };
        if let Some(array) = AttributeArray::find(&self.surface, semantic)? {
            let rest = if semantic == Semantic::Position { 1.0 } else { 0.0 };
            let [a, b, c, d, ..] = number.bytes_of([rest]);
            let column = VertexColumn { offset, width: array.width(number), size, pad: [a, b, c, d] };
            self.attributes.push(SourceAttribute { array, number, column, words: 0 });
            return Ok(());
        }
        let value = match semantic {
            Semantic::Normal => [0.0, 0.0, 1.0, 0.0],
            Semantic::Tangent => [1.0, 0.0, 0.0, 1.0],
            Semantic::Color => [1.0; 4],
            _ => [0.0; 4],
        };
        self.set_default(attribute, &number.bytes_of(value));
        Ok(())
    }

    fn add_skin(&mut self, attribute: &VertexAttribute) -> Result<()> {
        let (semantic, format) = (attribute.semantic(), attribute.format());
        if self.skin.is_none() {
            self.skin = self.surface.weights()?.map(SkinColumns::new);
        }
        if let Some(skin) = &mut self.skin {
            let [offset, size] = [attribute.offset(), format.size()].map(as_index);
            skin.add(semantic, format, VertexColumn { offset, width: size, size, pad: [0; 4] });
            return Ok(());
        }
        let mut bytes = [0; 16];
        if semantic == Semantic::Weights {
            Greatest::of(None).write_weights(format, &mut bytes);
        }
        self.set_default(attribute, &bytes);
        Ok(())
    }

    /// Sets the bytes of an attribute that the surface does not have.
    fn set_default(&mut self, attribute: &VertexAttribute, bytes: &[u8]) {
        let place = self.template.get_mut(as_index(attribute.offset())..).unwrap_or_default();
        let size = as_index(attribute.format().size());
        place.iter_mut().zip(bytes).take(size).for_each(|(place, byte)| *place = *byte);
        self.has_template = true;
        self.missing.push(attribute.semantic());
    }

    /// Sorts the attributes by their offset, and finds those that are copied together.
    fn find_words(&mut self) {
        self.attributes.sort_unstable_by_key(|attribute| attribute.column.offset);
        let mut rest = self.attributes.as_mut_slice();
        while let Some((first, after)) = rest.split_first_mut() {
            first.words = first.column.words_after(after.iter().map(|attribute| &attribute.column));
            rest = after;
        }
    }

    /// Returns an error if an array has too few items for the vertices.
    fn check_lengths(&self) -> Result<()> {
        for SourceAttribute { array, .. } in &self.attributes {
            let needed = self.used(array).end;
            if array.len() < needed {
                let expected = format!("{needed} items, one for each vertex");
                let kind = Cause::value(expected, array.len().to_string());
                return Err(self.surface.fault(array.name(), kind));
            }
        }
        Ok(())
    }

    /// Converts positions, directions and texture coordinates to other conventions, as
    /// [`SpaceConversion::array`] does. If the conversion mirrors the surface, the sign of the
    /// tangents changes. Attributes that the surface does not have are not converted.
    /// [`Pose::palette`](crate::Pose::palette) makes the matrices that move converted vertices.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::gpu::{Semantic, VertexFormat, VertexLayout};
    /// use meshpeek::model::Space;
    /// let model = meshpeek::open("data/secondlife/quad.llmesh")?;
    /// let drawable = model.surface(0)?.drawable()?;
    /// let layout = VertexLayout::packed(&[(Semantic::Position, VertexFormat::Float32x3)])?;
    /// let source = drawable.vertices(&layout)?.in_space(model.space().conversion_to(&Space::GLTF)?);
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

    /// Checks the joints against the number of bones of the palette.
    ///
    /// Without this call, a joint that is not below `count` is written as the file stores it. With
    /// it, the rules of the format ([`SkinningRules`]) apply: under `Strict`, such a joint is an
    /// error, and under `Clamped`, the last bone replaces it. If `count` is 0, every vertex is an
    /// error. A shader should never read a palette with joints that were not checked.
    ///
    /// ```
    /// # fn main() -> meshpeek::Result<()> {
    /// use meshpeek::gpu::{Semantic, VertexFormat, VertexLayout};
    /// let model = meshpeek::open("data/unigine/skinned_ms12.mesh")?;
    /// let layout = VertexLayout::packed(&[
    ///     (Semantic::Joints, VertexFormat::Uint8x4),
    ///     (Semantic::Weights, VertexFormat::Unorm8x4),
    /// ])?;
    /// let drawable = model.surface(0)?.drawable()?;
    /// let source = drawable.vertices(&layout)?.with_bones(model.animations().bone_count()?);
    /// # let mut out = vec![0; source.byte_len()];
    /// # source.write_into(0..source.vertex_count(), &mut out)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`SkinningRules`]: crate::model::SkinningRules
    #[must_use]
    pub fn with_bones(mut self, count: usize) -> Self {
        self.skin = self.skin.map(|skin| skin.with_bones(count));
        self
    }

    /// Takes the positions, normals and tangents of a morph target. Target 0 is the base shape.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Surface::target_positions`], and [`ErrorKind::Value`](crate::ErrorKind::Value) if an array of
    /// the target is too short.
    pub fn with_target(mut self, target: usize) -> Result<Self> {
        for SourceAttribute { array, .. } in &mut self.attributes {
            array.set_target(&self.surface, target)?;
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
        for SourceAttribute { array, .. } in &mut self.attributes {
            if let AttributeArray::Position(positions) = array {
                *positions = self.surface.vertex_frame(frame)?;
            }
        }
        self.check_lengths()?;
        Ok(self)
    }

    /// Returns the attributes of the layout that the surface does not have.
    ///
    /// Each vertex has a default for them: the normal 0, 0, 1, the tangent 1, 0, 0 with the sign 1,
    /// texture coordinates 0, the colour 1, joints 0, and the weights 1, 0, 0, 0. A
    /// surface without normals is shaded wrong unless the program computes them.
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
        self.vertex_count.saturating_mul(self.stride())
    }

    /// Writes the vertices in `range` to `out`.
    ///
    /// If the size of `out` is 32 MiB or more, `out` is written with stores that bypass the cache.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the range ends after the last vertex, and
    /// [`ErrorKind::Buffer`] if `out` does not have exactly the size of these vertices. Returns
    /// [`ErrorKind::Refused`] if a joint does not fit its format, and [`ErrorKind::Value`] if
    /// [`with_bones`](Self::with_bones) does not allow it. An error may leave a part of `out`
    /// overwritten.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    /// [`ErrorKind::Buffer`]: crate::ErrorKind::Buffer
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    /// [`ErrorKind::Value`]: crate::ErrorKind::Value
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
    /// Like [`write_uninit`](Self::write_uninit), `push` never reads the target, such as a mapped
    /// buffer of a GPU.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write_into`](Self::write_into), except for the size of a buffer.
    pub fn push(&self, range: Range<usize>, mut visit: impl FnMut(u64, &[u8])) -> Result<()> {
        Blocks::push(self, range, &mut visit)
    }

    /// Returns the range of the items of an array that the vertices use.
    pub(super) const fn used(&self, array: &AttributeArray<'_>) -> &Range<usize> {
        let [positions, attributes] = &self.used;
        match array.stream() {
            IndexStream::Positions => positions,
            IndexStream::Attributes => attributes,
        }
    }

    /// Returns the stride of the layout.
    pub(super) const fn stride(&self) -> usize {
        self.template.len()
    }
}

/// Returns the ranges of the positions and of the attribute vertices that vertices use.
fn used_items(order: Option<&[Corner]>, count: usize) -> [Range<usize>; 2] {
    let Some(order) = order else { return [0..count, 0..count] };
    let (first, last) = least_and_greatest(order);
    [IndexStream::Positions, IndexStream::Attributes].map(|stream| {
        let end = if order.is_empty() { 0 } else { as_index(last.index(stream)).saturating_add(1) };
        as_index(first.index(stream)).min(end)..end
    })
}

kernel! {
    /// Returns the least and the greatest index of each stream.
    fn least_and_greatest(order: &[Corner]) -> (Corner, Corner) {
        let mut first = Corner { position: u32::MAX, attribute: u32::MAX };
        let mut last = Corner::default();
        for Corner { position, attribute } in order {
            first.position = first.position.min(*position);
            first.attribute = first.attribute.min(*attribute);
            last.position = last.position.max(*position);
            last.attribute = last.attribute.max(*attribute);
        }
        (first, last)
    }
}

/// An attribute that the surface has, except for joints and weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceAttribute<'a> {
    pub(super) array: AttributeArray<'a>,
    pub(super) number: Number,
    pub(super) column: VertexColumn,
    /// The number of next attributes that are copied together with this one.
    pub(super) words: usize,
}
