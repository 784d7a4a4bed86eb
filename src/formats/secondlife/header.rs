//! [`Header`]: the header of a mesh asset, an LLSD map with the block offsets and block sizes.

use super::layout::{AssetPart, FORMAT, HIGHEST_VERSION};
use super::llsd::{self, LlsdArray, LlsdEntry, LlsdFault, LlsdLimits, LlsdMap, LlsdValue};
use super::physics::PhysicsCost;
use super::validate::rules;
use crate::error::{Cause, Error, Field, Result};
use crate::math::as_u64;
use crate::model::Lod;
use crate::parse::Limits;

/// The header of a mesh asset, borrowed from the bytes of the file.
///
/// No memory is allocated to parse the header or to find a block in the header.
///
/// ```
/// use meshpeek::secondlife::{Header, AssetPart, HeaderPrefix};
/// let asset = meshpeek::read("data/secondlife/quad.llmesh")?;
/// // A network client has only the first bytes.
/// let HeaderPrefix::Ready(header) = Header::of_prefix(&asset[..400], &Default::default())? else { panic!() };
/// let high = header.block(AssetPart::HighLod)?.unwrap();
/// let stored = &asset[high.start as usize..high.end as usize]; // the range to request
/// # assert_eq!(stored[..2], [0x78, 0xda]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    map: LlsdMap<'a>,
    /// Offset of the asset's first byte in the file.
    start: u64,
    /// Length of the LLSD marker line before the header's map, in bytes.
    line: u64,
    /// Length of the header in bytes, which is also the offset of the first byte after the header,
    /// counted from the start of the asset.
    end: u64,
}

/// The result of reading the header from the first bytes of an asset.
#[derive(Clone, Copy, Debug)]
pub enum HeaderPrefix<'a> {
    /// The bytes that were passed to [`Header::of_prefix`] contain the complete header.
    Ready(Header<'a>),
    /// The bytes that were passed to [`Header::of_prefix`] contain only the beginning of the
    /// header. The `u64` is the minimum number of bytes from the start of the asset that the next
    /// call of [`Header::of_prefix`] needs.
    NeedMore(u64),
}

/// The byte range `start..end` of a compressed block in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRange {
    /// The type of the block that is stored in the byte range.
    pub part: AssetPart,
    /// Offset of the first byte of the block from the start of the file.
    pub start: u64,
    /// Offset of the first byte after the block from the start of the file.
    pub end: u64,
    /// Offset of the block's header entry from the start of the file.
    pub entry_at: u64,
}

/// The byte range that a header entry with a known or unknown key gives by its offset and size.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryRange {
    pub(super) part: Option<AssetPart>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) entry_at: u64,
}

/// For each type of block, the block's byte range or the error in the block's header entry. The
/// value `Ok(None)` means that the block is absent or has size 0.
pub(super) type BlockRanges = [Result<Option<BlockRange>>; AssetPart::ALL.len()];

impl BlockRange {
    /// Returns the length of the compressed block in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the byte range of the block is empty. A [`Header`] never returns an empty
    /// byte range.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> Header<'a> {
    /// Reads the header at the start of `asset`.
    ///
    /// The argument `asset` may contain only the first bytes of the asset, without the blocks.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if `asset` does not begin with a well-formed header or with an
    /// incomplete header that more bytes could complete. Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the header
    /// exceeds `limits`.
    pub fn of_prefix(asset: &'a [u8], limits: &Limits) -> Result<HeaderPrefix<'a>> {
        match Self::parse(asset, 0, limits) {
            Ok(header) => {
                check_size(&header, limits)?;
                Ok(HeaderPrefix::Ready(header))
            }
            Err(fault) if fault.needs_more() => {
                let length = as_u64(asset.len());
                let needed = length.saturating_add(fault.missing());
                if needed > limits.header {
                    let kind = Cause::Limit { name: "header", allowed: limits.header, asked: needed };
                    return Err(Error::new(FORMAT, Field::new("header"), fault.at, kind));
                }
                Ok(HeaderPrefix::NeedMore(needed))
            }
            Err(fault) => Err(with_location(fault, 0)),
        }
    }

    /// Reads the header at the beginning of `asset`. The argument `start` is the offset of the
    /// asset in the file.
    fn parse(asset: &'a [u8], start: u64, limits: &Limits) -> Result<Self, LlsdFault> {
        let line = llsd::marker_line(asset)?;
        let rules = LlsdLimits::from(limits);
        let item = llsd::read_at(asset, line, &rules)?;
        let LlsdValue::Map(map) = item.value else {
            let kind = Cause::value("a map as the header", item.value.kind());
            return Err(LlsdFault { at: as_u64(line), kind });
        };
        Ok(Self { map, start, line: as_u64(line), end: as_u64(item.end) })
    }

    /// Reads the header like [`parse`](Self::parse), and adds the format name, the field and the
    /// file offset to an error.
    pub(super) fn read(asset: &'a [u8], start: usize, limits: &Limits) -> Result<Self> {
        let start = as_u64(start);
        Self::parse(asset, start, limits).map_err(|fault| {
            let end = start.saturating_add(as_u64(asset.len())).saturating_add(fault.missing());
            let (needs_more, at) = (fault.needs_more(), start.saturating_add(fault.at));
            let error = with_location(fault, start);
            if needs_more { error.needing(at..end) } else { error }
        })
    }

    /// Returns the length of the header in bytes, including the marker line.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.end
    }

    /// Returns whether the header's map has no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Returns the length of the LLSD marker line before the header's map, in bytes: 0 in all known
    /// files.
    #[must_use]
    pub const fn marker_line(&self) -> u64 {
        self.line
    }

    /// Returns the offset in the file of the first byte after the header. The block offsets in the
    /// header count from there.
    #[must_use]
    pub const fn base(&self) -> u64 {
        self.start.saturating_add(self.end)
    }

    /// Returns the LLSD map of the header. The byte offsets of the entries in the header's map
    /// count from the asset's first byte.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Returns an iterator over the entries of the header in file order, including entries with
    /// unknown keys.
    pub fn entries(&self) -> impl Iterator<Item = LlsdEntry<'a>> + Clone + use<'a> {
        self.map.iter()
    }

    /// Returns the first header entry with the given key, or `None` if the header does not have the
    /// key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<LlsdEntry<'a>> {
        self.map.get(key)
    }

    /// Returns the byte range of a block, or `None` if the block is absent or has size 0.
    ///
    /// This function does not check that the block lies within the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Value`](crate::ErrorKind::Value) if the block's header entry is not a map, or if the offset or
    /// the size in the entry is negative or not an integer.
    pub fn block(&self, part: AssetPart) -> Result<Option<BlockRange>> {
        self.get(part.key()).map_or(Ok(None), |entry| self.range_in(part, &entry))
    }

    /// Reads the byte range of a block from the block's header entry.
    fn range_in(&self, part: AssetPart, entry: &LlsdEntry<'_>) -> Result<Option<BlockRange>> {
        let LlsdValue::Map(map) = entry.value else {
            let (expected, found) = ("a map with an offset and a size", entry.value.kind().into());
            return Err(self.wrong(Field::new(part.key()), entry.at, expected, found));
        };
        let entry_at = self.start.saturating_add(as_u64(entry.at));
        let [offset, size] =
            [("offset", "an offset of 0 or more"), ("size", "a size of 0 or more")].map(|(name, expected)| {
                let Some(entry) = map.get(name) else { return Ok(0) };
                let field = Field::new(name).in_struct(part.key());
                match entry.value {
                    LlsdValue::Integer(number) => {
                        u64::try_from(number).map_err(|_| self.wrong(field, entry.at, expected, number.to_string()))
                    }
                    other => Err(self.wrong(field, entry.at, "an integer", other.kind().into())),
                }
            });
        let (offset, size) = (offset?, size?);
        let start = self.base().saturating_add(offset);
        Ok((size > 0).then(|| BlockRange { part, start, end: start.saturating_add(size), entry_at }))
    }

    /// Returns whether the header has an entry with a size above 0 for the block. Viewers treat a
    /// block as present only if its header entry has a size above 0.
    ///
    /// Returns true even if the header entry of the block is not a map, or if the offset in the
    /// entry is negative or not an integer. Returns false if the offset in the entry is absent or a
    /// non-negative integer, but the size in the entry is negative or not an integer.
    #[must_use]
    pub fn has(&self, part: AssetPart) -> bool {
        is_present(&self.block(part))
    }

    /// Returns an iterator over the byte ranges of all header entries with a size above 0,
    /// including entries with unknown keys. The iterator skips entries whose offset or size is
    /// negative or not an integer.
    pub(super) fn all_ranges(&self) -> impl Iterator<Item = EntryRange> + use<'a> {
        let header = *self;
        let known = |entry: &LlsdEntry<'_>| AssetPart::ALL.into_iter().find(|part| entry.key.is(part.key()));
        let unknown = self.map.iter().filter(move |entry| known(entry).is_none()).filter_map(move |entry| {
            let map = entry.value.map()?;
            let number = |key: &str| u64::try_from(map.get(key)?.value.integer()?).ok();
            let (offset, size) = (number("offset")?, number("size").filter(|size| *size > 0)?);
            let start = header.base().saturating_add(offset);
            let entry_at = header.start.saturating_add(as_u64(entry.at));
            Some(EntryRange { part: None, start, end: start.saturating_add(size), entry_at })
        });
        let known = |BlockRange { part, start, end, entry_at }| EntryRange { part: Some(part), start, end, entry_at };
        self.blocks().map(known).chain(unknown)
    }

    /// Returns whether the MD5 hash that the header stores for a block is equal to the MD5 hash of
    /// `stored`.
    ///
    /// The argument `stored` is the compressed block as stored in the file, such as the reply to a
    /// network request for the block's byte range. Returns `None` if the header has no MD5 hash for
    /// the block. Only simulators, the servers of the virtual world, add an MD5 hash to the header.
    #[must_use]
    pub fn matches_hash(&self, part: AssetPart, stored: &[u8]) -> Option<bool> {
        self.hash(part).map(|hash| md5::compute(stored).0 == hash)
    }

    /// Returns the result of [`block`](Self::block) for each type of block, in the order of
    /// [`AssetPart::ALL`]. This function reads the header's map only once for all blocks.
    pub(super) fn block_ranges(&self) -> BlockRanges {
        let mut ranges = [const { None }; AssetPart::ALL.len()];
        for entry in self.map.iter() {
            let known = AssetPart::ALL.into_iter().zip(&mut ranges).find(|(part, _)| entry.key.is(part.key()));
            if let Some((part, range)) = known {
                // If the header contains a key twice, the first entry is used.
                range.get_or_insert_with(|| self.range_in(part, &entry));
            }
        }
        ranges.map(|range| range.unwrap_or(Ok(None)))
    }

    /// Returns an iterator over the byte ranges of the known blocks of the asset, in the order of
    /// [`AssetPart::ALL`]. The iterator skips a block if [`block`](Self::block) returns an error or
    /// `None` for the block.
    pub fn blocks(&self) -> impl Iterator<Item = BlockRange> + use<'a> {
        self.block_ranges().into_iter().filter_map(|range| range.ok().flatten())
    }

    /// Returns an iterator over the levels of detail that the asset [has](Self::has), in order from
    /// the highest to the lowest. This includes a level whose header entry is damaged.
    pub fn lods(&self) -> impl Iterator<Item = Lod> + use<'a> {
        let parts = AssetPart::ALL.into_iter().zip(self.block_ranges());
        parts.filter(|(_, range)| is_present(range)).filter_map(|(part, _)| part.lod())
    }

    /// Returns the format version in the header, in thousandths: 1 means version 0.001. Only
    /// simulators, the servers of the virtual world, add a version.
    ///
    /// Returns `None` if the header does not have the key `version`, or if its value is not an
    /// integer. Like `version`, the getters for other header keys return `None` if the key is
    /// absent or its value has the wrong type. `validate` reports header values of the wrong type.
    #[must_use]
    pub fn version(&self) -> Option<i32> {
        self.get("version")?.value.integer()
    }

    /// Returns the UUID of the user who uploaded the asset.
    #[must_use]
    pub fn creator(&self) -> Option<&'a [u8; 16]> {
        match self.get("creator")?.value {
            LlsdValue::Uuid(creator) => Some(creator),
            _ => None,
        }
    }

    /// Returns the time when the asset was uploaded, in seconds since 1970-01-01 UTC.
    #[must_use]
    pub fn date(&self) -> Option<f64> {
        match self.get("date")?.value {
            LlsdValue::Date(date) => Some(date),
            _ => None,
        }
    }

    /// Returns the index of the mesh within its model, if the model is split into several meshes.
    /// An upload splits a model that has more materials than one mesh can have.
    #[must_use]
    pub fn submodel_id(&self) -> Option<i32> {
        self.get("submodel_id")?.value.integer()
    }

    /// Returns the LLSD array of the material names, one name per submesh of the highest level of
    /// detail. Only assets in `.slm` files have material names.
    #[must_use]
    pub fn material_list(&self) -> Option<LlsdArray<'a>> {
        self.get("material_list")?.value.array()
    }

    /// Returns the MD5 hash that the header stores for the compressed bytes of a block, or `None`
    /// if the header stores no hash for the block.
    ///
    /// [`AssetView::verify_hash`](super::AssetView::verify_hash) compares the MD5 hash in the
    /// header with the bytes of the block.
    #[must_use]
    pub fn hash(&self, part: AssetPart) -> Option<&'a [u8]> {
        self.get(part.key())?.value.map()?.get("hash")?.value.binary()
    }

    /// Returns the physics cost of the mesh, as a simulator has stored it in the header, or `None`
    /// if the header stores no physics cost.
    #[must_use]
    pub fn physics_cost(&self) -> Option<PhysicsCost<'a>> {
        self.get("physics_cost_data")?.value.map().map(PhysicsCost::new)
    }

    /// Returns whether the asset is a stub: a header without blocks that replaces an asset that
    /// does not exist.
    #[must_use]
    pub fn is_stub(&self) -> bool {
        self.get("404").is_some()
    }

    /// Returns an error if the format version in the header is newer than this crate supports.
    pub(super) fn check_version(&self) -> Result<()> {
        let Some(entry) = self.get("version") else { return Ok(()) };
        let Some(version) = self.version().filter(|version| *version > HIGHEST_VERSION) else { return Ok(()) };
        let found = format!("version {version}, a newer format (this program reads versions up to {HIGHEST_VERSION})");
        let kind = Cause::Unsupported { found: found.into(), advice: "look for a newer version of this program" };
        Err(Error::new(FORMAT, Field::new("version"), self.start.saturating_add(as_u64(entry.at)), kind)
            .breaking(&rules::UNKNOWN_VERSION))
    }

    /// Creates an error about the header entry of a block.
    fn wrong(&self, field: Field, at: usize, expected: &'static str, found: String) -> Error {
        let kind = Cause::value(expected, found);
        let error = Error::new(FORMAT, field, self.start.saturating_add(as_u64(at)), kind);
        error.breaking(&rules::BLOCK_OUTSIDE_FILE)
    }
}

/// Adds the format name, the field name and the file offset to an error in an asset header. The
/// argument `start` is the file offset of the asset.
pub(super) fn with_location(fault: LlsdFault, start: u64) -> Error {
    Error::new(FORMAT, Field::new("header"), start.saturating_add(fault.at), fault.kind)
}

/// Returns whether a header entry has a size above 0.
fn is_present(block: &Result<Option<BlockRange>>) -> bool {
    block.as_ref().map_or_else(|error| error.field().name() != "size", Option::is_some)
}

/// Returns an error if the header has more bytes than the limit [`header`](Limits::with_header).
pub(super) fn check_size(header: &Header<'_>, limits: &Limits) -> Result<()> {
    if header.len() <= limits.header {
        return Ok(());
    }
    let kind = Cause::Limit { name: "header", allowed: limits.header, asked: header.len() };
    Err(Error::new(FORMAT, Field::new("header"), header.start, kind))
}
