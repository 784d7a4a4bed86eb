//! What a sidecar keeps of a mesh or an animation file: writing it, and reading it as far as the file bears it out.

use std::sync::Arc;

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::animation::reader::{AnimationFileState, AnimationReader};
use super::reader::file_reader::FileReader;
use super::reader::mesh_reader::{MeshFileState, MeshReader};
use super::reader::surface_cache::SurfaceCache;
use crate::array::runs::{RunIndex, RunTotals};
use crate::error::Result;
use crate::math::as_u64;
use crate::sidecar::{Builder, Kind, RecordSlice, Sidecar};

/// Where a section starts.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawSection {
    start: U64,
    /// The bytes there, as far as the file goes.
    head: [u8; 8],
}

/// The result of a walk over the weights of a surface.
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

impl FileReader<'_> {
    /// Adds where a section starts.
    fn push_section(self, builder: &mut Builder, start: u64) -> Result<()> {
        builder.push(Kind::Sections, &RawSection { start: start.into(), head: head(self.bytes, start) })
    }

    /// Returns where a section starts by a sidecar, if the bytes there bear it out.
    fn section_of(self, sidecar: &Sidecar, index: usize) -> Option<u64> {
        let section = sidecar.record::<RawSection>(Kind::Sections, as_u64(index))?;
        let start = section.start.get();
        let mut cursor = self.cursor().at(start).ok()?;
        let found = cursor.bytes(cursor.left().min(as_u64(section.head.len())), "section").ok()?;
        (section.head == head(found, 0)).then_some(start)
    }
}

impl<'a> MeshReader<'a> {
    /// Returns the sidecar, if it can be trusted.
    pub(crate) fn sidecar(self) -> Option<&'a Arc<Sidecar>> {
        self.state.file.context.sidecar.get(|builder| self.index(builder))
    }

    /// Returns where a section starts by the sidecar.
    pub(crate) fn stored_section(self, section: usize) -> Option<u64> {
        self.file().section_of(self.sidecar()?, section)
    }

    /// Adds to a sidecar what finding things again would cost a walk: of generations up to ms13 where every section starts,
    /// where weights end, and the blocks that find each list of them; of all generations the checkpoints of animations.
    pub(crate) fn index(self, builder: &mut Builder) -> Result<()> {
        if let Some(options) = self.state.file.options_without_sidecar() {
            // What a sidecar lends is not there to be copied: everything is found in the file again.
            return MeshReader { state: &MeshFileState::open(self.bytes, &options)?, ..self }.index(builder);
        }
        builder.bind_to(self.file().header_bytes());
        for animation in 0..self.file().animation_count() {
            self.animation(animation)?.push(builder)?;
        }
        if self.generation().is_compressed() {
            return Ok(());
        }
        self.end()?;
        for section in 0..=self.section_count() {
            self.file().push_section(builder, self.locate(section)?)?;
        }
        (0..self.surface_count()).try_for_each(|surface| self.push_weights(builder, surface))
    }

    fn push_weights(self, builder: &mut Builder, surface: usize) -> Result<()> {
        // Locating them is what finds their totals, and asking for a list what makes their index.
        let weights = self.surface(surface)?.weights().ok().flatten();
        weights.and_then(|weights| weights.get(0));
        let cache = self.cache(surface)?;
        let totals = cache.totals.get().copied().unwrap_or_default();
        let first = builder.count(Kind::WeightBlocks);
        if let Some(index) = cache.index.get().and_then(Option::as_ref) {
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
    pub(crate) fn recall(self, index: usize, cache: &SurfaceCache) {
        if cache.totals.get().is_some() {
            return;
        }
        let Some(sidecar) = self.sidecar() else { return };
        let Some(raw) = sidecar.record::<RawWeights>(Kind::Weights, as_u64(index)) else { return };
        let [at, longest] = raw.longest.map(U64::get);
        let longest = (at, u8::try_from(longest).unwrap_or(u8::MAX));
        let totals = RunTotals { bytes: raw.bytes.get(), records: raw.records.get(), longest };
        cache.totals.get_or_init(|| totals);
        let [first, count] = raw.blocks.map(U64::get);
        if count > 0 {
            let blocks = RecordSlice::new(Arc::clone(sidecar), Kind::WeightBlocks, first, count);
            cache.index.get_or_init(|| Some(RunIndex::from_sidecar(blocks)));
        }
    }
}

impl<'a> AnimationReader<'a> {
    /// Returns the sidecar, if it can be trusted.
    pub(crate) fn sidecar(self) -> Option<&'a Arc<Sidecar>> {
        self.state.file.context.sidecar.get(|builder| self.index(builder))
    }

    /// Returns where an animation starts by the sidecar.
    pub(crate) fn stored_section(self, index: usize) -> Option<u64> {
        self.file().section_of(self.sidecar()?, index)
    }

    /// Adds to a sidecar where every animation starts, and its checkpoints.
    pub(crate) fn index(self, builder: &mut Builder) -> Result<()> {
        if let Some(options) = self.state.file.options_without_sidecar() {
            // What a sidecar lends is not there to be copied: everything is found in the file again.
            return AnimationReader { state: &AnimationFileState::open(self.bytes, &options)?, ..self }.index(builder);
        }
        let file = self.file();
        builder.bind_to(file.header_bytes());
        self.end()?;
        for index in 0..=file.animation_count() {
            file.push_section(builder, self.locate(index)?)?;
        }
        (0..file.animation_count()).try_for_each(|index| self.animation(index)?.push(builder))
    }
}
