//! A view of an asset. The view reads the header from the file and inflates each block on the first
//! access to the block.

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

/// A view of an asset, borrowed from its [`Mesh`](super::Mesh).
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

    /// Returns the record that a viewer's disk cache writes before an asset, or `None` if the file
    /// does not begin with such a record.
    pub(super) fn preamble(&self) -> Option<&'a RawPreamble> {
        detect::preamble(self.bytes)
    }

    /// Returns the first header of the file, after the preamble if the file has one. The result is
    /// the header of an asset or the map of a container.
    pub(super) fn first_header(&self) -> Result<Header<'a>> {
        let start = detect::preamble_len(self.bytes);
        Header::read(self.bytes.get(start..).unwrap_or_default(), start, &self.state.context.options.limits)
    }

    /// Returns the container that the asset is in, or `None` if the file is not a container.
    pub(super) fn container(&self) -> Option<Container<'a>> {
        self.state.container_len?;
        Container::of(&Header::read(self.bytes, 0, &self.state.context.options.limits).ok()?)
    }

    /// Returns an iterator over the [`AssetState`]s of all assets of the file. The returned values
    /// have no inflated blocks.
    pub(super) fn asset_states(self) -> impl Iterator<Item = AssetState> + use<'a> {
        let container = self.container();
        let alone = container.is_none().then(|| self.state.range.clone());
        let items = container.into_iter().flat_map(|container| container.items());
        let ranges = items.map(|item| range_of(&item)).chain(alone.map(Ok));
        ranges.enumerate().map(move |(asset, range)| self.state.sibling(self.bytes, asset, range))
    }

    /// Returns the name of the file variant: `cache`, `slm` or `llmesh`.
    pub(super) fn version(&self) -> &'static str {
        if self.state.cache_flags.is_some() {
            "cache"
        } else if self.state.container_len.is_some() {
            "slm"
        } else {
            "llmesh"
        }
    }

    /// Returns the bytes of the asset. In a container or a cache file, these bytes are only part of
    /// the file.
    #[must_use]
    pub fn asset(&self) -> &'a [u8] {
        self.bytes.get(self.state.range.clone()).unwrap_or_default()
    }

    /// Returns the offset of the asset in the file.
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
    /// Returns an error if the asset is in a container and has no valid header, or if the value
    /// that owns the bytes now returns other bytes than when the file was opened.
    pub fn header(&self) -> Result<Header<'a>> {
        self.state.header(self.bytes)
    }

    /// Returns the byte range and the compressed bytes of a block, or `None` if the header has no
    /// entry for the block.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`] if the block's header entry is damaged,
    /// [`ErrorKind::UnexpectedEnd`] if the block ends after the end of the asset, and
    /// [`ErrorKind::Missing`] if the client or the viewer has not fetched the block yet.
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
            // The block may start after the end of the available bytes.
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

    /// Returns an inflated block, or `None` if the header has no entry for the block.
    ///
    /// The first call inflates the block and caches the inflated bytes. If two threads make the
    /// first call at the same time, both threads inflate the block, and one of the two results is
    /// cached.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`stored`](Self::stored). Returns [`ErrorKind::Value`] or
    /// [`ErrorKind::UnexpectedEnd`] if the block is not a complete zlib stream of one LLSD value.
    /// Returns [`ErrorKind::Limit`] if the block inflates to more bytes than the [`Limits`] of the
    /// file allow.
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
            // This error is not cached, because a later call may succeed when memory is free again.
            return Err(error.clone());
        }
        if let Err(late) = slot.set(Box::new(block)) {
            // Another thread inflated the same block first.
            self.state.block_memory.fetch_sub(late.as_ref().as_ref().map_or(0, BlockData::size), Ordering::Relaxed);
        }
        slot.get().map_or(Ok(None), |block| borrow_block(block))
    }

    /// Inflates a block into the given buffer, or returns `None` if the header has no entry for the
    /// block.
    ///
    /// Every call inflates the block again, even if the inflated block is already cached.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
    pub fn block_into<'b>(&self, part: AssetPart, buffer: &'b mut InflateBuffer) -> Result<Option<AssetBlock<'b>>> {
        let Some((stored, bytes)) = self.stored(part)? else { return Ok(None) };
        self.record(&stored);
        buffer.fill(part, bytes, stored.start, &self.limits()).map(Some)
    }

    /// Returns whether a block was inflated without an error and is cached.
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
    /// level, returns [`ErrorKind::Choice`] with the names of the levels that the asset has. If the
    /// asset has no levels, returns [`ErrorKind::Missing`].
    pub fn level(&self, lod: Lod) -> Result<Level<'a>> {
        match self.block(lod.part())? {
            Some(block) => block.level(),
            None => Err(self.no_level(Some(lod))),
        }
    }

    /// Returns the level of detail that a viewer shows for `lod`.
    ///
    /// If the asset has the level `lod`, returns that level. If not, returns the nearest lower
    /// level, or the nearest higher level if the asset has no lower level.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`level`](Self::level).
    pub fn nearest_level(&self, lod: Lod) -> Result<Level<'a>> {
        let header = self.header()?;
        let nearest = lod.nearest(|lod| header.has(lod.part()));
        nearest.map_or_else(|| Err(self.no_level(None)), |lod| self.level(lod))
    }

    /// Makes the error for a level of detail that the asset does not have.
    fn no_level(&self, asked: Option<Lod>) -> Error {
        let header = match self.header() {
            Ok(header) => header,
            Err(error) => return error,
        };
        let names: Vec<&str> = header.lods().map(Lod::name).collect();
        let kind = if names.is_empty() {
            let stub = if header.is_stub() { " (this file is a stub: the asset does not exist)" } else { "" };
            ErrorKind::Missing { expected: format!("a level of detail{stub}").into() }
        } else {
            let found = asked.map_or("none of them", Lod::name).into();
            ErrorKind::Choice { names: names.join(", "), found }
        };
        Error::new(FORMAT, Field::new(asked.map_or("high_lod", |lod| lod.part().key())), self.start(), kind)
    }

    /// Returns the name of a material, or `None` if the header's material list has no string at the
    /// index `number`.
    pub(super) fn material(&self, number: usize) -> Option<Name<'a>> {
        // Callers usually read the names of all materials, so one pass over the header finds the
        // offsets of all names.
        let starts = self.state.materials.get_or_init(|| self.find_materials().unwrap_or_default());
        let at = usize::try_from(*starts.get(number)?).ok()?;
        llsd::read_at(self.asset(), at, &self.llsd_limits()).ok()?.value.string().map(|name| name.name())
    }

    /// Returns the offsets of the material names in the header, counted from the first byte of the
    /// asset.
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

    /// Returns the skin, or `None` if the asset has no skin.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
    pub fn skin(&self) -> Result<Option<Skin<'a>>> {
        self.block(AssetPart::Skin)?.map(Skin::new).transpose()
    }

    /// Returns the convex hulls for collision, or `None` if the asset has no convex hulls, which is
    /// usual for a sub-model.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`block`](Self::block).
    pub fn convex(&self) -> Result<Option<Convex<'a>>> {
        self.block(AssetPart::PhysicsConvex)?.map_or(Ok(None), Convex::new)
    }

    /// Returns the collision triangles, or `None` if the asset has no collision triangles.
    ///
    /// The block with the triangles has the key `physics_mesh`, or the old key `physics_shape`.
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
    /// The list of convex hulls has the highest priority. If the asset has no such list, the
    /// collision triangles are used. If the asset has no collision triangles, the bounding hull is
    /// used.
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

    /// Returns whether the MD5 hash of a block in the header is equal to the MD5 hash of the
    /// block's compressed bytes. Returns `None` if the header has no MD5 hash for the block.
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

    /// Returns the level of detail that the format-independent model shows: the highest level of
    /// the asset.
    pub(super) fn highest_level(&self) -> Result<Level<'a>> {
        // Every access to a surface calls this function, so the highest level that the header
        // contains is cached.
        if let Some(lod) = self.state.highest.get() {
            return self.level(*lod);
        }
        let level = self.nearest_level(Lod::High)?;
        level.part().lod().map(|lod| self.state.highest.get_or_init(|| lod));
        Ok(level)
    }

    /// Returns the limits for reading a tree of LLSD values.
    pub(super) fn llsd_limits(&self) -> LlsdLimits {
        LlsdLimits::from(&self.state.context.options.limits)
    }

    /// Returns the limits for inflating one block. In the result, the limit for the inflated blocks
    /// of the asset is at least four times the file size.
    fn limits(&self) -> Limits {
        let limits = self.state.context.options.limits;
        Limits { asset: limits.asset.max(as_u64(self.bytes.len()).saturating_mul(4)), ..limits }
    }

    /// Records in the access log that the header, and the preamble of a cache file, were read.
    pub(super) fn record_header(&self) {
        let Some(log) = self.state.context.access_log() else { return };
        if let Ok(header) = self.header() {
            let start = if self.state.cache_flags.is_some() { 0 } else { self.start() };
            log.record(start, header.base());
        }
    }

    /// Records in the access log that the compressed bytes of a block were read.
    fn record(&self, stored: &BlockRange) {
        if let Some(log) = self.state.context.access_log() {
            log.record(stored.start, stored.end.min(self.end()));
        }
    }
}

fn borrow_block(block: &Result<BlockData>) -> Result<Option<AssetBlock<'_>>> {
    block.as_ref().map(|block| Some(AssetBlock::new(block))).map_err(Clone::clone)
}
