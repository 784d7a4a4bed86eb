//! The command line options that apply to Second Life meshes only.

use clap::{Args, ValueEnum};
use meshpeek::secondlife::{AssetPart, LevelGeometry, Lod, Mesh};

/// The levels of detail that `info` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LodFilter {
    /// Highest level of detail
    High,
    /// Second highest level of detail
    Medium,
    /// Third level of detail
    Low,
    /// Lowest level of detail
    Lowest,
    /// Every level of detail, and the triangles for collisions
    All,
    /// No level: nothing is inflated
    None,
}

impl LodFilter {
    /// Returns the level of detail if the option `--lod` of `info` selects exactly one level of
    /// detail, and `None` otherwise.
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

/// A level of detail by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LodLevel {
    /// Highest level of detail
    High,
    /// Second highest level of detail
    Medium,
    /// Third level of detail
    Low,
    /// Lowest level of detail
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

/// A level of detail, or the triangles for collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LodOrPhysics {
    /// Highest level of detail
    High,
    /// Second highest level of detail
    Medium,
    /// Third level of detail
    Low,
    /// Lowest level of detail
    Lowest,
    /// Triangles for collisions
    Physics,
}

/// The options that choose an asset and a level of detail.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Second Life meshes")]
pub struct LevelArgs {
    /// Level of detail, or `physics` for the triangles for collisions; the highest existing level
    /// by default
    #[arg(long, value_enum)]
    lod: Option<LodOrPhysics>,
    /// Number of the asset in an .slm container, from 0
    #[arg(long, value_name = "N")]
    pub asset: Option<usize>,
}

impl LevelArgs {
    /// Returns the first option on the command line that applies to Second Life meshes only, or
    /// `None` if there is no such option.
    pub fn first_option(&self) -> Option<&'static str> {
        let options = [(self.lod.is_some(), "--lod"), (self.asset.is_some(), "--asset")];
        options.into_iter().find(|(is_set, _)| *is_set).map(|(_, name)| name)
    }

    /// Returns the key of the chosen level of detail in the asset header, such as `high_lod`.
    /// Returns `None` if the command line chooses no level of detail.
    pub fn key(&self) -> Option<&'static str> {
        self.lod.map(|_| self.part(|_| false).key())
    }

    /// Returns the geometry of the chosen level of detail.
    ///
    /// # Errors
    ///
    /// Returns an error if the asset does not have the chosen level of detail.
    pub fn detail<'a, D: AsRef<[u8]> + Send + Sync>(&self, mesh: &'a Mesh<D>) -> meshpeek::Result<LevelGeometry<'a>> {
        let view = mesh.view();
        let header = view.header()?;
        let detail = LevelGeometry::new(view, self.part(|part| !header.has(part)));
        // `level` is called only to return its error, whose message lists the levels of detail of
        // the asset.
        detail.level()?;
        Ok(detail)
    }

    /// Returns whether the options choose the highest level of detail of the first asset, which is
    /// the default.
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
            // `physics_shape` is the older name of the block `physics_mesh`.
            Some(LodOrPhysics::Physics) if is_absent(AssetPart::PhysicsMesh) && !is_absent(AssetPart::PhysicsShape) => {
                AssetPart::PhysicsShape
            }
            Some(LodOrPhysics::Physics) => AssetPart::PhysicsMesh,
        }
    }
}
