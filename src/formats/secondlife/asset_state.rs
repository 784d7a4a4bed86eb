//! [`AssetState`]: the options, the byte range and the cached blocks of an opened asset.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use super::asset_block::BlockData;
use super::container::{Container, asset_bytes};
use super::container_index::ContainerState;
use super::detect::preamble;
use super::header::{BlockRanges, Header, check_size};
use super::layout::{AssetPart, FORMAT, RawPreamble};
use super::llsd::LlsdItem;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::{FileContext, Lod};
use crate::parse::OpenOptions;

/// The options, the byte range and the cached blocks of an opened asset, without the bytes of the
/// file.
///
/// A block is inflated on the first access to the block. The offsets of blocks and of material
/// names are computed on the first access that needs these offsets, and are then cached.
#[derive(Debug)]
pub(super) struct AssetState {
    pub(super) context: FileContext,
    /// Byte range of the asset in the file.
    pub(super) range: Range<usize>,
    /// The flags in the preamble of a viewer's cache file, with one bit for each block that the
    /// viewer has fetched, or `None` if the file is not a viewer's cache file.
    pub(super) cache_flags: Option<u32>,
    /// The container that the asset is in, or `None` if the file is not a container.
    pub(super) container: Option<ContainerState>,
    /// The error in the asset's header, or `None` if the header can be read.
    fault: Option<Error>,
    pub(super) blocks: [OnceLock<Box<Result<BlockData>>>; AssetPart::ALL.len()],
    /// The number of bytes of memory that all inflated blocks of the asset use.
    pub(super) block_memory: AtomicU64,
    /// Byte offset in the asset of each material name. The offsets of the material names are
    /// computed on the first access to a material name.
    pub(super) materials: OnceLock<Vec<u32>>,
    /// Byte ranges of the blocks in the file, which are computed on the first access to a block.
    pub(super) ranges: OnceLock<BlockRanges>,
    /// The highest level of detail that the asset has, which is determined on the first access to a
    /// surface.
    pub(super) highest: OnceLock<Lod>,
}

impl AssetState {
    /// Reads the header of a file, and selects the asset at index `options.asset`.
    pub(super) fn open(bytes: &[u8], options: &OpenOptions) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::new(FORMAT, Field::new("header"), 0, Cause::Empty));
        }
        let preamble = preamble(bytes);
        let start = if preamble.is_some() { size_of::<RawPreamble>() } else { 0 };
        let header = Header::read(bytes.get(start..).unwrap_or_default(), start, &options.limits)?;
        let container = Container::of(&header).filter(|_| preamble.is_none());
        let count = container.map_or(1, |container| container.len());
        if options.asset >= count && options.asset > 0 {
            return Err(no_such_asset(options.asset, count));
        }
        let flags = preamble.map(|preamble| preamble.flags.get());
        let mut state = Self::new(options, start..bytes.len(), flags, container.as_ref().map(ContainerState::new));
        if let Some(container) = container {
            state.record_container(&container, header.len());
            state.select(bytes, find_asset(&container, options.asset));
        } else {
            check_size(&header, &options.limits)?;
            header.check_version()?;
        }
        Ok(state)
    }

    fn new(options: &OpenOptions, range: Range<usize>, flags: Option<u32>, container: Option<ContainerState>) -> Self {
        Self {
            context: FileContext::new(options),
            range,
            cache_flags: flags,
            container,
            fault: None,
            blocks: Default::default(),
            block_memory: AtomicU64::new(0),
            materials: OnceLock::new(),
            ranges: OnceLock::new(),
            highest: OnceLock::new(),
        }
    }

    /// Returns an [`AssetState`] without inflated blocks for the asset at index `asset` of the file
    /// that `self` belongs to.
    pub(super) fn sibling(&self, bytes: &[u8], asset: usize, range: Result<Range<usize>>) -> Self {
        let options = OpenOptions { asset, ..self.context.options };
        let container = self.container.as_ref().map(ContainerState::sibling);
        let mut state = Self::new(&options, 0..0, self.cache_flags, container);
        match range {
            // The header of an asset that is not in a container was already checked when the file
            // was opened.
            Ok(range) if self.container.is_none() => state.range = range,
            range => state.select(bytes, range),
        }
        state
    }

    /// Selects the asset that occupies the byte range `range` of the file. If the header of the
    /// asset has an error, this function stores this error, and later accesses to the asset return
    /// the stored error. It also stores the error that `range` may be, and the byte range of the
    /// selected asset is then empty.
    fn select(&mut self, bytes: &[u8], range: Result<Range<usize>>) {
        self.range = 0..0;
        let check = range.and_then(|range| {
            self.range = range;
            self.check_contained(bytes)
        });
        self.fault = check.err();
    }

    /// Checks the header of an asset that is in a container.
    fn check_contained(&self, bytes: &[u8]) -> Result<()> {
        let header = self.header(bytes)?;
        if Container::of(&header).is_some() {
            let kind = Cause::value("a mesh asset", "another container");
            return Err(Error::new(FORMAT, Field::new("mesh"), as_u64(self.range.start), kind));
        }
        check_size(&header, &self.context.options.limits)?;
        header.check_version()
    }

    /// Reads the header of the asset. If an earlier check of the header failed, returns the stored
    /// error of that check.
    pub(super) fn header<'a>(&self, bytes: &'a [u8]) -> Result<Header<'a>> {
        self.fault.clone().map_or(Ok(()), Err)?;
        let asset = bytes.get(self.range.clone()).unwrap_or_default();
        let header = Header::read(asset, self.range.start, &self.context.options.limits);
        // The string of a container that contains the asset is complete.
        header.map_err(|error| if self.container.is_some() { error.at_fixed_end() } else { error })
    }

    /// Returns the number of assets of the file: 1 unless the file is a container.
    pub(super) fn asset_count(&self) -> usize {
        self.container.as_ref().map_or(1, |container| container.len)
    }

    /// Records in the access log that the container's LLSD map was read, without the bytes of the
    /// assets that the container's map contains.
    fn record_container(&self, container: &Container<'_>, len: u64) {
        let Some(log) = self.context.access_log() else { return };
        let assets = container.items().filter_map(|item| asset_bytes(&item)).map(|(_, bytes)| as_u64(bytes.len()));
        log.record_partial(0, len, len.saturating_sub(assets.fold(0, u64::saturating_add)));
    }
}

/// Returns the byte range in the file of the asset at index `asset` of a container.
fn find_asset(container: &Container<'_>, asset: usize) -> Result<Range<usize>> {
    let item = container.items().nth(asset).ok_or_else(|| no_such_asset(asset, container.len()))?;
    range_of(&item)
}

/// Returns the byte range in the file of an asset that is stored as a string item of a container's
/// LLSD map.
pub(super) fn range_of(item: &LlsdItem<'_>) -> Result<Range<usize>> {
    let range = asset_bytes(item).and_then(|(start, bytes)| {
        let start = usize::try_from(start).ok()?;
        Some(start..start.checked_add(bytes.len())?)
    });
    range.ok_or_else(|| {
        let kind = Cause::value("a whole asset, as a string with a length", item.value.kind());
        Error::new(FORMAT, Field::new("mesh"), as_u64(item.at), kind)
    })
}

pub(super) fn no_such_asset(asset: usize, count: usize) -> Error {
    let kind = Cause::NoSuch { count: as_u64(count), index: as_u64(asset) };
    Error::without_offset(FORMAT, Field::new("").in_list("asset", as_u64(asset)), kind)
}
