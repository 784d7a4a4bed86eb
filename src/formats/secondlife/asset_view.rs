//! [`AssetView`]: a view of a mesh asset. An asset view parses the header in the file's bytes, and
//! inflates each block on the first access to the block.

use std::sync::atomic::Ordering;

use super::asset_block::{AssetBlock, BlockData, InflateBuffer};
use super::asset_state::AssetState;
use super::container::Container;
use super::header::{BlockRange, Header};
use super::layout::{AssetPart, FORMAT, RawPreamble};
use super::level::Level;
use super::llsd::{self, LlsdLimits};
use super::physics::{Convex, PhysicsShape};
use super::skin::Skin;
use super::validate::rules::NO_LEVEL_OF_DETAIL;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::Lod;
use crate::parse::{Limits, MemoryBudget, Name};

/// A view of a mesh asset, borrowed from a [`Mesh`](super::Mesh).
#[derive(Clone, Copy)]
pub struct AssetView<'a> {
    /// All bytes of the file.
    bytes: &'a [u8],
    pub(super) state: &'a AssetState,
}

impl<'a> AssetView<'a> {
    pub(super) const fn new(bytes: &'a [u8], state: &'a AssetState) -> Self {
        Self { bytes, state }
    }

    /// Returns all bytes of the file.
    pub(super) const fn file(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the preamble of a file from a viewer's disk cache, or `None` if the file does not
    /// begin with such a preamble.
    pub(super) fn preamble(&self) -> Option<&'a RawPreamble> {
        super::detect::preamble(self.bytes)
    }

    /// Returns the first header of the file: the header of an asset or the map of a container. In a
    /// viewer's cache file, the header of the asset follows the preamble.
    pub(super) fn first_header(&self) -> Result<Header<'a>> {
        let start = super::detect::preamble_len(self.bytes);
        Header::read(self.bytes.get(start..).unwrap_or_default(), start, &self.state.context.options.limits)
    }

    /// Returns the container that the asset is in, or `None` if the file is not a container.
    pub(super) fn container(&self) -> Option<Container<'a>> {
        Container::at(self.state.container.as_ref()?.place, self.bytes, &self.llsd_limits())
    }

    /// Returns the name of the file variant: `cache`, `slm` or `llmesh`.
    pub(super) fn version(&self) -> &'static str {
        if self.state.cache_flags.is_some() {
            "cache"
        } else if self.state.container.is_some() {
            "slm"
        } else {
            "llmesh"
        }
    }

    /// Returns the bytes of the asset. In a container or in a viewer's cache file, the asset is
    /// only part of the file.
    #[must_use]
    pub fn asset(&self) -> &'a [u8] {
        self.bytes.get(self.state.range.clone()).unwrap_or_default()
    }

    /// Returns the offset of the asset's first byte in the file.
    #[must_use]
    pub fn start(&self) -> u64 {
        as_u64(self.state.range.start)
    }

    /// Returns the offset in the file of the first byte after the asset.
    #[must_use]
    pub fn end(&self) -> u64 {
        as_u64(self.state.range.end)
    }

    /// Returns the header of the asset. This function does not allocate memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the asset is in a container and its header is malformed. Also returns an
    /// error if the header was well-formed when the file was opened, but was changed since then to
    /// malformed bytes, which is possible in a memory-mapped file.
    pub fn header(&self) -> Result<Header<'a>> {
        self.state.header(self.bytes)
    }

    /// Returns the byte range and the compressed bytes of a block, or `None` if the header has no
    /// entry for the block or the size in the entry is 0.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the block's header entry is not a map, or if the offset or
    /// the size in the entry is negative or not an integer. Returns [`ErrorKind::UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd) if
    /// the block ends after the end of the asset, and [`ErrorKind::Missing`](crate::ErrorKind::Missing) if the block's bytes
    /// were not fetched over the network yet.
    pub fn stored(&self, part: AssetPart) -> Result<Option<(BlockRange, &'a [u8])>> {
        let ranges = if let Some(ranges) = self.state.ranges.get() {
            ranges
        } else {
            let header = self.header()?;
            self.state.ranges.get_or_init(|| header.block_ranges())
        };
        let range = ranges.get(part.number()).cloned().transpose()?.flatten();
        let Some(stored) = range else { return Ok(None) };
        if let (Some(flags), Some(flag)) = (self.state.cache_flags, part.cache_flag())
            && flags & flag == 0
        {
            return Err(stored.not_fetched(self.end()));
        }
        let within = |offset: u64| usize::try_from(offset).ok().filter(|at| *at <= self.state.range.end);
        let range = within(stored.start).zip(within(stored.end));
        let bytes = range.and_then(|(start, end)| self.bytes.get(start..end));
        match bytes {
            Some(bytes) => Ok(Some((stored, bytes))),
            None if self.state.context.options.partial => Err(stored.not_fetched(self.end())),
            None => Err(stored.cut(self.end(), self.state.container.is_some())),
        }
    }

    /// Returns the byte range of a block, which the file contains unless it is opened as a
    /// [partial](crate::OpenOptions::with_partial) file.
    pub(super) fn range_of(&self, part: AssetPart) -> Result<Option<BlockRange>> {
        if self.state.context.options.partial {
            return self.header()?.block(part);
        }
        Ok(self.stored(part)?.map(|(range, _)| range))
    }

    /// Returns an inflated block, or `None` if the header has no entry for the block or the size in
    /// the entry is 0.
    ///
    /// The first call inflates the block and caches the inflated bytes. If two threads
    /// simultaneously request a block that is not cached yet, each thread inflates the block, and
    /// only one of the two results is cached.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`stored`](Self::stored). Returns [`ErrorKind::Value`](crate::ErrorKind::Value) or
    /// [`ErrorKind::UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd) if the block is not a complete zlib stream of one LLSD value.
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the inflated block exceeds the
    /// limit [`block`](Limits::with_block), or all blocks together the limit [`asset`](Limits::with_asset).
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
            && matches!(error.cause(), Cause::Limit { name: "asset", .. } | Cause::OutOfMemory { .. })
        {
            // An error that reports a lack of memory is not cached, because a later call may
            // succeed after other inflated blocks have been released.
            return Err(error.clone());
        }
        if let Err(late) = slot.set(Box::new(block)) {
            // If another thread has cached the same block first, this thread's copy is freed, and
            // its size is subtracted from the memory total of all inflated blocks.
            self.state.block_memory.fetch_sub(late.as_ref().as_ref().map_or(0, BlockData::size), Ordering::Relaxed);
        }
        slot.get().map_or(Ok(None), |block| borrow_block(block))
    }

    /// Returns the number of bytes of memory of the cached blocks.
    pub(super) fn inflated_bytes(&self) -> u64 {
        self.state.block_memory.load(Ordering::Relaxed)
    }

    /// Inflates a block into `buffer` on every call, even if the inflated block is already cached.
    /// Returns `None` if the header has no entry for the block or the size in the entry is 0.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
    pub fn block_into<'b>(&self, part: AssetPart, buffer: &'b mut InflateBuffer) -> Result<Option<AssetBlock<'b>>> {
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.record(&stored);
        buffer.fill(part, bytes, stored.start, &self.limits()).map(Some)
    }

    /// Returns whether the inflated bytes of a block are cached. If an earlier attempt to inflate
    /// the block failed, the result is false.
    #[must_use]
    pub fn is_inflated(&self, part: AssetPart) -> bool {
        let block = self.state.blocks.get(part.number()).and_then(|slot| slot.get());
        block.is_some_and(|block| block.is_ok())
    }

    /// Returns a level of detail.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block). If the asset does not have the requested
    /// level of detail, returns [`ErrorKind::Choice`](crate::ErrorKind::Choice) with the names of the levels of detail that
    /// the asset has. If the asset has no level of detail, returns [`ErrorKind::Missing`](crate::ErrorKind::Missing).
    pub fn level(&self, lod: Lod) -> Result<Level<'a>> {
        match self.block(lod.part())? {
            Some(block) => block.level(),
            None => Err(self.no_level(Some(lod))),
        }
    }

    /// Returns the level of detail `lod` if the asset has this level. Otherwise, returns the level
    /// that a viewer shows instead: the nearest lower level, or the nearest higher level if the
    /// asset has no lower one.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`level`](Self::level).
    pub fn nearest_level(&self, lod: Lod) -> Result<Level<'a>> {
        let header = self.header()?;
        let nearest = lod.nearest(|lod| header.has(lod.part()));
        nearest.map_or_else(|| Err(self.no_level(None)), |lod| self.level(lod))
    }

    /// Creates the error for a requested level of detail that the asset does not have.
    pub(super) fn no_level(&self, asked: Option<Lod>) -> Error {
        let header = match self.header() {
            Ok(header) => header,
            Err(error) => return error,
        };
        // A level whose header entry has a wrong offset is named here, because the asset has this
        // level, and an access to it returns the error in the entry.
        let lods = Lod::ALL.into_iter().filter(|lod| header.has(lod.part()));
        let names: Vec<&str> = lods.map(Lod::name).collect();
        let part = asked.unwrap_or(Lod::High).part();
        let error = |kind| Error::new(FORMAT, Field::new(part.key()), self.start(), kind);
        if names.is_empty() {
            let stub = if header.is_stub() { " (this file is a stub: the asset does not exist)" } else { "" };
            let error = error(Cause::Missing { expected: format!("a level of detail{stub}").into() });
            return if part == AssetPart::HighLod { error.breaking(&NO_LEVEL_OF_DETAIL) } else { error };
        }
        error(Cause::Choice { names: names.join(", "), found: asked.map_or("none of them", Lod::name).into() })
    }

    /// Returns the name of a material, or `None` if the header's array of material names has no
    /// string at index `number`.
    pub(super) fn material(&self, number: usize) -> Option<Name<'a>> {
        // Callers usually read the names of all materials, so the offsets of all material names are
        // found in one pass over the header and cached.
        let at = usize::try_from(*self.materials().ok()?.get(number)?).ok()?;
        llsd::read_at(self.asset(), at, &self.llsd_limits()).ok()?.value.string().map(|name| name.name())
    }

    /// Returns the byte offsets of the material names in the header, which the first call finds.
    pub(super) fn materials(&self) -> Result<&'a [u32]> {
        if let Some(starts) = self.state.materials.get() {
            return Ok(starts);
        }
        let starts = self.find_materials()?;
        Ok(self.state.materials.get_or_init(|| starts))
    }

    /// Returns the byte offsets of the material names in the header. The offsets count from the
    /// first byte of the asset.
    fn find_materials(&self) -> Result<Vec<u32>> {
        let list = self.header()?.material_list();
        let mut starts = Vec::new();
        let count = list.map_or(0, |list| list.len());
        starts.try_reserve_exact(count).map_err(|_| {
            let kind = Cause::OutOfMemory { asked: as_u64(count).saturating_mul(4) };
            Error::without_offset(FORMAT, Field::new("material_list"), kind)
        })?;
        let items = list.into_iter().flat_map(|list| list.iter());
        starts.extend(items.map_while(|item| u32::try_from(item.at).ok()));
        Ok(starts)
    }

    /// Returns the skin, or `None` if the asset has no skin.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
    pub fn skin(&self) -> Result<Option<Skin<'a>>> {
        self.block(AssetPart::Skin)?.map(Skin::new).transpose()
    }

    /// Returns the convex hulls for collision, or `None` if the asset has no convex hulls. A
    /// sub-model (one of several meshes of a split model) usually has no convex hulls.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
    pub fn convex(&self) -> Result<Option<Convex<'a>>> {
        self.block(AssetPart::PhysicsConvex)?.map_or(Ok(None), Convex::new)
    }

    /// Returns the collision triangles, stored under the header key `physics_mesh` or the old
    /// header key `physics_shape`, or `None` if the asset has no collision triangles.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
    pub fn physics_mesh(&self) -> Result<Option<Level<'a>>> {
        let block = match self.block(AssetPart::PhysicsMesh)? {
            Some(block) => Some(block),
            None => self.block(AssetPart::PhysicsShape)?,
        };
        block.map(|block| block.level()).transpose()
    }

    /// Returns the collision shape, or `None` if the asset has no collision shape.
    ///
    /// If the asset has a non-empty array of convex hulls, the result is these hulls. If the array
    /// of convex hulls is absent or empty, the result is the collision triangles. If the array is
    /// absent or empty and the asset has no collision triangles, the result is the bounding hull.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
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

    /// Returns whether the MD5 hash that the header stores for a block is equal to the MD5 hash of
    /// the block's compressed bytes. Returns `None` if the header has no MD5 hash for the block.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`stored`](Self::stored).
    pub fn verify_hash(&self, part: AssetPart) -> Result<Option<bool>> {
        let header = self.header()?;
        if header.hash(part).is_none() {
            return Ok(None);
        }
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.record(&stored);
        Ok(header.matches_hash(part, bytes))
    }

    /// Returns the highest level of detail of the asset. The format-independent traits of a
    /// [`Mesh`](super::Mesh) use the highest level of detail.
    pub(super) fn highest_level(&self) -> Result<Level<'a>> {
        // The highest level is cached, because every access to a surface needs the highest level.
        if let Some(lod) = self.state.highest.get() {
            return self.level(*lod);
        }
        let level = self.nearest_level(Lod::High)?;
        level.part().lod().map(|lod| self.state.highest.get_or_init(|| lod));
        Ok(level)
    }

    /// Returns the maximum nesting depth and the maximum number of values for reading LLSD data.
    pub(super) fn llsd_limits(&self) -> LlsdLimits {
        LlsdLimits::from(&self.state.context.options.limits)
    }

    /// Returns the limits for inflating one block. In the returned value, the limit
    /// [`asset`](Limits::with_asset) is at least four times the file size.
    pub(super) fn limits(&self) -> Limits {
        let limits = self.state.context.options.limits;
        Limits { asset: limits.asset.max(as_u64(self.bytes.len()).saturating_mul(4)), ..limits }
    }

    /// Records in the access log that the header was read, and also the preamble if the file is a
    /// viewer's cache file.
    pub(super) fn record_header(&self) {
        let Some(log) = self.state.context.access_log() else { return };
        if let Ok(header) = self.header() {
            let start = if self.state.cache_flags.is_some() { 0 } else { self.start() };
            log.record(start, header.base());
        }
    }

    /// Records in the access log that the compressed bytes of a block were read.
    pub(super) fn record(&self, stored: &BlockRange) {
        if let Some(log) = self.state.context.access_log() {
            log.record(stored.start, stored.end.min(self.end()));
        }
    }
}

fn borrow_block(block: &Result<BlockData>) -> Result<Option<AssetBlock<'_>>> {
    block.as_ref().map(|block| Some(AssetBlock::new(block))).map_err(Clone::clone)
}
