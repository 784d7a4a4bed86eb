//! The named levels of detail of an asset.

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
