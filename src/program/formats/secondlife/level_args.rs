//! The command line options that apply to Second Life meshes only.

use crate::Model;
use crate::formats::FormatFile;
use crate::formats::secondlife::{AssetPart, LevelGeometry, Lod};
use crate::model::Asset;
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};

use crate::program::args::possible_values;
use crate::program::outcome::UsageError;

/// The numbers and descriptions of all levels of detail on the command line.
const LEVELS: [(Lod, &str, &str); 4] = [
    (Lod::High, "0", "Highest level of detail; also 0"),
    (Lod::Medium, "1", "Second highest level of detail; also 1"),
    (Lod::Low, "2", "Third level of detail; also 2"),
    (Lod::Lowest, "3", "Lowest level of detail; also 3"),
];

/// The levels of detail that `info` describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LodFilter {
    /// One level of detail.
    One(Lod),
    /// Every level of detail, and the triangles for collisions.
    All,
    /// No level: nothing is inflated.
    None,
}

/// Parses the name or the number of a level of detail.
pub fn lod_parser() -> impl TypedValueParser<Value = Lod> {
    parser(|lod| lod, &[])
}

/// Parses the name or the number of a level of detail, or the name of all or no levels.
pub fn filter_parser() -> impl TypedValueParser<Value = LodFilter> {
    let all = (LodFilter::All, "all", "Every level of detail, and the triangles for collisions");
    parser(LodFilter::One, &[all, (LodFilter::None, "none", "No level: nothing is inflated")])
}

/// Parses the name or the number of a level of detail, or the name of the triangles for collisions.
fn part_parser() -> impl TypedValueParser<Value = AssetPart> {
    parser(Lod::part, &[(AssetPart::PhysicsMesh, "physics", "Triangles for collisions")])
}

/// Parses the names and numbers of all levels of detail, which `value_of` converts to values, and
/// the names of `more` values.
fn parser<T: Copy + Send + Sync + 'static>(
    value_of: fn(Lod) -> T,
    more: &[(T, &'static str, &'static str)],
) -> impl TypedValueParser<Value = T> + use<T> {
    let named = |name, help| PossibleValue::new(name).help(help);
    let levels = LEVELS.map(|(lod, number, help)| (value_of(lod), named(lod.name(), help).alias(number)));
    possible_values(
        levels.into_iter().chain(more.iter().map(|(value, name, help)| (*value, named(*name, *help)))).collect(),
    )
}

/// Returns the index of a level of detail of an asset.
pub fn level_index(asset: &dyn Asset, lod: Lod) -> anyhow::Result<usize> {
    let mut names = Vec::new();
    for level in 0..asset.level_count()? {
        let Some(name) = asset.level_name(level)? else { continue };
        if name.as_bytes() == lod.part().key().as_bytes() {
            return Ok(level);
        }
        names.push(name.to_string());
    }
    if names.is_empty() {
        let text = "--lod: applies to Second Life meshes only, which have levels of detail; leave it out";
        return Err(UsageError(text.to_owned()).into());
    }
    let text = format!("--lod: the mesh has no {}; it has {}", lod.part().key(), names.join(", "));
    Err(UsageError(text).into())
}

/// The options that choose an asset and a level of detail.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Second Life meshes")]
pub struct LevelArgs {
    /// Level of detail, or `physics` for the triangles for collisions; the highest existing level
    /// by default
    #[arg(long, value_parser = part_parser())]
    lod: Option<AssetPart>,
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
        self.lod.map(AssetPart::key)
    }

    /// Returns the geometry of the chosen level of detail, or `None` for formats without levels of
    /// detail.
    ///
    /// # Errors
    ///
    /// Returns an error if the asset does not have the chosen level of detail, or if the options
    /// are set for another format.
    pub fn geometry<'a, D: AsRef<[u8]> + Send + Sync>(
        &self,
        model: &'a Model<D>,
    ) -> anyhow::Result<Option<LevelGeometry<'a>>> {
        let FormatFile::SecondLife(mesh) = model.format_file() else {
            return self.first_option().map_or(Ok(None), |option| {
                Err(UsageError(format!("{option}: applies to Second Life meshes only; leave it out")).into())
            });
        };
        let header = mesh.header()?;
        let level = LevelGeometry::new(mesh.view(), self.part(|part| header.has(part)));
        // `level` is called only to return its error, whose message lists the levels of detail of
        // the asset.
        level.level()?;
        Ok(Some(level))
    }

    /// Returns whether the options choose the highest level of detail of the first asset, which is
    /// the default.
    pub fn is_default(&self) -> bool {
        self.lod.is_none() && self.asset.unwrap_or_default() == 0
    }

    fn part(&self, has: impl Fn(AssetPart) -> bool) -> AssetPart {
        // `physics_shape` is the older name of the block `physics_mesh`.
        let is_older = !has(AssetPart::PhysicsMesh) && has(AssetPart::PhysicsShape);
        match self.lod {
            None => Lod::High.nearest(|lod| has(lod.part())).unwrap_or(Lod::High).part(),
            Some(AssetPart::PhysicsMesh) if is_older => AssetPart::PhysicsShape,
            Some(part) => part,
        }
    }
}
