//! The file layout of a sidecar: its pages, its header, and the kinds of its records.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zerocopy::little_endian::{I64, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::math::as_u64;

/// The magic number of a sidecar: its first 8 bytes.
pub const MAGIC: [u8; 8] = *b"mpeekidx";
/// The version number of the sidecar file layout. Sidecars with another version number are ignored.
pub(super) const VERSION: u32 = 3;
/// Size of a page of a sidecar, in bytes.
pub(crate) const PAGE: usize = 4096;
/// Size of the content of a page, in bytes: the size of the page without its hash.
pub(crate) const ROOM: usize = PAGE - size_of::<U64>();
/// The number of triangle indices (`u32`) on a page that contains only triangle indices.
pub(crate) const NUMBERS: u32 = 1022;
const _: () = assert!(ROOM == 1022 * size_of::<u32>());
/// A page of a sidecar: 4,088 bytes of content, followed by the hash of the content.
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
    /// One record for each section of a mesh file, such as the data of a surface: the byte offset
    /// at which the section starts, and the first 8 bytes of the section.
    Sections,
    /// One record for each surface: the total size of its bone weights, and its range of
    /// [`Kind::WeightBlocks`] records.
    Weights,
    /// An index of the bone weights of all surfaces: one record for each block of 64 skinned
    /// vertices.
    WeightBlocks,
    /// One record for each animation: the results of a scan of all its key frames, such as their
    /// size in bytes.
    Animations,
    /// Checkpoints for random access to the key frames of all animations.
    Checkpoints,
    /// One record for each stored query tree over the triangles of a surface.
    Trees,
}

impl Kind {
    /// All kinds of records, in the order in which a sidecar stores them.
    pub const ALL: [Self; 6] =
        [Self::Sections, Self::Weights, Self::WeightBlocks, Self::Animations, Self::Checkpoints, Self::Trees];

    /// Returns the name of this kind of record as used in JSON, such as `weight_blocks`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sections => "sections",
            Self::Weights => "weights",
            Self::WeightBlocks => "weight_blocks",
            Self::Animations => "animations",
            Self::Checkpoints => "checkpoints",
            Self::Trees => "trees",
        }
    }

    /// Returns the index of this kind of record in [`ALL`](Self::ALL).
    #[allow(clippy::as_conversions, reason = "the discriminant of an enum without fields")]
    pub(super) const fn number(self) -> usize {
        self as usize
    }
}

/// The position, number and size of the sidecar records of one kind.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawList {
    /// The number of records of this kind.
    pub(super) count: U64,
    /// Index of the sidecar page that contains the first record of this kind.
    pub(super) page: U64,
    /// Size of one record of this kind, in bytes.
    pub(super) size: U32,
    pub(super) unused: U32,
}

/// The identity of the mesh file for which a sidecar was made, as stored in the sidecar header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawKey {
    /// Size of the mesh file, in bytes.
    pub(super) size: U64,
    /// The modification time of the mesh file, in seconds and nanoseconds since 1970.
    pub(super) modified: [I64; 2],
    /// The status-change time of the mesh file, in seconds and nanoseconds since 1970, or 0 if the
    /// operating system does not report it.
    pub(super) changed: [I64; 2],
    /// The device number of the mesh file. The field `inode` contains its inode number. The device
    /// number and the inode number are 0 if the operating system does not report them.
    pub(super) device: U64,
    pub(super) inode: U64,
}

/// The header of a sidecar, which is stored at the start of its first page.
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
    /// The number of pages in the sidecar, including the header page. The blobs follow the last
    /// page.
    pub(super) pages: U64,
    /// Size of the whole sidecar, in bytes.
    pub(super) size: U64,
    pub(super) lists: [RawList; Kind::ALL.len()],
}

const _: () = assert!(size_of::<RawHeader>() <= ROOM);

/// Returns the XXH3 hash of `bytes`.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Returns the XXH3 hash of the content of a page.
///
/// The seed of the hash is the page index, so a page that is stored at the wrong offset in the
/// sidecar has the wrong hash.
pub(crate) fn hash_page(content: &[u8], number: usize) -> u64 {
    xxh3_64_with_seed(content, as_u64(number))
}
