//! The command line options that choose levels of detail, and assets of Second Life containers.

use std::ffi::OsStr;
use std::fmt;

use crate::Model;
use crate::formats::FormatFile;
use crate::formats::secondlife::{AssetPart, LevelGeometry, Lod};
use crate::model::Asset;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use crate::program::args::{named_values, possible_values};
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
    One(LevelNumber),
    /// Every level of detail, and the triangles for collisions.
    All,
    /// No level: nothing is inflated.
    None,
}

impl LodFilter {
    /// The most detailed level.
    pub const HIGHEST: Self = Self::One(LevelNumber(0));
}

/// The number of a level of detail. The numbers of the levels of Second Life are those of their
/// names, from 0 for the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelNumber(pub u32);

impl LevelNumber {
    /// Returns the level of a Second Life asset, or the lowest level for a greater number.
    pub fn lod(self) -> Lod {
        let at = usize::try_from(self.0).ok().and_then(|at| LEVELS.get(at));
        at.map_or(Lod::Lowest, |(lod, ..)| *lod)
    }

    /// Returns whether this is the number of a level of an asset, whose name is `name`.
    pub fn has_name(self, name: &[u8]) -> bool {
        let is_lod = usize::try_from(self.0).is_ok_and(|at| at < LEVELS.len());
        is_lod && name == self.lod().part().key().as_bytes() || name == format!("lod {}", self.0).as_bytes()
    }
}

impl fmt::Display for LevelNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match LEVELS.into_iter().zip(0_u32..).find(|(_, number)| *number == self.0) {
            Some(((lod, ..), _)) => out.write_str(lod.name()),
            None => self.0.fmt(out),
        }
    }
}

/// Parses the name of a level of detail or any number.
#[derive(Clone)]
pub struct NumberOr<P, T> {
    names: P,
    value_of: fn(LevelNumber) -> T,
}

impl<T: Clone + Send + Sync + 'static, P: TypedValueParser<Value = T>> TypedValueParser for NumberOr<P, T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let digits = value.to_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        match digits.and_then(|text| text.parse().ok()) {
            Some(number) => Ok((self.value_of)(LevelNumber(number))),
            None => self.names.parse_ref(command, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.names.possible_values()
    }
}

/// Parses the name or the number of a level of detail.
pub fn level_parser<T: Copy + Send + Sync + 'static>(
    value_of: fn(LevelNumber) -> T,
    more: &[(T, &'static str, &'static str)],
) -> impl TypedValueParser<Value = T> + use<T> {
    let names =
        LEVELS.into_iter().zip(0..).map(|((lod, _, help), number)| (value_of(LevelNumber(number)), lod.name(), help));
    NumberOr { names: named_values(names.chain(more.iter().copied()).collect()), value_of }
}

/// Parses the name or the number of a level of detail of a Second Life mesh.
pub fn lod_parser() -> impl TypedValueParser<Value = Lod> {
    let names = LEVELS.map(|(lod, number, help)| (lod, PossibleValue::new(lod.name()).help(help).alias(number)));
    possible_values(names.to_vec())
}

/// Parses the name or the number of a level of detail, or the name of all or no levels.
pub fn filter_parser() -> impl TypedValueParser<Value = LodFilter> {
    let all = (LodFilter::All, "all", "Every level of detail, and the triangles for collisions");
    level_parser(LodFilter::One, &[all, (LodFilter::None, "none", "No level: nothing is inflated")])
}

/// A level of detail, or the triangles for collisions.
#[derive(Clone, Copy, Debug)]
enum ChosenPart {
    Level(LevelNumber),
    Physics,
}

/// Parses the name or the number of a level of detail, or the name of the triangles for collisions.
fn part_parser() -> impl TypedValueParser<Value = ChosenPart> {
    level_parser(ChosenPart::Level, &[(ChosenPart::Physics, "physics", "Triangles for collisions")])
}

/// Returns the index of a level of detail of an asset. Number 0 is the most detailed level, also if
/// the names of the levels start with a greater number.
pub fn level_index(asset: &dyn Asset, number: LevelNumber) -> anyhow::Result<usize> {
    let mut names = Vec::new();
    for level in 0..asset.level_count()? {
        let Some(name) = asset.level_name(level)? else { continue };
        if number.has_name(name.as_bytes()) {
            return Ok(level);
        }
        names.push(name.to_string());
    }
    if names.is_empty() {
        let text = "--lod: the mesh has no levels of detail; leave it out";
        return Err(UsageError(text.to_owned()).into());
    }
    let is_lod = asset.format() == "secondlife" && number.has_name(number.lod().part().key().as_bytes());
    let level = match number {
        LevelNumber(0) if !is_lod => return Ok(0),
        _ if is_lod => number.lod().part().key().to_owned(),
        LevelNumber(number) => format!("lod {number}"),
    };
    Err(UsageError(format!("--lod: the mesh has no {level}; it has {}", names.join(", "))).into())
}

/// Returns the index of the level of detail that is shown if a mesh may lack the level `number`:
/// the least detailed one whose number is not greater.
pub fn nearest_level(asset: &dyn Asset, number: LevelNumber) -> crate::Result<usize> {
    let mut nearest = 0;
    for level in 0..asset.level_count()? {
        let name = asset.level_name(level)?.map(|name| name.to_string_lossy()).unwrap_or_default();
        let own = name.strip_prefix("lod ").and_then(|number| number.parse::<u32>().ok());
        if own.is_some_and(|own| own <= number.0) {
            nearest = level;
        }
    }
    Ok(nearest)
}

/// The options that choose an asset and a level of detail.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Second Life meshes")]
pub struct LevelArgs {
    /// Level of detail: a number from 0, or high, medium, low or lowest, or `physics` for the
    /// triangles for collisions; the highest existing level by default
    #[arg(long, value_parser = part_parser(), help_heading = None)]
    lod: Option<ChosenPart>,
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
        self.asset_part().map(AssetPart::key)
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
        if let Some(ChosenPart::Level(number)) = self.lod
            && usize::try_from(number.0).is_ok_and(|number| number >= LEVELS.len())
        {
            let text = format!("--lod {number}: a Second Life mesh has at most the levels 0 to 3; give one of them");
            return Err(UsageError(text).into());
        }
        let header = mesh.header()?;
        let level = LevelGeometry::new(mesh.view(), self.part(|part| header.has(part)));
        // `level` is called only to return its error, whose message lists the levels of detail of
        // the asset.
        level.level()?;
        Ok(Some(level))
    }

    /// Returns the index of the chosen level of detail, for a mesh whose levels have the surfaces
    /// of one list. Returns `None` if the options choose no level.
    ///
    /// # Errors
    ///
    /// Returns an error if the mesh does not have the level, or if the options choose an asset.
    pub fn listed_level(&self, asset: &dyn Asset) -> anyhow::Result<Option<usize>> {
        match (self.lod, self.asset) {
            (Some(ChosenPart::Level(number)), None) => level_index(asset, number).map(Some),
            (None, None) => Ok(None),
            (lod, _) => {
                let option = if lod.is_some() { "--lod physics" } else { "--asset" };
                Err(UsageError(format!("{option}: applies to Second Life meshes only; leave it out")).into())
            }
        }
    }

    fn asset_part(&self) -> Option<AssetPart> {
        self.lod.map(|part| match part {
            ChosenPart::Level(number) => number.lod().part(),
            ChosenPart::Physics => AssetPart::PhysicsMesh,
        })
    }

    /// Returns whether the options choose the highest level of detail of the first asset, which is
    /// the default.
    pub fn is_default(&self) -> bool {
        self.lod.is_none() && self.asset.unwrap_or_default() == 0
    }

    fn part(&self, has: impl Fn(AssetPart) -> bool) -> AssetPart {
        // `physics_shape` is the older name of the block `physics_mesh`.
        let is_older = !has(AssetPart::PhysicsMesh) && has(AssetPart::PhysicsShape);
        match self.asset_part() {
            None => Lod::High.nearest(|lod| has(lod.part())).unwrap_or(Lod::High).part(),
            Some(AssetPart::PhysicsMesh) if is_older => AssetPart::PhysicsShape,
            Some(part) => part,
        }
    }
}
