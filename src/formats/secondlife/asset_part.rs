//! The types of blocks of an asset ([`AssetPart`]), and the levels of detail of an asset ([`Lod`]).

/// One of the four levels of detail of a mesh.
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
            Self::HighLod => "high_lod",
            Self::MediumLod => "medium_lod",
            Self::LowLod => "low_lod",
            Self::LowestLod => "lowest_lod",
            Self::PhysicsMesh => "physics_mesh",
            Self::PhysicsShape => "physics_shape",
            Self::PhysicsConvex => "physics_convex",
            Self::Skin => "skin",
            Self::PhysicsHavok => "physics_havok",
            Self::Skeleton => "skeleton",
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
        match self {
            Self::HighLod => Some(Lod::High),
            Self::MediumLod => Some(Lod::Medium),
            Self::LowLod => Some(Lod::Low),
            Self::LowestLod => Some(Lod::Lowest),
            _ => None,
        }
    }

    /// Returns whether a block of this type holds submeshes: a level of detail or collision
    /// triangles.
    #[must_use]
    pub const fn is_geometry(self) -> bool {
        matches!(
            self,
            Self::HighLod | Self::MediumLod | Self::LowLod | Self::LowestLod | Self::PhysicsMesh | Self::PhysicsShape
        )
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
