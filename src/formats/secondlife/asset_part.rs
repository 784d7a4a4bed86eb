//! The blocks that an asset can have, and its levels of detail.

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lod {
    /// The least.
    Lowest,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// Everything there is.
    High,
}

impl Lod {
    /// All levels, the most detailed first.
    pub const ALL: [Self; 4] = [Self::High, Self::Medium, Self::Low, Self::Lowest];

    /// Returns the block that holds it.
    #[must_use]
    pub const fn part(self) -> AssetPart {
        match self {
            Self::High => AssetPart::HighLod,
            Self::Medium => AssetPart::MediumLod,
            Self::Low => AssetPart::LowLod,
            Self::Lowest => AssetPart::LowestLod,
        }
    }

    /// Returns the level's name: `high`, `medium`, `low`, `lowest`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Lowest => "lowest",
        }
    }

    /// Returns the level that a viewer shows where this one is asked for: itself, else the nearest lower one that is
    /// there, else the nearest higher.
    pub fn nearest(self, is_there: impl Fn(Self) -> bool) -> Option<Self> {
        let lower = Self::ALL.into_iter().filter(|lod| *lod <= self);
        let higher = Self::ALL.into_iter().rev().filter(|lod| *lod > self);
        lower.chain(higher).find(|lod| is_there(*lod))
    }
}

/// A block of an asset: what a key of the header with an offset and a size stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssetPart {
    /// Geometry in full detail.
    HighLod,
    /// Geometry in medium detail.
    MediumLod,
    /// Geometry in low detail.
    LowLod,
    /// Geometry in the least detail.
    LowestLod,
    /// Triangles to collide with.
    PhysicsMesh,
    /// The same under its old name.
    PhysicsShape,
    /// Convex hulls to collide with.
    PhysicsConvex,
    /// Joints, and how the mesh is bound to them.
    Skin,
    /// What a simulator's physics engine keeps for itself.
    PhysicsHavok,
    /// What old uploads had; nobody reads it.
    Skeleton,
}

impl AssetPart {
    /// All blocks that are known.
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

    /// Returns the key in the header.
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

    /// Returns its place among [all](Self::ALL).
    pub(crate) fn number(self) -> usize {
        Self::ALL.iter().position(|part| *part == self).unwrap_or_default()
    }

    /// Returns the level of detail that it holds.
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

    /// Tells whether it holds submeshes.
    #[must_use]
    pub const fn is_geometry(self) -> bool {
        matches!(
            self,
            Self::HighLod | Self::MediumLod | Self::LowLod | Self::LowestLod | Self::PhysicsMesh | Self::PhysicsShape
        )
    }

    /// Returns its bit in the flags of a viewer's cache file, where it has one.
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
