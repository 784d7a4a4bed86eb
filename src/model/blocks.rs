//! Assets whose levels of detail, skin and collision shapes are compressed blocks, and the
//! descriptions of these blocks.

use std::ops::Range;

use super::contents::{Asset, MaybeOwned};
use super::geometry::Geometry;
use crate::error::{Error, Result};
use crate::parse::{Finding, OpenOptions, Value, record};

/// A named level of detail. Their order is from the least detailed to the most detailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lod {
    /// The lowest level of detail.
    Lowest,
    /// The low level of detail.
    Low,
    /// The medium level of detail.
    Medium,
    /// The highest level of detail.
    High,
}

impl Lod {
    /// All levels of detail, the most detailed level first.
    pub const ALL: [Self; 4] = [Self::High, Self::Medium, Self::Low, Self::Lowest];

    /// Returns the name of the level of detail: `high`, `medium`, `low` or `lowest`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Lowest => "lowest",
        }
    }

    /// Returns the name of the block of a level of detail, such as `high_lod`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::High => "high_lod",
            Self::Medium => "medium_lod",
            Self::Low => "low_lod",
            Self::Lowest => "lowest_lod",
        }
    }

    /// Returns the number of the level of detail, from 0 for the highest.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::High => 0,
            Self::Medium => 1,
            Self::Low => 2,
            Self::Lowest => 3,
        }
    }

    /// Returns the level of detail that a viewer shows when the level `self` is requested, or
    /// `None` if no level of detail is available.
    ///
    /// The closure `is_there` returns whether a level of detail is available. If the level of
    /// detail `self` is available, the result is `self`. If `self` is not available, the result is
    /// the nearest lower level of detail that is available, or the nearest higher one if no lower
    /// one is available.
    pub fn nearest(self, is_there: impl Fn(Self) -> bool) -> Option<Self> {
        let lower = Self::ALL.into_iter().filter(|lod| *lod <= self);
        let higher = Self::ALL.into_iter().rev().filter(|lod| *lod > self);
        lower.chain(higher).find(|lod| is_there(*lod))
    }
}

/// The content of a compressed block of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockContent {
    /// The surfaces of a level of detail.
    Level(Lod),
    /// Triangles for collisions.
    Triangles,
    /// Convex hulls for collisions.
    Hulls,
    /// Bones.
    Skin,
    /// Other data.
    Other,
}

/// A compressed block of an asset, as the header of the asset describes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredBlock {
    /// The name of the block.
    pub name: &'static str,
    /// The content of the block.
    pub kind: BlockContent,
    /// The byte range of the block in the file, which may end after the file.
    pub range: Range<u64>,
}

/// A file whose assets consist of compressed blocks. `MeshFile::blocks` returns it.
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait `Contents`")]
pub trait BlockFile {
    /// Returns the asset that the file was opened with.
    fn opened(&self) -> &dyn BlockAsset;
    /// Returns whether the file is a container of several assets.
    fn is_container(&self) -> bool;
    /// Returns the options that the file was opened with.
    fn options(&self) -> &OpenOptions;
    /// Calls `visit` for each of the first `most` assets. Each is opened alone, and its inflated
    /// blocks are freed after the call.
    fn each_alone(&self, most: usize, visit: &mut dyn FnMut(&dyn BlockAsset));
}

/// An asset whose levels of detail, skin and collision shapes are compressed blocks.
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait `Contents`")]
pub trait BlockAsset: Asset {
    /// Returns the blocks of the asset, in the order of their kinds.
    fn blocks(&self) -> Result<Vec<StoredBlock>>;
    /// Returns the levels of detail of the asset, the highest first. Their blocks may be damaged.
    fn lods(&self) -> Result<Vec<Lod>>;
    /// Returns the byte range of the block with a name, or `None` if the asset does not have it.
    /// The error is that of its entry in the header.
    fn stored(&self, block: &str) -> Result<Option<Range<u64>>>;
    /// Returns an error if a level of detail is missing, or an array of it cannot be read.
    fn check_lod(&self, lod: Lod) -> Result<()>;
    /// Inflates the block with a name.
    fn inflate(&self, block: &str) -> Result<Option<Box<dyn BlockView + '_>>>;
    /// Inflates the block with a name, counts its bytes, surfaces and triangles, and frees it.
    fn count(&self, block: &str) -> Result<Option<InflatedSummary>>;
    /// Returns the surfaces of a level of detail, or of the highest one.
    fn lod(&self, lod: Option<Lod>) -> Result<MaybeOwned<'_, dyn Geometry + '_>>;
    /// Returns the triangles for collisions. If there are none, the error names the missing block.
    fn collision_block(&self) -> Result<MaybeOwned<'_, dyn Geometry + '_>>;
    /// Describes the collision shapes in a few words.
    fn physics_in_words(&self) -> String;
    /// Returns the number of bytes of the header, and of what comes before it in the file.
    fn header_bytes(&self) -> u64;
    /// Returns the number of bytes of the file that were read for this asset.
    fn touched(&self) -> u64;
    /// Makes a file of one level of detail alone. If `is_nearest` is set and the asset lacks the
    /// level, it is the one that a viewer shows instead.
    fn level_file(&self, lod: Lod, is_nearest: bool) -> Result<LevelFile>;
}

/// A file with one level of detail of an asset. [`BlockAsset::level_file`] makes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LevelFile {
    /// The name of the block of the level.
    pub block: &'static str,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The reason why each other block that is missing in the new file could not be copied.
    pub left_out: Vec<Error>,
}

/// The inflated content of a block.
#[allow(clippy::missing_errors_doc, reason = "documented once on the trait `Contents`")]
pub trait BlockView {
    /// Returns the number of inflated bytes.
    fn size(&self) -> usize;
    /// Passes the findings about the structure of the block to `report`.
    fn validate_structure(&self, report: &mut dyn FnMut(Finding));
    /// Returns the surfaces of the block, or `None` if it contains other data.
    fn geometry(&self) -> Result<Option<Box<dyn Geometry + '_>>>;
    /// Returns whether a surface is a placeholder for a face without triangles.
    fn is_placeholder(&self, surface: usize) -> Result<bool>;
}

/// The maximum number of assets whose blocks are described. A small file may declare a million
/// assets.
pub(crate) const MAX_DESCRIBED: usize = 4096;

/// The compressed blocks of a file that were described. A file without such blocks has none.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DescribedBlocks {
    /// The blocks of all assets, in the order of the file.
    pub blocks: Vec<BlockSummary>,
    /// Whether only the headers of the assets were read, and no block.
    pub is_header_only: bool,
}

/// The description of a compressed block of an asset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BlockSummary {
    /// The index of the asset in its container, or `None` if the file is not a container.
    pub asset: Option<usize>,
    /// The name of the block.
    pub name: &'static str,
    /// Whether the block contains a level of detail.
    pub is_lod: bool,
    /// The offset of the first byte of the block.
    pub offset: u64,
    /// The number of stored bytes.
    pub bytes: u64,
    /// The description of the inflated content, or `None` if the block was not inflated.
    pub inflated: Option<InflatedSummary>,
}

/// The description of the inflated content of a block.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct InflatedSummary {
    /// The number of inflated bytes.
    pub bytes: u64,
    /// The number of surfaces and the number of triangles in the block, or `None` if the block
    /// contains neither.
    pub counts: Option<(usize, usize)>,
}

impl BlockSummary {
    /// Returns the inflated size of the block divided by its stored size.
    #[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "a ratio, to be shown")]
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let inflated = self.inflated.as_ref()?;
        (self.bytes > 0).then(|| inflated.bytes as f64 / self.bytes as f64)
    }

    /// Returns the description of the block as a record.
    #[must_use]
    pub fn record(&self) -> Value {
        let counts = self.inflated.as_ref().and_then(|inflated| inflated.counts);
        let record = record! {
            "name": self.name,
            "offset": self.offset,
            "bytes": self.bytes,
            "inflated_bytes": self.inflated.as_ref().map(|inflated| inflated.bytes),
            "ratio": self.ratio(),
            "submeshes": counts.map(|(submeshes, _)| submeshes),
            "triangles": counts.map(|(_, triangles)| triangles),
        };
        with_asset(record, self.asset)
    }
}

/// Adds the index of an asset in its container to a record.
pub(crate) fn with_asset(mut record: Value, asset: Option<usize>) -> Value {
    if let (Value::Record(fields), Some(asset)) = (&mut record, asset) {
        fields.push(("asset".into(), asset.into()));
    }
    record
}
