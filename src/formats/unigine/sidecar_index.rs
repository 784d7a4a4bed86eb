//! Writes and reads the records of a sidecar file, which stores the byte offsets of sections, the
//! totals of bone weights, and animation checkpoints of a mesh or an animation file.
//!
//! The offset in a sidecar record is used only if the mesh or animation file has the expected bytes
//! at this offset.

use std::sync::Arc;

use zerocopy::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::animation::reader::{AnimationFileState, AnimationReader};
use super::reader::arrays::SurfaceCache;
use super::reader::file_reader::FileReader;
use super::reader::mesh_reader::{MeshFileState, MeshReader};
use crate::array::runs::{RunIndex, RunTotals};
use crate::error::Result;
use crate::math::as_u64;
use crate::sidecar::{Builder, Kind, RecordSlice, Sidecar};

/// The sidecar record for the start of a section. A section of the file is an animation or the
/// geometry of a surface.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawSection {
    start: U64,
    /// The first eight bytes of the section. At the end of the file, missing bytes are 0.
    head: [u8; 8],
}

/// The sidecar record for the bone weights of a surface: the total size in bytes, the total number
/// of influences, and the longest weight list.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawWeights {
    bytes: U64,
    records: U64,
    /// The offset of the longest weight list, in bytes from the first weight list, and the number
    /// of influences in the longest list.
    longest: [U64; 2],
    /// The index of the first `WeightBlocks` record of the surface, and how many `WeightBlocks`
    /// records the surface has. A surface that is not skinned has no `WeightBlocks` record.
    blocks: [U64; 2],
}

/// Returns the eight bytes at the offset `start`, with zeros after the end of the file.
///
/// The returned bytes are compared with the bytes in a sidecar record, to check that a section
/// still starts at this offset.
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

    /// Returns the byte offset at which section `index` starts, from a sidecar record.
    ///
    /// Returns `None` if the sidecar has no record of this section, or if the bytes of the file at
    /// this offset differ from the bytes in the record.
    pub(super) fn section_of(self, sidecar: &Sidecar, index: usize) -> Option<u64> {
        let section = sidecar.record::<RawSection>(Kind::Sections, as_u64(index))?;
        let start = section.start.get();
        let mut cursor = self.cursor().at(start).ok()?;
        let found = cursor.bytes(cursor.left().min(as_u64(section.head.len())), "section").ok()?;
        (section.head == head(found, 0)).then_some(start)
    }
}

impl MeshReader<'_> {
    /// Adds to a sidecar all offsets and totals that a reader without a sidecar can find only by a
    /// scan of the file.
    ///
    /// For files up to ms13, the sidecar receives the start of every section, the end of the
    /// weights of each surface, and the index that locates each weight list. For all files with
    /// embedded animations, the sidecar also receives the checkpoints of the animations.
    pub(crate) fn index(self, builder: &mut Builder) -> Result<()> {
        if let Some(options) = self.state.file.options_without_sidecar() {
            // Data that was loaded from a sidecar cannot be copied to a new sidecar, so the file is
            // scanned again without the sidecar.
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
        // The call of `weights` computes and caches the weight totals. The call of `get` for the
        // first weight list builds the index of all weight lists.
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

    /// Copies the weight totals and the weight index of a surface from a sidecar to the cache.
    pub(super) fn recall(sidecar: &Arc<Sidecar>, index: usize, cache: &SurfaceCache) {
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
    /// Returns the sidecar of the file, or `None` if the file has no sidecar or if the sidecar is
    /// not trusted and its content is wrong.
    pub(crate) fn sidecar(self) -> Option<&'a Arc<Sidecar>> {
        self.state.file.context.sidecar.get(|builder| self.index(builder))
    }

    /// Adds the start and the checkpoints of every animation to a sidecar.
    pub(crate) fn index(self, builder: &mut Builder) -> Result<()> {
        if let Some(options) = self.state.file.options_without_sidecar() {
            // Data that was loaded from a sidecar cannot be copied to a new sidecar, so the file is
            // scanned again without the sidecar.
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
