//! The blocks of an asset, and its levels of detail.

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lod {
    /// The lowest level of detail.
    Lowest,
    /// The low level of detail.
    Low,
    /// The medium level of detail.
    Medium,
    /// The full level of detail.
    High,
}

impl Lod {
    /// All levels of detail, the most detailed level first.
    pub const ALL: [Self; 4] = [Self::High, Self::Medium, Self::Low, Self::Lowest];

    /// Returns the block that holds this level of detail.
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

    /// Returns the level of detail that a viewer shows when this level is requested, or `None` if
    /// no level is available.
    ///
    /// A level is available if `is_there` returns true for that level. If this level is available,
    /// the result is this level. If not, the result is the nearest lower available level, or the
    /// nearest higher available level if no lower level is available.
    pub fn nearest(self, is_there: impl Fn(Self) -> bool) -> Option<Self> {
        let lower = Self::ALL.into_iter().filter(|lod| *lod <= self);
        let higher = Self::ALL.into_iter().rev().filter(|lod| *lod > self);
        lower.chain(higher).find(|lod| is_there(*lod))
    }
}

/// The type of a block of an asset. Each type is a key of the header whose entry has an offset and
/// a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssetPart {
    /// Geometry in full detail.
    HighLod,
    /// Geometry in medium detail.
    MediumLod,
    /// Geometry in low detail.
    LowLod,
    /// Geometry in the lowest detail.
    LowestLod,
    /// Collision triangles.
    PhysicsMesh,
    /// Collision triangles, stored under the old key `physics_shape`.
    PhysicsShape,
    /// Convex hulls for collision.
    PhysicsConvex,
    /// The joints, and the matrices that bind the mesh to the joints.
    Skin,
    /// Private data of a simulator's physics engine.
    PhysicsHavok,
    /// A block in old uploads that no program reads.
    Skeleton,
}

impl AssetPart {
    /// All known types of blocks.
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

    /// Returns the key of the block in the header.
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

    /// Returns the level of detail that the block holds, or `None` if the block does not hold a
    /// level of detail.
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

    /// Returns whether the block holds submeshes.
    #[must_use]
    pub const fn is_geometry(self) -> bool {
        matches!(
            self,
            Self::HighLod | Self::MediumLod | Self::LowLod | Self::LowestLod | Self::PhysicsMesh | Self::PhysicsShape
        )
    }

    /// Returns the bit of the block in the flags of a viewer's cache file, or `None` if the flags
    /// have no bit for the block.
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
