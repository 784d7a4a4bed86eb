//! The records of a sidecar, in the layout of the file.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zerocopy::little_endian::{I64, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::math::as_u64;

/// The magic number of a sidecar.
pub(super) const MAGIC: [u8; 8] = *b"mpeekidx";
/// The version of the layout of a sidecar. Sidecars of other versions are not read.
pub(super) const VERSION: u32 = 2;
/// Size of a page of a sidecar, in bytes.
pub(crate) const PAGE: usize = 4096;
/// Size of the content of a page without its hash, in bytes.
pub(crate) const ROOM: usize = PAGE - size_of::<U64>();
/// Number of triangle indices on a page that contains nothing else.
pub(crate) const NUMBERS: u32 = 1022;
const _: () = assert!(ROOM == 1022 * size_of::<u32>());
/// A page of a sidecar: its content, followed by the hash of the content.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawPage {
    pub(super) content: [u8; ROOM],
    pub(super) hash: U64,
}

const _: () = assert!(size_of::<RawPage>() == PAGE);

/// The kinds of records in a sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// The offset of the first byte of each section of a mesh file.
    Sections,
    /// For each surface: the offset of the end of its weights, and the range of its records of the
    /// kind `WeightBlocks`.
    Weights,
    /// Groups of 64 weight lists, for all surfaces.
    WeightBlocks,
    /// For each animation: the results of one pass over its keys.
    Animations,
    /// Checkpoints in the keys of all animations.
    Checkpoints,
    /// The blocks of text that contain vertices.
    TextBlocks,
    /// The offset of every 64th vertex in text, for all blocks of text.
    TextRows,
    /// The query tree of each surface that has a query tree.
    Trees,
}

impl Kind {
    /// All kinds of records, in the order of the sidecar.
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

    /// Returns the name of the kind of record, as used in JSON.
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

    /// Returns the index of this kind of record in [`ALL`](Self::ALL).
    #[allow(clippy::as_conversions, reason = "the discriminant of an enum without fields")]
    pub(super) const fn number(self) -> usize {
        self as usize
    }
}

/// The position of the records of one kind in the sidecar.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawList {
    /// The number of records of this kind.
    pub(super) count: U64,
    /// Index of the page that contains the first record.
    pub(super) page: U64,
    /// Size of one record of this kind, in bytes.
    pub(super) size: U32,
    pub(super) unused: U32,
}

/// The identity of the mesh file that a sidecar belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawKey {
    /// Size of the mesh file, in bytes.
    pub(super) size: U64,
    /// The time of the last modification of the mesh file, in seconds and nanoseconds.
    pub(super) modified: [I64; 2],
    /// The time of the last status change of the mesh file, or 0 if the system does not report it.
    pub(super) changed: [I64; 2],
    /// The device and the inode number of the mesh file, or 0 if the system does not report them.
    pub(super) device: U64,
    pub(super) inode: U64,
}

/// The header of a sidecar, at the start of the content of its first page.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawHeader {
    pub(super) magic: [u8; 8],
    pub(super) version: U32,
    /// Size of a page of the sidecar, in bytes.
    pub(super) page: U32,
    pub(super) key: RawKey,
    /// Hash of the header of the mesh file.
    pub(super) structure: U64,
    /// Number of pages before the blobs, including the page of this header.
    pub(super) pages: U64,
    /// Size of the whole sidecar, in bytes.
    pub(super) size: U64,
    pub(super) lists: [RawList; Kind::ALL.len()],
}

const _: () = assert!(size_of::<RawHeader>() <= ROOM);

/// Returns the hash of the given bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Returns the hash of the content of a page. The seed of the hash is the page number, which
/// detects a page at the wrong offset.
pub(crate) fn hash_page(content: &[u8], number: usize) -> u64 {
    xxh3_64_with_seed(content, as_u64(number))
}
