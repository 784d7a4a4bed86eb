//! An asset, as a view: the header from the file's bytes, and each block inflated when somebody first asks for it.

use std::sync::atomic::Ordering;

use super::asset_block::{AssetBlock, BlockData, InflateBuffer};
use super::asset_part::{AssetPart, Lod};
use super::asset_state::{AssetState, range_of};
use super::container::Container;
use super::detect;
use super::header::{BlockRange, Header};
use super::layout::{FORMAT, RawPreamble};
use super::level::Level;
use super::llsd::{self, LlsdLimits};
use super::physics::{Convex, PhysicsShape};
use super::skin::Skin;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::{Limits, MemoryBudget, Name};

/// An asset, borrowed from its [`Mesh`](super::Mesh).
#[derive(Clone, Copy, Debug)]
pub struct AssetView<'a> {
    /// All bytes of the file.
    bytes: &'a [u8],
    state: &'a AssetState,
}

impl<'a> AssetView<'a> {
    pub(super) const fn new(bytes: &'a [u8], state: &'a AssetState) -> Self {
        Self { bytes, state }
    }

    /// Returns all bytes of the file.
    pub(super) const fn file(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the record before an asset that comes from a viewer's disk cache.
    pub(super) fn preamble(&self) -> Option<&'a RawPreamble> {
        detect::preamble(self.bytes)
    }

    /// Returns what the file starts with after a preamble: the asset's header, or the map of a container.
    pub(super) fn first_header(&self) -> Result<Header<'a>> {
        let start = detect::preamble_len(self.bytes);
        Header::read(self.bytes.get(start..).unwrap_or_default(), start, &self.state.context.options.limits)
    }

    /// Returns the container that the asset is in.
    pub(super) fn container(&self) -> Option<Container<'a>> {
        self.state.container_len?;
        Container::of(&Header::read(self.bytes, 0, &self.state.context.options.limits).ok()?)
    }

    /// Returns the state of each asset of the file, with nothing inflated yet.
    pub(super) fn asset_states(self) -> impl Iterator<Item = AssetState> + use<'a> {
        let container = self.container();
        let alone = container.is_none().then(|| self.state.range.clone());
        let items = container.into_iter().flat_map(|container| container.items());
        let ranges = items.map(|item| range_of(&item)).chain(alone.map(Ok));
        ranges.enumerate().map(move |(asset, range)| self.state.sibling(self.bytes, asset, range))
    }

    /// Returns the name of the file's variant.
    pub(super) fn version(&self) -> &'static str {
        if self.state.cache_flags.is_some() {
            "cache"
        } else if self.state.container_len.is_some() {
            "slm"
        } else {
            "llmesh"
        }
    }

    /// Returns the bytes of the asset: of a container or a cache file, a part of the file.
    #[must_use]
    pub fn asset(&self) -> &'a [u8] {
        self.bytes.get(self.state.range.clone()).unwrap_or_default()
    }

    /// Returns the offset of the asset in the file.
    #[must_use]
    pub fn start(&self) -> u64 {
        as_u64(self.state.range.start)
    }

    /// Returns the offset in the file of the byte after the asset.
    #[must_use]
    pub fn end(&self) -> u64 {
        as_u64(self.state.range.end)
    }

    /// Returns the header. Allocates nothing.
    ///
    /// # Errors
    ///
    /// Where a container's asset has none, or the owner's bytes are no longer those that were opened.
    pub fn header(&self) -> Result<Header<'a>> {
        self.state.header(self.bytes)
    }

    /// Returns where a block lies and its stored bytes; `None` where the header names none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the header's entry is damaged; [`ErrorKind::UnexpectedEnd`] where the block lies beyond the
    /// end of the asset; [`ErrorKind::Missing`] where it was not fetched yet.
    pub fn stored(&self, part: AssetPart) -> Result<Option<(BlockRange, &'a [u8])>> {
        let ranges = if let Some(ranges) = self.state.ranges.get() {
            ranges
        } else {
            let header = self.header()?;
            self.state.ranges.get_or_init(|| header.block_ranges())
        };
        let range = ranges.get(part.number()).cloned().transpose()?.flatten();
        let Some(stored) = range else { return Ok(None) };
        let field = Field::new(part.key());
        let not_fetched = || {
            let expected = format!("bytes {}..{}, which were not fetched yet", stored.start, stored.end).into();
            // It may lie beyond the bytes that there are.
            Error::new(FORMAT, field, stored.start.min(self.end()), ErrorKind::Missing { expected })
        };
        if let (Some(flags), Some(flag)) = (self.state.cache_flags, part.cache_flag())
            && flags & flag == 0
        {
            return Err(not_fetched());
        }
        let within = |offset: u64| usize::try_from(offset).ok().filter(|at| *at <= self.state.range.end);
        let range = within(stored.start).zip(within(stored.end));
        let bytes = range.and_then(|(start, end)| self.bytes.get(start..end));
        match bytes {
            Some(bytes) => Ok(Some((stored, bytes))),
            None if self.state.context.options.partial => Err(not_fetched()),
            None => {
                let left = self.end().saturating_sub(stored.start);
                let kind = ErrorKind::UnexpectedEnd { needed: stored.len(), left };
                let field = Field::new("size").in_struct(part.key());
                Err(Error::new(FORMAT, field, stored.start.min(self.end()), kind))
            }
        }
    }

    /// Returns a block; `None` where the header names none. It is inflated the first time, and kept; of two threads that
    /// ask for it first at the same moment, both inflate it, and one of the results is kept.
    ///
    /// # Errors
    ///
    /// As [`stored`](Self::stored); [`ErrorKind::Value`], [`ErrorKind::UnexpectedEnd`] where it is no whole zlib stream of one
    /// LLSD value; [`ErrorKind::Limit`] where it would inflate to more than is allowed.
    pub fn block(&self, part: AssetPart) -> Result<Option<AssetBlock<'a>>> {
        let Some(slot) = self.state.blocks.get(part.number()) else { return Ok(None) };
        if let Some(block) = slot.get() {
            return borrow_block(block);
        }
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.record(&stored);
        let limits = self.limits();
        let budget = MemoryBudget::shared(&self.state.block_memory, limits.asset);
        let block = BlockData::new(part, bytes, stored.start, &limits, budget);
        if let Err(error) = &block
            && matches!(error.kind(), ErrorKind::Limit { name: "asset", .. } | ErrorKind::OutOfMemory { .. })
        {
            // Later there may be room.
            return Err(error.clone());
        }
        if let Err(late) = slot.set(Box::new(block)) {
            // Another thread asked for the same block, and was first.
            self.state.block_memory.fetch_sub(late.as_ref().as_ref().map_or(0, BlockData::size), Ordering::Relaxed);
        }
        slot.get().map_or(Ok(None), |block| borrow_block(block))
    }

    /// Inflates a block into a buffer that the caller lends, whether or not it is kept, too; `None` where the header names
    /// none.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn block_into<'b>(&self, part: AssetPart, buffer: &'b mut InflateBuffer) -> Result<Option<AssetBlock<'b>>> {
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.record(&stored);
        buffer.fill(part, bytes, stored.start, &self.limits()).map(Some)
    }

    /// Tells whether a block was inflated and is kept.
    #[must_use]
    pub fn is_inflated(&self, part: AssetPart) -> bool {
        let block = self.state.blocks.get(part.number()).and_then(|slot| slot.get());
        block.is_some_and(|block| block.is_ok())
    }

    /// Returns a level of detail.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block); [`ErrorKind::Choice`] where the asset does not have the level, which names those that it
    /// has; [`ErrorKind::Missing`] where it has none at all.
    pub fn level(&self, lod: Lod) -> Result<Level<'a>> {
        match self.block(lod.part())? {
            Some(block) => block.level(),
            None => Err(self.no_level(Some(lod))),
        }
    }

    /// Returns the level that a viewer shows where `lod` is asked for: it, else the nearest lower one that is there, else
    /// the nearest higher.
    ///
    /// # Errors
    ///
    /// As [`level`](Self::level).
    pub fn nearest_level(&self, lod: Lod) -> Result<Level<'a>> {
        let header = self.header()?;
        let nearest = lod.nearest(|lod| header.has(lod.part()));
        nearest.map_or_else(|| Err(self.no_level(None)), |lod| self.level(lod))
    }

    /// Makes the error for a level that is not there.
    fn no_level(&self, asked: Option<Lod>) -> Error {
        let header = match self.header() {
            Ok(header) => header,
            Err(error) => return error,
        };
        let names: Vec<&str> = header.lods().map(Lod::name).collect();
        let kind = if names.is_empty() {
            let stub = if header.is_stub() { ", which this stub of an asset that does not exist has not" } else { "" };
            ErrorKind::Missing { expected: format!("a level of detail{stub}").into() }
        } else {
            let found = asked.map_or("none of them", Lod::name).into();
            ErrorKind::Choice { names: names.join(", "), found }
        };
        Error::new(FORMAT, Field::new(asked.map_or("high_lod", |lod| lod.part().key())), self.start(), kind)
    }

    /// Returns an item of the list of materials, where it is a name.
    pub(super) fn material(&self, number: usize) -> Option<Name<'a>> {
        // Whoever asks for one asks for all: the header is gone through once.
        let starts = self.state.materials.get_or_init(|| self.find_materials().unwrap_or_default());
        let at = usize::try_from(*starts.get(number)?).ok()?;
        llsd::read_at(self.asset(), at, &self.llsd_limits()).ok()?.value.string().map(|name| name.name())
    }

    /// Finds where the names of materials stand.
    fn find_materials(&self) -> Result<Vec<u32>> {
        let list = self.header()?.material_list();
        let mut starts = Vec::new();
        let count = list.map_or(0, |list| list.len());
        starts.try_reserve_exact(count).map_err(|_| {
            let kind = ErrorKind::OutOfMemory { asked: as_u64(count).saturating_mul(4) };
            Error::without_offset(FORMAT, Field::new("material_list"), kind)
        })?;
        let items = list.into_iter().flat_map(|list| list.iter());
        starts.extend(items.map_while(|item| u32::try_from(item.at).ok()));
        Ok(starts)
    }

    /// Returns the skin; `None` where there is none.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn skin(&self) -> Result<Option<Skin<'a>>> {
        self.block(AssetPart::Skin)?.map(Skin::new).transpose()
    }

    /// Returns the convex hulls; `None` where there are none, as of a sub-model.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn convex(&self) -> Result<Option<Convex<'a>>> {
        self.block(AssetPart::PhysicsConvex)?.map_or(Ok(None), Convex::new)
    }

    /// Returns the triangles to collide with, by their new name or else their old one; `None` where there are none.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn physics_mesh(&self) -> Result<Option<Level<'a>>> {
        let block = match self.block(AssetPart::PhysicsMesh)? {
            Some(block) => Some(block),
            None => self.block(AssetPart::PhysicsShape)?,
        };
        block.map(|block| block.level()).transpose()
    }

    /// Chooses what to collide with: a list of hulls, else triangles, else the hull around everything. `None` where there
    /// is none of them.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    pub fn physics_shape(&self) -> Result<Option<PhysicsShape<'a>>> {
        let convex = self.convex()?;
        if let Some(convex) = convex
            && convex.hull_sizes()?.is_some_and(|sizes| !sizes.is_empty())
        {
            return Ok(Some(PhysicsShape::Hulls(convex)));
        }
        if let Some(level) = self.physics_mesh()? {
            return Ok(Some(PhysicsShape::Mesh(level)));
        }
        let Some(convex) = convex else { return Ok(None) };
        Ok(convex.bounding_points()?.is_some().then_some(PhysicsShape::BoundingHull(convex)))
    }

    /// Compares the MD5 that a simulator noted of a block with that of its stored bytes; `None` where none was noted.
    ///
    /// # Errors
    ///
    /// As [`stored`](Self::stored).
    pub fn verify_hash(&self, part: AssetPart) -> Result<Option<bool>> {
        let header = self.header()?;
        if header.hash(part).is_none() {
            return Ok(None);
        }
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.record(&stored);
        Ok(header.matches_hash(part, bytes))
    }

    /// Returns the level that the neutral view shows: the highest.
    pub(super) fn highest_level(&self) -> Result<Level<'a>> {
        // Every look at a surface comes by here: the header is read once.
        if let Some(lod) = self.state.highest.get() {
            return self.level(*lod);
        }
        let level = self.nearest_level(Lod::High)?;
        level.part().lod().map(|lod| self.state.highest.get_or_init(|| lod));
        Ok(level)
    }

    /// Returns how large a tree of values may be.
    pub(super) fn llsd_limits(&self) -> LlsdLimits {
        LlsdLimits::from(&self.state.context.options.limits)
    }

    /// Returns the limits of one block: the asset's is at least four times the file.
    fn limits(&self) -> Limits {
        let limits = self.state.context.options.limits;
        Limits { asset: limits.asset.max(as_u64(self.bytes.len()).saturating_mul(4)), ..limits }
    }

    /// Records that the header was read, and the preamble of a cache file.
    pub(super) fn record_header(&self) {
        let Some(log) = self.state.context.access_log() else { return };
        if let Ok(header) = self.header() {
            let start = if self.state.cache_flags.is_some() { 0 } else { self.start() };
            log.record(start, header.base());
        }
    }

    /// Records that a stored block was read.
    fn record(&self, stored: &BlockRange) {
        if let Some(log) = self.state.context.access_log() {
            log.record(stored.start, stored.end.min(self.end()));
        }
    }
}

fn borrow_block(block: &Result<BlockData>) -> Result<Option<AssetBlock<'_>>> {
    block.as_ref().map(|block| Some(AssetBlock::new(block))).map_err(Clone::clone)
}
