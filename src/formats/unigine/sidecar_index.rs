//! Writes and reads the sidecar records of a mesh or an animation file.
//!
//! A sidecar record is used only if the bytes of the mesh or animation file agree with the record.

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

/// The start of a section of the file (animation or surface geometry), as stored in a sidecar.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawSection {
    start: U64,
    /// The first eight bytes of the section, or fewer at the end of the file.
    head: [u8; 8],
}

/// The totals of the bone weights of a surface, as stored in a sidecar.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawWeights {
    bytes: U64,
    records: U64,
    /// The offset of the longest weight list, in bytes from the first weight list, and the number
    /// of influences in the longest list.
    longest: [U64; 2],
    /// The number of the first `WeightBlocks` record of the surface, and how many such records the
    /// surface has. A surface that is not skinned has no such records.
    blocks: [U64; 2],
}

/// Returns the eight bytes at an offset. The returned bytes are compared with the bytes in the
/// sidecar record, to check that a section still starts at this offset.
fn head(bytes: &[u8], start: u64) -> [u8; 8] {
    let mut head = [0; 8];
    let rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    head.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
    head
}

impl FileReader<'_> {
    /// Adds the record of the section that starts at `start` to the sidecar.
    fn push_section(self, builder: &mut Builder, start: u64) -> Result<()> {
        builder.push(Kind::Sections, &RawSection { start: start.into(), head: head(self.bytes, start) })
    }

    /// Returns the start of section `index` from a sidecar, or `None` if the bytes at that offset
    /// differ from the bytes in the sidecar record.
    fn section_of(self, sidecar: &Sidecar, index: usize) -> Option<u64> {
        let section = sidecar.record::<RawSection>(Kind::Sections, as_u64(index))?;
        let start = section.start.get();
        let mut cursor = self.cursor().at(start).ok()?;
        let found = cursor.bytes(cursor.left().min(as_u64(section.head.len())), "section").ok()?;
        (section.head == head(found, 0)).then_some(start)
    }
}

impl<'a> MeshReader<'a> {
    /// Returns the sidecar of the file, or `None` if the file has no sidecar or the sidecar cannot
    /// be trusted.
    pub(crate) fn sidecar(self) -> Option<&'a Arc<Sidecar>> {
        self.state.file.context.sidecar.get(|builder| self.index(builder))
    }

    /// Returns the start of a section from the sidecar, or `None` if the sidecar does not store a
    /// valid start.
    pub(crate) fn stored_section(self, section: usize) -> Option<u64> {
        self.file().section_of(self.sidecar()?, section)
    }

    /// Adds to a sidecar all data that could otherwise be computed only by a walk over the file.
    ///
    /// For generations up to ms13, the sidecar receives the start of every section, the end of the
    /// weights, and the index that locates each list of weights. For all generations, the sidecar
    /// also receives the checkpoints of animations.
    pub(crate) fn index(self, builder: &mut Builder) -> Result<()> {
        if let Some(options) = self.state.file.options_without_sidecar() {
            // Data that was loaded from a sidecar cannot be copied to a new sidecar, so all data is
            // located in the file again.
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
        // Locating the weights computes their totals. Requesting a weight list builds the index of
        // the weights.
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

    /// Copies the weight totals and the weight index of a surface from the sidecar to the cache, if
    /// the cache is empty.
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
    /// Returns the sidecar of the file, or `None` if the file has no sidecar or the sidecar cannot
    /// be trusted.
    pub(crate) fn sidecar(self) -> Option<&'a Arc<Sidecar>> {
        self.state.file.context.sidecar.get(|builder| self.index(builder))
    }

    /// Returns the start of animation `index` from the sidecar, or `None` if the sidecar does not
    /// store a valid start.
    pub(crate) fn stored_section(self, index: usize) -> Option<u64> {
        self.file().section_of(self.sidecar()?, index)
    }

    /// Adds the start and the checkpoints of every animation to a sidecar.
    pub(crate) fn index(self, builder: &mut Builder) -> Result<()> {
        if let Some(options) = self.state.file.options_without_sidecar() {
            // Data that was loaded from a sidecar cannot be copied to a new sidecar, so all data is
            // located in the file again.
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
