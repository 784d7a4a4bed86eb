//! The header: an LLSD map that says where the blocks are.

use super::asset_part::{AssetPart, Lod};
use super::layout::{FORMAT, HIGHEST_VERSION};
use super::llsd::{self, LlsdArray, LlsdEntry, LlsdFault, LlsdLimits, LlsdMap, LlsdValue};
use super::physics::PhysicsCost;
use crate::error::{Error, ErrorKind, Field, Result};
use crate::math::as_u64;
use crate::parse::Limits;
use md5::{Digest as _, Md5};

/// What the header has for a block.
pub(super) const OFFSET_AND_SIZE: &str = "a map with an offset and a size";

/// The header of an asset, borrowed: parsing it, and finding a block in it, allocates nothing.
///
/// ```
/// use meshpeek::secondlife::{Header, AssetPart, HeaderPrefix};
/// let asset = meshpeek::read("data/secondlife/quad.llmesh")?;
/// // As a client on the network has it: the first bytes only.
/// let HeaderPrefix::Ready(header) = Header::of_prefix(&asset[..400], &Default::default())? else { panic!() };
/// let high = header.block(AssetPart::HighLod)?.unwrap();
/// let stored = &asset[high.start as usize..high.end as usize]; // the range to ask for
/// # assert_eq!(stored[..2], [0x78, 0xda]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    map: LlsdMap<'a>,
    /// Offset of the asset in its file.
    start: u64,
    /// Bytes of the marker line in front.
    line: u64,
    /// Offset, in the asset, of the byte after the header.
    end: u64,
}

/// What the first bytes of an asset give.
#[derive(Clone, Copy, Debug)]
pub enum HeaderPrefix<'a> {
    /// The header is whole.
    Ready(Header<'a>),
    /// What there is of the header is sound, and more bytes are needed: at least so many from the asset's first.
    NeedMore(u64),
}

/// Where a block lies: bytes `start..end` of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRange {
    /// Which block.
    pub part: AssetPart,
    /// Offset of its first byte from the start of the file.
    pub start: u64,
    /// Offset of the byte after its last.
    pub end: u64,
    /// Offset of what the header says of it.
    pub entry_at: u64,
}

/// Where something with an offset and a size lies, whether or not it is a block that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryRange {
    pub(super) part: Option<AssetPart>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) entry_at: u64,
}

/// Where each known block lies, or why that cannot be known.
pub(super) type BlockRanges = [Result<Option<BlockRange>>; AssetPart::ALL.len()];

impl BlockRange {
    /// Returns its length in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Tells whether it has no bytes. The header does not call such a block there.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> Header<'a> {
    /// Reads the header that `asset` starts with; the blocks need not be there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`], [`ErrorKind::Limit`] where these bytes, whatever follows them, are no header within `limits`.
    pub fn of_prefix(asset: &'a [u8], limits: &Limits) -> Result<HeaderPrefix<'a>> {
        match Self::parse(asset, 0, limits) {
            Ok(header) => {
                check_size(&header, limits)?;
                Ok(HeaderPrefix::Ready(header))
            }
            Err(fault) if fault.needs_more() => {
                let length = as_u64(asset.len());
                let more = match fault.kind {
                    ErrorKind::UnexpectedEnd { needed, left } => needed.saturating_sub(left),
                    ErrorKind::Count { count, size, left } => count.saturating_mul(size).saturating_sub(left),
                    _ => 1,
                };
                let needed = length.saturating_add(more.max(1));
                if needed > limits.header {
                    let kind = ErrorKind::Limit { name: "header", allowed: limits.header, asked: needed };
                    return Err(Error::new(FORMAT, Field::new("header"), fault.at, kind));
                }
                Ok(HeaderPrefix::NeedMore(needed))
            }
            Err(fault) => Err(with_location(fault, 0)),
        }
    }

    /// Reads the header of the asset that starts at byte `start` of its file, and is `asset`.
    fn parse(asset: &'a [u8], start: u64, limits: &Limits) -> Result<Self, LlsdFault> {
        let line = llsd::marker_line(asset)?;
        let rules = LlsdLimits::from(limits);
        let item = llsd::read_at(asset, line, &rules)?;
        let LlsdValue::Map(map) = item.value else {
            let kind = ErrorKind::Value { expected: "the header, a map".into(), found: item.value.kind().into() };
            return Err(LlsdFault { at: as_u64(line), kind });
        };
        Ok(Self { map, start, line: as_u64(line), end: as_u64(item.end) })
    }

    /// As [`parse`](Self::parse), with the format and the field in the error.
    pub(super) fn read(asset: &'a [u8], start: usize, limits: &Limits) -> Result<Self> {
        let start = as_u64(start);
        Self::parse(asset, start, limits).map_err(|fault| with_location(fault, start))
    }

    /// Returns its length in bytes, a marker line included: offsets in it count from there.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.end
    }

    /// Tells whether the map in it has no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Returns the bytes of the marker line in front of the map: 0 in every file seen.
    #[must_use]
    pub const fn marker_line(&self) -> u64 {
        self.line
    }

    /// Returns the offset in the file from which the offsets of blocks count.
    #[must_use]
    pub const fn base(&self) -> u64 {
        self.start.saturating_add(self.end)
    }

    /// Returns the map itself. Offsets in it count from the asset's first byte.
    #[must_use]
    pub const fn map(&self) -> LlsdMap<'a> {
        self.map
    }

    /// Goes through the entries in file order, those with unknown keys included.
    pub fn entries(&self) -> impl Iterator<Item = LlsdEntry<'a>> + Clone + use<'a> {
        self.map.iter()
    }

    /// Finds the first entry with a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<LlsdEntry<'a>> {
        self.map.get(key)
    }

    /// Returns where a block lies; `None` where there is none, which a size of 0 says, too. Whether the file is long
    /// enough is not looked at.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] where the entry gives no offset or size, or a negative one.
    pub fn block(&self, part: AssetPart) -> Result<Option<BlockRange>> {
        self.get(part.key()).map_or(Ok(None), |entry| self.range_in(part, &entry))
    }

    /// Reads where a block lies from its entry.
    fn range_in(&self, part: AssetPart, entry: &LlsdEntry<'_>) -> Result<Option<BlockRange>> {
        let LlsdValue::Map(map) = entry.value else {
            return Err(self.wrong(Field::new(part.key()), entry.at, OFFSET_AND_SIZE, entry.value.kind().into()));
        };
        let entry_at = self.start.saturating_add(as_u64(entry.at));
        let [offset, size] =
            [("offset", "offset of 0 or more"), ("size", "size of 0 or more")].map(|(name, expected)| {
                let Some(entry) = map.get(name) else { return Ok(0) };
                match entry.value {
                    LlsdValue::Integer(number) => u64::try_from(number).map_err(|_| {
                        self.wrong(Field::new(name).in_struct(part.key()), entry.at, expected, number.to_string())
                    }),
                    other => Err(self.wrong(
                        Field::new(name).in_struct(part.key()),
                        entry.at,
                        "an integer",
                        other.kind().into(),
                    )),
                }
            });
        let (offset, size) = (offset?, size?);
        let start = self.base().saturating_add(offset);
        Ok((size > 0).then(|| BlockRange { part, start, end: start.saturating_add(size), entry_at }))
    }

    /// Tells whether the header names a block as a viewer sees it, sound or not: with a size above 0.
    #[must_use]
    pub fn has(&self, part: AssetPart) -> bool {
        match self.block(part) {
            Ok(block) => block.is_some(),
            Err(error) => error.field().name() != "size",
        }
    }

    /// Goes through everything that has an offset and a size, with unknown keys, too: where it lies, and which known block it
    /// is. What is damaged is left out.
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

    /// Compares the MD5 that a simulator noted of a block with that of its stored bytes, such as the reply to a request for
    /// its range; `None` where none was noted.
    #[must_use]
    pub fn matches_hash(&self, part: AssetPart, stored: &[u8]) -> Option<bool> {
        self.hash(part).map(|hash| Md5::digest(stored).as_slice() == hash)
    }

    /// Finds where all known blocks lie, in one go: what [`block`](Self::block) says of each, in the order of [`AssetPart::ALL`].
    pub(super) fn block_ranges(&self) -> BlockRanges {
        let mut ranges = [const { None }; AssetPart::ALL.len()];
        for entry in self.map.iter() {
            let known = AssetPart::ALL.into_iter().zip(&mut ranges).find(|(part, _)| entry.key.is(part.key()));
            if let Some((part, range)) = known {
                // Of keys that stand twice, the first counts.
                range.get_or_insert_with(|| self.range_in(part, &entry));
            }
        }
        ranges.map(|range| range.unwrap_or(Ok(None)))
    }

    /// Goes through the blocks that are there and are known, in the order of [`AssetPart::ALL`]; those whose entries are
    /// damaged are left out.
    pub fn blocks(&self) -> impl Iterator<Item = BlockRange> + use<'a> {
        self.block_ranges().into_iter().filter_map(|range| range.ok().flatten())
    }

    /// Returns the levels of detail that are there, the most detailed first.
    pub fn lods(&self) -> impl Iterator<Item = Lod> + use<'a> {
        self.blocks().filter_map(|block| block.part.lod())
    }

    /// Returns the version, which simulators write: 1 is version 0.001. Of a value that is not of the kind that it must be,
    /// this and what follows give nothing, and `validate` tells.
    #[must_use]
    pub fn version(&self) -> Option<i32> {
        self.get("version")?.value.integer()
    }

    /// Returns the UUID of who uploaded it.
    #[must_use]
    pub fn creator(&self) -> Option<&'a [u8; 16]> {
        match self.get("creator")?.value {
            LlsdValue::Uuid(creator) => Some(creator),
            _ => None,
        }
    }

    /// Returns when it was uploaded, in seconds since 1970-01-01 UTC.
    #[must_use]
    pub fn date(&self) -> Option<f64> {
        match self.get("date")?.value {
            LlsdValue::Date(date) => Some(date),
            _ => None,
        }
    }

    /// Returns the number of the part that this mesh is of a model with more materials than a mesh can have.
    #[must_use]
    pub fn submodel_id(&self) -> Option<i32> {
        self.get("submodel_id")?.value.integer()
    }

    /// Returns the names of the materials, one per submesh of the highest level: `.slm` files have them.
    #[must_use]
    pub fn material_list(&self) -> Option<LlsdArray<'a>> {
        self.get("material_list")?.value.array()
    }

    /// Returns the MD5 that a simulator noted of a block's stored bytes; [`AssetView::verify_hash`](super::AssetView::verify_hash)
    /// compares it.
    #[must_use]
    pub fn hash(&self, part: AssetPart) -> Option<&'a [u8]> {
        self.get(part.key())?.value.map()?.get("hash")?.value.binary()
    }

    /// Returns what a simulator noted of the cost of colliding with the mesh.
    #[must_use]
    pub fn physics_cost(&self) -> Option<PhysicsCost<'a>> {
        self.get("physics_cost_data")?.value.map().map(PhysicsCost::new)
    }

    /// Tells whether the asset only says that there is none.
    #[must_use]
    pub fn is_stub(&self) -> bool {
        self.get("404").is_some()
    }

    /// Tests that it is one that this crate reads.
    pub(super) fn check_version(&self) -> Result<()> {
        let Some(entry) = self.get("version") else { return Ok(()) };
        let Some(version) = self.version().filter(|version| *version > HIGHEST_VERSION) else { return Ok(()) };
        let found = format!("version {version}: another, newer format (versions up to {HIGHEST_VERSION} are read)");
        let kind = ErrorKind::Unsupported { found: found.into(), advice: "look for a newer version of this program" };
        Err(Error::new(FORMAT, Field::new("version"), self.start.saturating_add(as_u64(entry.at)), kind))
    }

    fn wrong(&self, field: Field, at: usize, expected: &'static str, found: String) -> Error {
        let kind = ErrorKind::Value { expected: expected.into(), found: found.into() };
        Error::new(FORMAT, field, self.start.saturating_add(as_u64(at)), kind)
    }
}

/// Says where in the file a fault in the header of the asset at `start` is.
pub(super) fn with_location(fault: LlsdFault, start: u64) -> Error {
    Error::new(FORMAT, Field::new("header"), start.saturating_add(fault.at), fault.kind)
}

/// Tests that a header is no longer than allowed.
pub(super) fn check_size(header: &Header<'_>, limits: &Limits) -> Result<()> {
    if header.len() <= limits.header {
        return Ok(());
    }
    let kind = ErrorKind::Limit { name: "header", allowed: limits.header, asked: header.len() };
    Err(Error::new(FORMAT, Field::new("header"), header.start, kind))
}
