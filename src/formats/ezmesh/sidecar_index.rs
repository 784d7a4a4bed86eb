//! The sidecar data of an EZ-Mesh text file: the byte position of every 64th vertex in the text of
//! each vertex buffer. A binary EZ-Mesh file needs no sidecar.

use std::sync::Arc;

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::checkpoints::{INTERVAL, RowCheckpoints};
use super::elements::reader::ElementReader;
use super::elements::vertex_buffer::VertexBuffer;
use super::layout::FORMAT;
use super::semantic::VertexValue;
use super::view::{MeshState, VERTEX_KINDS, View};
use super::xml::number_block::NumberBlock;
use super::xml::vertex_rows::read_row;
use crate::error::{Cause, Error, Field, Result};
use crate::math::{as_index, as_u64};
use crate::sidecar::{self, Builder, RecordSlice, Sidecar, SidecarSlot, hash};

/// Number of bytes at the start of a mesh file that identify the file. A sidecar is used only if
/// the mesh file for which it was made has the same first 4096 bytes as the opened mesh file.
const HEAD: usize = 4096;

/// The sidecar record of the vertex text of one element.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawTextBlock {
    /// The byte offsets of the start and the end of the vertex text in the file.
    content: [U64; 2],
    /// The hash of the bytes of the vertex text.
    hash: U64,
    rows: U64,
    /// The index in the sidecar of the first checkpoint of the vertex text, and the number of
    /// checkpoints of the vertex text.
    points: [U64; 2],
}

impl<'a> VertexBuffer<'a> {
    /// Reads one vertex, and calls `see` once for each number of the vertex. The arguments of `see`
    /// are the index of the number within the vertex, and the value of the number.
    ///
    /// For a text file, the first call of this method parses the whole text of the vertex buffer,
    /// and stores the position of every 64th vertex in 16 bytes of memory. Each later call parses
    /// at most 64 vertices. For a binary file, each call reads only the requested vertex.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NoSuch`] if the vertex does not exist. Returns the same errors as
    /// [`vertices`](Self::vertices) if the vertex cannot be read.
    ///
    /// [`ErrorKind::NoSuch`]: crate::ErrorKind::NoSuch
    pub fn vertex(&self, row: usize, see: &mut dyn FnMut(usize, VertexValue<'a>)) -> Result<()> {
        let rows = as_index(self.count());
        if row >= rows {
            let kind = Cause::NoSuch { count: as_u64(rows), index: as_u64(row) };
            return Err(Error::without_offset(FORMAT, self.place().named("vertex"), kind));
        }
        if self.element().view.order().is_some() {
            self.vertices()?.values(row).enumerate().for_each(|(number, value)| see(number, value));
            return Ok(());
        }
        let (block, format) = (self.block()?, self.format());
        let place = checkpoints(self, &block)?.and_then(|points| points.before(row));
        let place = place
            .filter(|place| block.content.start <= place.at && place.at <= place.end && place.end <= block.content.end);
        // If no checkpoint is available, all vertices from the first vertex of the text to the
        // requested vertex are parsed.
        let (mut tokens, before) = match place {
            Some(place) => (block.tokens_from(place), row.checked_rem(INTERVAL).unwrap_or_default()),
            None => (block.tokens(), row),
        };
        let fault = |fault| block.fault(fault, rows, format.all_scalars().len());
        (0..before).try_for_each(|_| read_row(format, &mut tokens, &mut |_, _| {})).map_err(fault)?;
        read_row(format, &mut tokens, see).map_err(fault)
    }
}

/// Returns the checkpoints of a vertex text: from a sidecar, or from a pass over the vertex text on
/// the first call.
///
/// Returns `None` if the allocation of the checkpoints fails.
fn checkpoints<'a>(buffer: &VertexBuffer<'a>, block: &NumberBlock<'a>) -> Result<Option<&'a RowCheckpoints>> {
    let ElementReader { view, kind, index, .. } = *buffer.element();
    let Some(number) = VERTEX_KINDS.iter().position(|one| *one == kind) else { return Ok(None) };
    let counts = VERTEX_KINDS.iter().take(number).map(|kind| view.count(*kind));
    let number = counts.fold(index, usize::saturating_add);
    let Some(slot) = view.state.checkpoints.get(number) else { return Ok(None) };
    if let Some(points) = slot.get() {
        return Ok(points.as_deref());
    }
    let sidecar = view.state.context.sidecar.get(|builder| write(view, builder));
    let points = match sidecar.and_then(|sidecar| find(sidecar, number, block, buffer)) {
        Some(points) => Some(points),
        None => RowCheckpoints::build(block, buffer.format(), as_index(buffer.count()))?,
    };
    Ok(slot.get_or_init(|| points.map(Box::new)).as_deref())
}

/// Returns the checkpoints of a vertex text from a sidecar, or `None` if the sidecar does not match
/// the vertex text.
fn find(
    sidecar: &Arc<Sidecar>,
    number: usize,
    block: &NumberBlock<'_>,
    buffer: &VertexBuffer<'_>,
) -> Option<RowCheckpoints> {
    let raw = sidecar.record::<RawTextBlock>(sidecar::Kind::TextBlocks, as_u64(number))?;
    let [first, count] = raw.points.map(U64::get);
    let is_it = raw.content.map(U64::get) == [block.content.start, block.content.end].map(as_u64)
        && raw.rows.get() == u64::from(buffer.count())
        && count == as_u64(as_index(buffer.count()).div_ceil(INTERVAL))
        && raw.hash.get() == hash(block.bytes.get(block.content.clone())?);
    let slice = || RecordSlice::new(Arc::clone(sidecar), sidecar::Kind::TextRows, first, count);
    is_it.then(|| RowCheckpoints::Indexed(slice()))
}

/// Adds the checkpoints of each vertex text of the file to a sidecar.
pub(super) fn write(view: View<'_>, builder: &mut Builder) -> Result<()> {
    builder.bind_to(head(view.bytes));
    if view.order().is_some() {
        return Ok(());
    }
    let count = VERTEX_KINDS.iter().map(|kind| view.count(*kind)).fold(0, usize::saturating_add);
    builder.reserve::<RawTextBlock>(sidecar::Kind::TextBlocks, count)?;
    for kind in VERTEX_KINDS {
        for index in 0..view.count(kind) {
            let element = ElementReader { view, kind, index, place: Field::new("") };
            write_block(element, builder)?;
        }
    }
    Ok(())
}

/// Adds the checkpoints of the vertex text of one element to a sidecar.
///
/// A vertex text that cannot be parsed gets no checkpoints in the sidecar. The parse error is
/// returned later, when the vertices are read.
fn write_block(element: ElementReader<'_>, builder: &mut Builder) -> Result<()> {
    let walk = || {
        let buffer = VertexBuffer::locate(element)?;
        let block = buffer.block()?;
        let points = RowCheckpoints::build(&block, buffer.format(), as_index(buffer.count()))?;
        Ok::<_, Error>((buffer.count(), block, points))
    };
    let Ok((rows, block, points)) = walk() else {
        return builder.push(sidecar::Kind::TextBlocks, &RawTextBlock::new_zeroed());
    };
    let first = builder.count(sidecar::Kind::TextRows);
    if let Some(RowCheckpoints::Built(points)) = &points {
        points.iter().try_for_each(|point| builder.push(sidecar::Kind::TextRows, point))?;
    }
    let count = builder.count(sidecar::Kind::TextRows).saturating_sub(first);
    let content = block.bytes.get(block.content.clone()).unwrap_or_default();
    let raw = RawTextBlock {
        content: [block.content.start, block.content.end].map(|offset| as_u64(offset).into()),
        hash: hash(content).into(),
        rows: u64::from(rows).into(),
        points: [first.into(), count.into()],
    };
    builder.push(sidecar::Kind::TextBlocks, &raw)
}

/// Sets the sidecar from which [`VertexBuffer::vertex`] takes the byte positions of vertices in a
/// text file.
///
/// With a sidecar, the first call of [`VertexBuffer::vertex`] does not parse the whole text of the
/// vertex buffer. The sidecar is ignored if the mesh file for which it was made differs from the
/// opened mesh file in the first 4096 bytes.
pub(super) fn set_sidecar(bytes: &[u8], state: &mut MeshState, sidecar: Arc<Sidecar>) {
    if sidecar.matches(head(bytes)) {
        state.checkpoints.iter_mut().for_each(|slot| drop(slot.take()));
        state.context.sidecar = SidecarSlot::new(sidecar);
    }
}

fn head(bytes: &[u8]) -> &[u8] {
    bytes.get(..HEAD.min(bytes.len())).unwrap_or_default()
}
