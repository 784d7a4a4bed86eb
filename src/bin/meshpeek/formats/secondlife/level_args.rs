//! The options that only Second Life meshes have.

use clap::{Args, ValueEnum};
use meshpeek::secondlife::{AssetPart, LevelGeometry, Lod, Mesh};

/// The levels of detail that `info` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LodFilter {
    High,
    Medium,
    Low,
    Lowest,
    /// Every level, and the triangles to collide with
    All,
    /// None: nothing is inflated
    None,
}

impl LodFilter {
    /// Returns the level, if it is a single one.
    pub const fn lod(self) -> Option<Lod> {
        match self {
            Self::High => Some(Lod::High),
            Self::Medium => Some(Lod::Medium),
            Self::Low => Some(Lod::Low),
            Self::Lowest => Some(Lod::Lowest),
            Self::All | Self::None => None,
        }
    }
}

/// A level of detail, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LodLevel {
    High,
    Medium,
    Low,
    Lowest,
}

impl From<LodLevel> for Lod {
    fn from(level: LodLevel) -> Self {
        match level {
            LodLevel::High => Self::High,
            LodLevel::Medium => Self::Medium,
            LodLevel::Low => Self::Low,
            LodLevel::Lowest => Self::Lowest,
        }
    }
}

/// A level of detail, or the triangles to collide with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LodOrPhysics {
    High,
    Medium,
    Low,
    Lowest,
    /// The triangles to collide with
    Physics,
}

/// The options that choose an asset and a level of detail.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Second Life meshes")]
pub struct LevelArgs {
    /// The level of detail, or `physics` for the triangles to collide with; the highest that there is by default
    #[arg(long, value_enum)]
    lod: Option<LodOrPhysics>,
    /// Which asset of an .slm container
    #[arg(long, value_name = "N")]
    pub asset: Option<usize>,
}

impl LevelArgs {
    /// Returns the first option given that only a Second Life mesh has a meaning for.
    pub fn first_option(&self) -> Option<&'static str> {
        let options = [(self.lod.is_some(), "--lod"), (self.asset.is_some(), "--asset")];
        options.into_iter().find(|(is_set, _)| *is_set).map(|(_, name)| name)
    }

    /// Returns the key of the level, if one was chosen.
    pub fn key(&self) -> Option<&'static str> {
        self.lod.map(|_| self.part(|_| false).key())
    }

    /// Finds the submeshes.
    pub fn detail<'a, D: AsRef<[u8]> + Send + Sync>(&self, mesh: &'a Mesh<D>) -> meshpeek::Result<LevelGeometry<'a>> {
        let view = mesh.view();
        let header = view.header()?;
        let detail = LevelGeometry::new(view, self.part(|part| !header.has(part)));
        // Returns an error that names the levels that exist if this one does not.
        detail.level()?;
        Ok(detail)
    }

    /// Returns whether this is the default: the highest level of the first asset.
    pub fn is_default(&self) -> bool {
        self.lod.is_none() && self.asset.unwrap_or_default() == 0
    }

    fn part(&self, is_absent: impl Fn(AssetPart) -> bool) -> AssetPart {
        match self.lod {
            None => Lod::High.nearest(|lod| !is_absent(lod.part())).unwrap_or(Lod::High).part(),
            Some(LodOrPhysics::High) => AssetPart::HighLod,
            Some(LodOrPhysics::Medium) => AssetPart::MediumLod,
            Some(LodOrPhysics::Low) => AssetPart::LowLod,
            Some(LodOrPhysics::Lowest) => AssetPart::LowestLod,
            // The old name of the same thing.
            Some(LodOrPhysics::Physics) if is_absent(AssetPart::PhysicsMesh) && !is_absent(AssetPart::PhysicsShape) => {
                AssetPart::PhysicsShape
            }
            Some(LodOrPhysics::Physics) => AssetPart::PhysicsMesh,
        }
    }
}
