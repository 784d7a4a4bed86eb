//! What a sidecar holds of a mesh or an animation file, and how far it is believed.

use std::sync::Arc;

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::geometry::Memo;
use super::mesh::Mesh;
use crate::array::runs::{RunIndex, RunTotals};
use crate::error::Result;
use crate::math::as_u64;
use crate::parse::{Cursor, OpenOptions};
use crate::sidecar::{Builder, Kind, RecordSlice, Sidecar};

/// Where a section starts.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawSection {
    start: U64,
    /// The bytes there, as far as the file goes.
    head: [u8; 8],
}

/// What a walk over the weights of a surface found.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawWeights {
    bytes: U64,
    records: U64,
    /// Where the longest list is, in bytes from the first, and how long.
    longest: [U64; 2],
    /// The first of its blocks, and how many there are; none where the surface is not skinned.
    blocks: [U64; 2],
}

/// Returns the bytes at an offset that tell whether a section still starts there.
fn head(bytes: &[u8], start: u64) -> [u8; 8] {
    let mut head = [0; 8];
    let rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    head.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
    head
}

/// Adds where a section starts.
pub(super) fn push_section(builder: &mut Builder, bytes: &[u8], start: u64) -> Result<()> {
    builder.push(Kind::Sections, &RawSection { start: start.into(), head: head(bytes, start) })
}

/// Returns where a section starts, as a sidecar has it and the bytes there bear out.
pub(super) fn section(sidecar: &Sidecar, cursor: Cursor<'_>, index: usize) -> Option<u64> {
    let section = sidecar.record::<RawSection>(Kind::Sections, as_u64(index))?;
    let start = section.start.get();
    let mut cursor = cursor.at(start).ok()?;
    let found = cursor.bytes(cursor.left().min(as_u64(section.head.len())), "section").ok()?;
    (section.head == head(found, 0)).then_some(start)
}

impl<D: AsRef<[u8]>> Mesh<D> {
    /// Returns the sidecar, if it is to be believed.
    pub(super) fn believed(&self) -> Option<&Arc<Sidecar>> {
        self.file.sidecar().get(|builder| self.index(builder))
    }

    /// Returns where a section starts, as the sidecar has it.
    pub(super) fn recalled(&self, section: usize) -> Option<u64> {
        self::section(self.believed()?, self.cursor(), section)
    }

    /// Adds to a sidecar what finding things again would cost a walk: of generations up to ms13 where every section starts,
    /// where weights end, and the blocks that find each list of them; of all generations the checkpoints of animations.
    /// Walks everything, as [`check`](Self::check) does.
    ///
    /// # Errors
    ///
    /// The first fault on the way, by field and offset; [`ErrorKind::OutOfMemory`](crate::error::ErrorKind::OutOfMemory).
    pub fn index(&self, builder: &mut Builder) -> Result<()> {
        if self.file.sidecar().is_there() {
            // What a sidecar lends is not there to be copied: everything is found in the file again.
            return Mesh::open_with(self.as_bytes(), &OpenOptions { record_access: false, ..*self.file.options() })?
                .index(builder);
        }
        builder.speak_for(self.header_bytes());
        for animation in 0..self.animation_count() {
            self.animation(animation)?.push(builder)?;
        }
        if self.generation().is_compressed() {
            return Ok(());
        }
        self.end()?;
        for section in 0..=self.sections() {
            push_section(builder, self.as_bytes(), self.locate(section)?)?;
        }
        for surface in 0..self.surface_count() {
            self.push_weights(builder, surface)?;
        }
        Ok(())
    }

    fn push_weights(&self, builder: &mut Builder, surface: usize) -> Result<()> {
        // Locating them is what finds their totals, and asking for a list what makes their index.
        let weights = self.surface(surface)?.weights().ok().flatten();
        weights.and_then(|weights| weights.get(0));
        let memo = self.memo(surface)?;
        let totals = memo.totals.get().copied().unwrap_or_default();
        let first = builder.count(Kind::WeightBlocks);
        if let Some(index) = memo.index.get().and_then(Option::as_ref) {
            index.blocks().iter().try_for_each(|block| builder.push(Kind::WeightBlocks, block))?;
        }
        let count = builder.count(Kind::WeightBlocks).saturating_sub(first);
        let (at, longest) = totals.longest;
        let raw = RawWeights {
            bytes: totals.bytes.into(),
            records: totals.records.into(),
            longest: [at.into(), u64::from(longest).into()],
            blocks: [first.into(), count.into()],
        };
        builder.push(Kind::Weights, &raw)
    }

    /// Fills in what the sidecar knows of a surface, once.
    pub(super) fn recall(&self, index: usize, memo: &Memo) {
        if memo.totals.get().is_some() {
            return;
        }
        let Some(sidecar) = self.believed() else { return };
        let Some(raw) = sidecar.record::<RawWeights>(Kind::Weights, as_u64(index)) else { return };
        let [at, longest] = raw.longest.map(U64::get);
        let longest = (at, u8::try_from(longest).unwrap_or(u8::MAX));
        let totals = RunTotals { bytes: raw.bytes.get(), records: raw.records.get(), longest };
        memo.totals.get_or_init(|| totals);
        let [first, count] = raw.blocks.map(U64::get);
        if count > 0 {
            let blocks = RecordSlice::new(Arc::clone(sidecar), Kind::WeightBlocks, first, count);
            memo.index.get_or_init(|| Some(RunIndex::from_sidecar(blocks)));
        }
    }

    pub(super) fn header_bytes(&self) -> &[u8] {
        let end = usize::try_from(self.body()).unwrap_or(usize::MAX);
        self.as_bytes().get(..end).unwrap_or_default()
    }
}
