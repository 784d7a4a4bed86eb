//! Single vertices of a block of text: found by checkpoints, one each 64 rows, and read without unfolding the block.

use std::sync::{Arc, OnceLock};

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::FORMAT;
use super::block::{Cell, Text};
use super::buffer::VertexBuffer;
use super::item::Item;
use super::layout::Layout;
use super::number::{Place, Tokens};
use super::outline::Kind;
use super::system::MeshSystem;
use super::view::View;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::{as_index, as_u64};
use crate::sidecar::{self, Builder, RecordSlice, Sidecar, SidecarSlot, hash};

/// Rows from one checkpoint to the next.
const INTERVAL: usize = 64;
/// Bytes from the first on that tell whether a sidecar speaks for a file.
const HEAD: usize = 4096;

/// Kinds of blocks that hold vertices.
const KINDS: [Kind; 2] = [Kind::MeshVertices, Kind::SectionVertices];

/// Where a row starts in the text.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawRow {
    at: U64,
    /// Where the piece of text ends that it starts in: the block's, or a CDATA section's.
    end: U64,
}

/// A block of text.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawBlock {
    /// Where it starts and ends.
    content: [U64; 2],
    /// The hash of its bytes.
    hash: U64,
    rows: U64,
    /// The first of its checkpoints, and how many there are.
    points: [U64; 2],
}

/// The checkpoints of a block.
#[derive(Debug)]
enum Rows {
    Built(Box<[RawRow]>),
    Stored(RecordSlice<RawRow>),
}

impl Rows {
    /// Walks all rows; `None` where there is no memory for what is found.
    fn build(text: &Text<'_>, layout: &Layout, rows: usize) -> Result<Option<Self>> {
        let mut points = Vec::new();
        if points.try_reserve_exact(rows.div_ceil(INTERVAL)).is_err() {
            return Ok(None);
        }
        let mut tokens = text.tokens();
        for row in 0..rows {
            if row.is_multiple_of(INTERVAL) {
                let Place { at, end } = tokens.place();
                points.push(RawRow { at: as_u64(at).into(), end: as_u64(end).into() });
            }
            text.row(layout, &mut tokens, &mut |_, _| {})
                .map_err(|fault| text.fault(fault, rows, layout.all_scalars().len()))?;
        }
        Ok(Some(Self::Built(points.into())))
    }

    /// Returns where a row of a number that the interval divides starts.
    fn find(&self, row: usize) -> Option<Place> {
        let point = match self {
            Self::Built(points) => points.get(row.checked_div(INTERVAL)?)?,
            Self::Stored(points) => points.get(as_u64(row.checked_div(INTERVAL)?))?,
        };
        let [at, end] = [point.at, point.end].map(|offset| usize::try_from(offset.get()).ok());
        Some(Place { at: at?, end: end? })
    }
}

/// Places for the checkpoints of all blocks of a kind; `None` where there was no memory for them.
type Slots = Option<Box<[OnceLock<Option<Rows>>]>>;

/// The checkpoints of all blocks of vertices, each found when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct AllRows {
    blocks: [OnceLock<Slots>; KINDS.len()],
    sidecar: SidecarSlot,
}

impl<'a> VertexBuffer<'a> {
    /// Reads vertex `row` alone, and shows its numbers with their places within the vertex. Of text, the first call finds where
    /// every 64th vertex starts, in one pass over the block that keeps 16 bytes for each; from then on a vertex costs no more
    /// than reading 64 of them. Of the binary form, it costs that vertex.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuch`] for a vertex that does not exist; as [`vertices`](Self::vertices) for one that cannot be read.
    pub fn vertex(&self, row: usize, see: &mut dyn FnMut(usize, Cell<'a>)) -> Result<()> {
        let item = self.item();
        let rows = as_index(self.count());
        if row >= rows {
            let kind = ErrorKind::NoSuch { count: as_u64(rows), index: as_u64(row) };
            return Err(Error::without_offset(FORMAT, self.place().named("vertex"), kind));
        }
        if item.view.order().is_some() {
            self.vertices()?.cells(row).enumerate().for_each(|(number, cell)| see(number, cell));
            return Ok(());
        }
        let (text, layout) = (self.text()?, self.layout());
        let before = row.checked_rem(INTERVAL).unwrap_or_default();
        let place = item.view.rows(item.kind, item.index, self, &text)?;
        let place = place.and_then(|rows| rows.find(row)).filter(|place| text.is_within(*place));
        // Without a checkpoint, the way from the first row leads there, too.
        let (mut tokens, before) =
            place.map_or_else(|| (text.tokens(), row), |place| (text.tokens_from(place), before));
        let fault = |fault| text.fault(fault, rows, layout.all_scalars().len());
        (0..before).try_for_each(|_| text.row(layout, &mut tokens, &mut |_, _| {})).map_err(fault)?;
        text.row(layout, &mut tokens, see).map_err(fault)
    }
}

impl<'a> Text<'a> {
    /// Reads one row.
    fn row(
        &self,
        layout: &Layout,
        tokens: &mut Tokens<'a>,
        see: &mut dyn FnMut(usize, Cell<'a>),
    ) -> std::result::Result<(), super::number::Fault> {
        for (number, scalar) in layout.all_scalars().iter().enumerate() {
            see(number, self.cell(tokens, *scalar)?);
        }
        Ok(())
    }

    fn is_within(&self, place: Place) -> bool {
        self.content.start <= place.at && place.at <= place.end && place.end <= self.content.end
    }
}

impl<'a> View<'a> {
    /// Returns the checkpoints of a block, which are taken from a sidecar or made the first time; `None` without the memory.
    fn rows(&self, kind: Kind, index: usize, buffer: &VertexBuffer<'a>, text: &Text<'a>) -> Result<Option<&'a Rows>> {
        let all = &self.state.rows;
        let Some((blocks, before)) = KINDS.iter().position(|one| *one == kind).and_then(|number| {
            let before = KINDS.iter().take(number).map(|kind| self.count(*kind)).fold(0, usize::saturating_add);
            Some((all.blocks.get(number)?, before))
        }) else {
            return Ok(None);
        };
        let make = || {
            let mut slots = Vec::new();
            slots.try_reserve_exact(self.count(kind)).ok()?;
            slots.resize_with(self.count(kind), OnceLock::new);
            Some(slots.into_boxed_slice())
        };
        let Some(slot) = blocks.get_or_init(make).as_ref().and_then(|slots| slots.get(index)) else { return Ok(None) };
        if let Some(rows) = slot.get() {
            return Ok(rows.as_ref());
        }
        let stored = || {
            let believed = all.sidecar.get(|builder| self.index(builder))?;
            stored(believed, before.saturating_add(index), text, buffer)
        };
        let rows = match stored() {
            Some(rows) => Some(rows),
            None => Rows::build(text, buffer.layout(), as_index(buffer.count()))?,
        };
        Ok(slot.get_or_init(|| rows).as_ref())
    }

    /// Adds to a sidecar where every 64th vertex of each block of text starts.
    fn index(&self, builder: &mut Builder) -> Result<()> {
        builder.speak_for(head(self.bytes));
        if self.order().is_some() {
            return Ok(());
        }
        for kind in KINDS {
            for index in 0..self.count(kind) {
                let item = Item { view: *self, kind, index, place: Field::new("") };
                // What cannot be read has no checkpoints, and says why when somebody asks.
                let found = VertexBuffer::locate(item).and_then(|buffer| Found::of(&buffer));
                match found {
                    Ok(found) => found.push(builder)?,
                    Err(_) => builder.push(sidecar::Kind::TextBlocks, &RawBlock::new_zeroed())?,
                }
            }
        }
        Ok(())
    }
}

/// A block of vertices that was walked.
struct Found<'a> {
    text: Text<'a>,
    rows: u32,
    points: Option<Rows>,
}

impl<'a> Found<'a> {
    fn of(buffer: &VertexBuffer<'a>) -> Result<Self> {
        let (text, rows) = (buffer.text()?, buffer.count());
        let points = Rows::build(&text, buffer.layout(), as_index(rows))?;
        Ok(Self { text, rows, points })
    }

    fn push(&self, builder: &mut Builder) -> Result<()> {
        let first = builder.count(sidecar::Kind::TextRows);
        if let Some(Rows::Built(points)) = &self.points {
            points.iter().try_for_each(|point| builder.push(sidecar::Kind::TextRows, point))?;
        }
        let count = builder.count(sidecar::Kind::TextRows).saturating_sub(first);
        let content = self.text.bytes.get(self.text.content.clone()).unwrap_or_default();
        let raw = RawBlock {
            content: [self.text.content.start, self.text.content.end].map(|offset| as_u64(offset).into()),
            hash: hash(content).into(),
            rows: u64::from(self.rows).into(),
            points: [first.into(), count.into()],
        };
        builder.push(sidecar::Kind::TextBlocks, &raw)
    }
}

impl<D: AsRef<[u8]>> MeshSystem<D> {
    /// Takes a sidecar, which finds single vertices of text ([`VertexBuffer::vertex`]) without reading the numbers before
    /// them. One that belongs to a file that begins otherwise is ignored.
    pub(super) fn take_sidecar(&mut self, sidecar: Arc<Sidecar>) {
        if sidecar.is_of(head(self.data().as_ref())) {
            self.state_mut().rows = AllRows { sidecar: SidecarSlot::new(sidecar), ..AllRows::default() };
        }
    }

    /// Adds to a sidecar where every 64th vertex of each block of text starts; of the binary form nothing. Reads every vertex.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`].
    pub fn index(&self, builder: &mut Builder) -> Result<()> {
        self.view().index(builder)
    }
}

/// Looks for the checkpoints that a sidecar has of a block.
fn stored(sidecar: &Arc<Sidecar>, number: usize, text: &Text<'_>, buffer: &VertexBuffer<'_>) -> Option<Rows> {
    let block = sidecar.record::<RawBlock>(sidecar::Kind::TextBlocks, as_u64(number))?;
    let [first, count] = block.points.map(U64::get);
    let is_it = block.content.map(U64::get) == [text.content.start, text.content.end].map(as_u64)
        && block.rows.get() == u64::from(buffer.count())
        && count == as_u64(as_index(buffer.count()).div_ceil(INTERVAL))
        && block.hash.get() == hash(text.bytes.get(text.content.clone())?);
    is_it.then(|| Rows::Stored(RecordSlice::new(Arc::clone(sidecar), sidecar::Kind::TextRows, first, count)))
}

fn head(bytes: &[u8]) -> &[u8] {
    bytes.get(..HEAD.min(bytes.len())).unwrap_or_default()
}
