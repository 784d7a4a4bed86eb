//! Raw records of a sidecar, and nothing else.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zerocopy::little_endian::{I64, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::math::as_u64;

/// The first bytes of a sidecar.
pub(super) const MAGIC: [u8; 8] = *b"mpeekidx";
/// The version of everything in it. Others are not read.
pub(super) const VERSION: u32 = 2;
/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;
/// Bytes of a page that hold something.
pub(crate) const ROOM: usize = PAGE - size_of::<U64>();
/// Numbers of triangles on a page that has nothing else.
pub(crate) const NUMBERS: u32 = 1022;
const _: () = assert!(ROOM == 1022 * size_of::<u32>());
/// The hash of a page's content stands behind it.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawPage {
    pub(super) content: [u8; ROOM],
    pub(super) hash: U64,
}

const _: () = assert!(size_of::<RawPage>() == PAGE);

/// What a sidecar has lists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// Where each section of a file starts.
    Sections,
    /// Of each surface, where its weights end, and which blocks are theirs.
    Weights,
    /// Blocks of 64 lists of weights, of all surfaces.
    WeightBlocks,
    /// What a walk over the keys of each animation found.
    Animations,
    /// Checkpoints of all animations.
    Checkpoints,
    /// Blocks of text that hold vertices.
    TextBlocks,
    /// Where every 64th vertex of text starts, of all blocks.
    TextRows,
    /// Of each surface that has one, its query tree.
    Trees,
}

impl Kind {
    /// All kinds, in the order of the file.
    pub const ALL: [Self; 8] = [
        Self::Sections,
        Self::Weights,
        Self::WeightBlocks,
        Self::Animations,
        Self::Checkpoints,
        Self::TextBlocks,
        Self::TextRows,
        Self::Trees,
    ];

    /// Returns its name, as JSON has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sections => "sections",
            Self::Weights => "weights",
            Self::WeightBlocks => "weight_blocks",
            Self::Animations => "animations",
            Self::Checkpoints => "checkpoints",
            Self::TextBlocks => "text_blocks",
            Self::TextRows => "text_rows",
            Self::Trees => "trees",
        }
    }

    /// Returns its number among all.
    #[allow(clippy::as_conversions, reason = "the discriminant of an enum without fields")]
    pub(super) const fn number(self) -> usize {
        self as usize
    }
}

/// Where the records of one kind are.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawList {
    /// Records.
    pub(super) count: U64,
    /// The page of the first.
    pub(super) page: U64,
    /// Bytes of one.
    pub(super) size: U32,
    pub(super) unused: U32,
}

/// Which file a sidecar speaks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawKey {
    /// Bytes of the file.
    pub(super) size: U64,
    /// When it was written last: seconds, and nanoseconds.
    pub(super) modified: [I64; 2],
    /// When anything about it changed last; 0 where the system does not say.
    pub(super) changed: [I64; 2],
    /// The file system, and the number of the file on it; 0 where the system does not say.
    pub(super) device: U64,
    pub(super) inode: U64,
}

/// The content of the first page, as far as it goes.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawHeader {
    pub(super) magic: [u8; 8],
    pub(super) version: U32,
    /// Bytes of a page.
    pub(super) page: U32,
    pub(super) key: RawKey,
    /// The hash of the file's header.
    pub(super) structure: U64,
    /// Pages in front of the blobs, this one included.
    pub(super) pages: U64,
    /// Bytes of the sidecar.
    pub(super) size: U64,
    pub(super) lists: [RawList; Kind::ALL.len()],
}

const _: () = assert!(size_of::<RawHeader>() <= ROOM);

/// Hashes bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Hashes the content of a page, so that it is no other page's.
pub(crate) fn hash_page(content: &[u8], number: usize) -> u64 {
    xxh3_64_with_seed(content, as_u64(number))
}
