//! The types of blocks of an asset ([`AssetPart`]).

use crate::model::{BlockContent, Lod};

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
