//! The command line options that choose levels of detail, and assets of containers.

use std::ffi::OsStr;
use std::fmt;

use crate::model::{Asset, Lod, MaybeOwned};
use crate::{Geometry, Model};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use crate::program::args::{first_set, named_values, possible_values};
use crate::program::outcome::usage;

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

/// The number of a level of detail. Named levels have the numbers from 0, for the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelNumber(pub u32);

impl LevelNumber {
    /// Returns the named level of detail, or the lowest level for a greater number.
    pub fn lod(self) -> Lod {
        self.named().unwrap_or(Lod::Lowest)
    }

    /// Returns whether this is the number of a level of an asset, whose name is `name`.
    pub fn has_name(self, name: &[u8]) -> bool {
        self.named().is_some_and(|lod| name == lod.key().as_bytes()) || name == format!("lod {}", self.0).as_bytes()
    }

    /// Returns the level of detail with this number, if it has a name.
    fn named(self) -> Option<Lod> {
        Lod::ALL.into_iter().find(|lod| lod.number() == self.0)
    }
}

impl fmt::Display for LevelNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.named() {
            Some(lod) => out.write_str(lod.name()),
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

/// Parses the name or the number of a named level of detail.
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
        if asset.level_number(level)? == Some(number.0) {
            return Ok(level);
        }
        names.push(name.to_string());
    }
    if names.is_empty() {
        usage!("--lod: the mesh has no levels of detail; leave it out");
    }
    let has_keys = names.iter().any(|name| Lod::ALL.iter().any(|lod| lod.key() == name));
    let level = match number.named().filter(|_| has_keys) {
        None if number.0 == 0 => return Ok(0),
        None => format!("lod {}", number.0),
        Some(lod) => lod.key().to_owned(),
    };
    usage!("--lod: the mesh has no {level}; it has {}", names.join(", "))
}

/// Returns the index of the level of detail that is shown if a mesh may lack the level `number`:
/// the least detailed one whose number is not greater.
pub fn nearest_level(asset: &dyn Asset, number: LevelNumber) -> crate::Result<usize> {
    let mut nearest = 0;
    for level in 0..asset.level_count()? {
        if asset.level_number(level)?.is_some_and(|own| own <= number.0) {
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
        first_set(&[(self.lod.is_some(), "--lod"), (self.asset.is_some(), "--asset")])
    }

    /// Returns the name of the block of the chosen level of detail, such as `high_lod`. Returns
    /// `None` if the command line chooses no level of detail.
    pub fn key(&self) -> Option<&'static str> {
        self.lod.map(|part| match part {
            ChosenPart::Level(number) => number.lod().key(),
            ChosenPart::Physics => "physics_mesh",
        })
    }

    /// Returns the geometry of the chosen level of detail, or the whole mesh of a file whose assets
    /// are not made of blocks.
    ///
    /// # Errors
    ///
    /// Returns an error if the asset does not have the chosen level of detail, or if the options
    /// are set for another format.
    pub fn geometry<'a, D: AsRef<[u8]> + Send + Sync>(
        &self,
        model: &'a Model<D>,
    ) -> anyhow::Result<MaybeOwned<'a, dyn Geometry + 'a>> {
        let Some(blocks) = model.file().blocks() else {
            let Some(option) = self.first_option() else { return Ok(MaybeOwned::Borrowed(model.geometry())) };
            usage!("{option}: applies to Second Life meshes only; leave it out");
        };
        let asset = blocks.opened();
        Ok(match self.lod {
            Some(ChosenPart::Level(number)) if number.named().is_none() => {
                usage!("--lod {number}: a Second Life mesh has at most the levels 0 to 3; give one of them");
            }
            Some(ChosenPart::Level(number)) => asset.lod(number.named())?,
            Some(ChosenPart::Physics) => asset.collision_block()?,
            None => asset.lod(None)?,
        })
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
                usage!("{option}: applies to Second Life meshes only; leave it out")
            }
        }
    }

    /// Returns whether the options choose the highest level of detail of the first asset, which is
    /// the default.
    pub fn is_default(&self) -> bool {
        self.lod.is_none() && self.asset.unwrap_or_default() == 0
    }
}
