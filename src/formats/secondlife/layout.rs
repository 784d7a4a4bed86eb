//! The constants of the Second Life mesh format, the types of blocks of an asset ([`AssetPart`]),
//! and the preamble of a viewer's cache file: 12 bytes, the only record that is not LLSD.

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::region_values::header_value;
use super::validate::rules::rule_of;
use crate::error::FormatName;
use crate::model::{BlockContent, Lod};
use crate::parse::ElementType;

/// The name of the Second Life mesh format in error messages.
pub(crate) const FORMAT: &FormatName = &FormatName::new("secondlife", rule_of).with_inflated(INFLATED);
/// The text before and after the offset of an inflated byte, at the end of a finding.
pub(super) const INFLATED: [&str; 2] = [" (inflated byte ", ")"];

/// The number of bytes that a network client requests from the start of an asset to get the header.
/// A network client cannot read a header that is longer than 4096 bytes.
pub const USUAL_PREFIX: u64 = 4096;
/// The maximum number of submeshes in a level of detail. Each submesh has one material.
pub const MAX_SUBMESHES: usize = 8;
/// The maximum number of vertices per submesh that importers allow. Without the limit of the
/// importers, 16-bit vertex indices could address 65,536 vertices.
pub const MAX_VERTICES: usize = 65_535;
/// The maximum number of skeleton joints that a viewer accepts in the skin of one mesh.
pub const MAX_JOINTS: usize = 110;
/// The maximum number of convex hulls in a collision shape.
pub const MAX_HULLS: usize = 256;
/// The maximum number of joints that influence one vertex.
#[cfg(any(feature = "cli", feature = "internals"))]
pub const MAX_INFLUENCES: usize = 4;
/// The highest asset format version that this crate reads.
pub const HIGHEST_VERSION: i32 = 999;
/// The minimum and maximum coordinate of the decoded positions on each axis, for a submesh without
/// `PositionDomain`.
pub const DEFAULT_DOMAIN: [f32; 2] = [-0.5, 0.5];

/// The element type of file regions that hold a zlib stream: one byte.
pub(crate) const ZLIB: ElementType = ElementType::new("zlib", 1, 1);
/// The element type of file regions whose bytes are not decoded, such as gaps between blocks: one
/// byte.
pub(crate) const BYTE: ElementType = ElementType::U8;
/// The element type of file regions that hold LLSD values: one byte.
pub(crate) const LLSD: ElementType =
    ElementType::new("llsd", 1, 1).decoded_by(|here| here.item(|_, _| header_value(here)));
/// The element type of file regions that hold an integer of the cache preamble: a little-endian
/// `u32`.
pub(crate) const LITTLE_U32: ElementType = ElementType::U32;

/// Size in bytes of three 16-bit integers: the vertex indices of a triangle, or the encoded
/// coordinates of a position.
pub(crate) const TRIPLE: usize = 6;

/// The record of 12 bytes before the asset in a file of a viewer's disk cache.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawPreamble {
    /// Version of the cache file format: always 1.
    pub version: U32,
    /// Size of the asset's header, in bytes.
    pub header_size: U32,
    /// Bit set of the blocks that the viewer has fetched over the network
    /// ([`AssetPart::cache_flag`](super::AssetPart::cache_flag)).
    ///
    /// The cache file contains zero bytes in place of each block that the viewer has not fetched.
    pub flags: U32,
}

const _: () = assert!(size_of::<RawPreamble>() == 12);

impl Lod {
    /// Returns the type of the block that holds this level of detail.
    #[must_use]
    pub const fn part(self) -> AssetPart {
        match self {
            Self::High => AssetPart::HighLod,
            Self::Medium => AssetPart::MediumLod,
            Self::Low => AssetPart::LowLod,
            Self::Lowest => AssetPart::LowestLod,
        }
    }
}

/// The type of a block of an asset. For each block, the header has an entry with an offset and a
/// size, and the key of this entry gives the type of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssetPart {
    /// The submeshes of the highest level of detail.
    HighLod,
    /// The submeshes of the medium level of detail.
    MediumLod,
    /// The submeshes of the low level of detail.
    LowLod,
    /// The submeshes of the lowest level of detail.
    LowestLod,
    /// Collision triangles, stored under the key `physics_mesh`.
    PhysicsMesh,
    /// Collision triangles, stored under the old key `physics_shape`.
    PhysicsShape,
    /// Convex hulls for collision detection.
    PhysicsConvex,
    /// The joints, and the matrices that bind the mesh to the joints.
    Skin,
    /// Private data of the physics engine in a simulator (a server of the virtual world).
    PhysicsHavok,
    /// A block with the key `skeleton`, which occurs in old uploads and which no known program
    /// reads.
    Skeleton,
}

impl AssetPart {
    /// All types of blocks that this crate knows.
    pub const ALL: [Self; 10] = [
        Self::HighLod,
        Self::MediumLod,
        Self::LowLod,
        Self::LowestLod,
        Self::PhysicsMesh,
        Self::PhysicsShape,
        Self::PhysicsConvex,
        Self::Skin,
        Self::PhysicsHavok,
        Self::Skeleton,
    ];

    /// Returns the key of this block type in the asset header.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::HighLod => Lod::High.key(),
            Self::MediumLod => Lod::Medium.key(),
            Self::LowLod => Lod::Low.key(),
            Self::LowestLod => Lod::Lowest.key(),
            Self::PhysicsMesh => "physics_mesh",
            Self::PhysicsShape => "physics_shape",
            Self::PhysicsConvex => "physics_convex",
            Self::Skin => "skin",
            Self::PhysicsHavok => "physics_havok",
            Self::Skeleton => "skeleton",
        }
    }

    /// Returns the block type with a key.
    #[cfg(any(feature = "cli", feature = "internals"))]
    pub(crate) fn named(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.key() == key)
    }

    /// Returns the content of a block of this type, for all formats.
    pub(crate) const fn kind(self) -> BlockContent {
        match self {
            Self::HighLod => BlockContent::Level(Lod::High),
            Self::MediumLod => BlockContent::Level(Lod::Medium),
            Self::LowLod => BlockContent::Level(Lod::Low),
            Self::LowestLod => BlockContent::Level(Lod::Lowest),
            Self::PhysicsMesh | Self::PhysicsShape => BlockContent::Triangles,
            Self::PhysicsConvex => BlockContent::Hulls,
            Self::Skin => BlockContent::Skin,
            Self::PhysicsHavok | Self::Skeleton => BlockContent::Other,
        }
    }

    /// Returns the index of this block type in [`ALL`](Self::ALL).
    pub(crate) fn number(self) -> usize {
        Self::ALL.iter().position(|part| *part == self).unwrap_or_default()
    }

    /// Returns the level of detail that a block of this type holds, or `None` if the block does not
    /// hold a level of detail.
    #[must_use]
    pub const fn lod(self) -> Option<Lod> {
        match self.kind() {
            BlockContent::Level(lod) => Some(lod),
            _ => None,
        }
    }

    /// Returns whether a block of this type holds submeshes: a level of detail or collision
    /// triangles.
    #[must_use]
    pub const fn is_geometry(self) -> bool {
        matches!(self.kind(), BlockContent::Level(_) | BlockContent::Triangles)
    }

    /// Returns the bit mask of this block type in the flags of a viewer's cache file, or `None` if
    /// the flags have no bit for this block type.
    #[must_use]
    pub const fn cache_flag(self) -> Option<u32> {
        match self {
            Self::LowestLod => Some(1),
            Self::LowLod => Some(1 << 1),
            Self::MediumLod => Some(1 << 2),
            Self::HighLod => Some(1 << 3),
            Self::Skin => Some(1 << 4),
            Self::PhysicsConvex => Some(1 << 5),
            Self::PhysicsMesh => Some(1 << 6),
            _ => None,
        }
    }
}
