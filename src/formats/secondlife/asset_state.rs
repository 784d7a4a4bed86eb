//! What is known of an asset, without its bytes.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use super::asset_block::BlockData;
use super::asset_part::{AssetPart, Lod};
use super::container::{Container, asset_bytes};
use super::detect::preamble;
use super::header::{BlockRanges, Header, check_size};
use super::layout::{FORMAT, RawPreamble};
use super::llsd::LlsdItem;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::model::FileContext;
use crate::parse::OpenOptions;

/// What is known of an asset. Blocks are inflated and lists are made when they are first asked for.
#[derive(Debug)]
pub(super) struct AssetState {
    pub(super) context: FileContext,
    /// Which bytes of the file are the asset.
    pub(super) range: Range<usize>,
    /// The flags of a cache file.
    pub(super) cache_flags: Option<u32>,
    /// The number of assets, if the file is a container.
    pub(super) container_len: Option<usize>,
    /// Why the asset's header cannot be read.
    fault: Option<Error>,
    pub(super) blocks: [OnceLock<Box<Result<BlockData>>>; AssetPart::ALL.len()],
    /// Bytes of memory that the inflated blocks use.
    pub(super) block_memory: AtomicU64,
    /// Offset of each material's name.
    pub(super) materials: OnceLock<Vec<u32>>,
    /// Where the blocks lie.
    pub(super) ranges: OnceLock<BlockRanges>,
    /// The highest level of detail.
    pub(super) highest: OnceLock<Lod>,
}

impl AssetState {
    /// Reads the header of a file, and chooses the asset that the options name.
    pub(super) fn open(bytes: &[u8], options: &OpenOptions) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::new(FORMAT, Field::new("header"), 0, ErrorKind::Empty));
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
        let mut state = Self::new(options, start..bytes.len(), flags, container.map(|container| container.len()));
        if let Some(container) = container {
            state.record_container(&container, header.len());
            state.select(bytes, find_asset(&container, options.asset));
        } else {
            check_size(&header, &options.limits)?;
            header.check_version()?;
        }
        Ok(state)
    }

    fn new(options: &OpenOptions, range: Range<usize>, flags: Option<u32>, container_len: Option<usize>) -> Self {
        Self {
            context: FileContext::new(options),
            range,
            cache_flags: flags,
            container_len,
            fault: None,
            blocks: Default::default(),
            block_memory: AtomicU64::new(0),
            materials: OnceLock::new(),
            ranges: OnceLock::new(),
            highest: OnceLock::new(),
        }
    }

    /// Returns the state of another asset of the same file, with nothing inflated yet.
    pub(super) fn sibling(&self, bytes: &[u8], asset: usize, range: Result<Range<usize>>) -> Self {
        let options = OpenOptions { asset, ..self.context.options };
        let mut state = Self::new(&options, 0..0, self.cache_flags, self.container_len);
        match range {
            // An asset outside a container was tested when it was opened.
            Ok(range) if self.container_len.is_none() => state.range = range,
            range => state.select(bytes, range),
        }
        state
    }

    /// Selects the asset in a range of the file, and keeps the fault of its header. Without a range it has no bytes.
    fn select(&mut self, bytes: &[u8], range: Result<Range<usize>>) {
        self.range = 0..0;
        let check = range.and_then(|range| {
            self.range = range;
            self.check_contained(bytes)
        });
        self.fault = check.err();
    }

    /// Tests the header of an asset in a container.
    fn check_contained(&self, bytes: &[u8]) -> Result<()> {
        let header = self.header(bytes)?;
        if Container::of(&header).is_some() {
            let kind = ErrorKind::Value { expected: "a mesh asset".into(), found: "another container".into() };
            return Err(Error::new(FORMAT, Field::new("mesh"), as_u64(self.range.start), kind));
        }
        check_size(&header, &self.context.options.limits)?;
        header.check_version()
    }

    /// Reads the header of the asset.
    pub(super) fn header<'a>(&self, bytes: &'a [u8]) -> Result<Header<'a>> {
        self.fault.clone().map_or(Ok(()), Err)?;
        let asset = bytes.get(self.range.clone()).unwrap_or_default();
        Header::read(asset, self.range.start, &self.context.options.limits)
    }

    /// Records that a container's map was read, except the assets in it.
    fn record_container(&self, container: &Container<'_>, len: u64) {
        let Some(log) = self.context.access_log() else { return };
        let assets = container.items().filter_map(|item| asset_bytes(&item)).map(|(_, bytes)| as_u64(bytes.len()));
        log.record_partial(0, len, len.saturating_sub(assets.fold(0, u64::saturating_add)));
    }
}

/// Finds an asset of a container.
fn find_asset(container: &Container<'_>, asset: usize) -> Result<Range<usize>> {
    let item = container.items().nth(asset).ok_or_else(|| no_such_asset(asset, container.len()))?;
    range_of(&item)
}

/// Returns which bytes of the file an asset of a container is.
pub(super) fn range_of(item: &LlsdItem<'_>) -> Result<Range<usize>> {
    let range = asset_bytes(item).and_then(|(start, bytes)| {
        let start = usize::try_from(start).ok()?;
        Some(start..start.checked_add(bytes.len())?)
    });
    range.ok_or_else(|| {
        let expected = "a whole asset, as a string with a length".into();
        let kind = ErrorKind::Value { expected, found: item.value.kind().into() };
        Error::new(FORMAT, Field::new("mesh"), as_u64(item.at), kind)
    })
}

fn no_such_asset(asset: usize, count: usize) -> Error {
    let kind = ErrorKind::NoSuch { count: as_u64(count), index: as_u64(asset) };
    Error::without_offset(FORMAT, Field::new("").in_list("asset", as_u64(asset)), kind)
}
