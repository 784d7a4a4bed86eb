//! The command line options that choose levels of detail and assets of containers, and those that
//! turn and scale a mesh, because its format or its author does not say which axis is up or how
//! long a unit is.

use std::ffi::OsStr;
use std::fmt;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use crate::model::animation::Affine;
use crate::model::{Asset, Axis, Lod, MaybeOwned};
use crate::program::args::{first_set, named_values, possible_values};
use crate::program::outcome::{UsageError, usage};
use crate::scene::Adjustment;
use crate::{Geometry, Model};

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

/// The scales that are accepted, without their sign.
const SCALES: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// The options that turn and scale a mesh.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Axes and size")]
pub struct AdjustArgs {
    /// Axis of the mesh that points up, such as z, if it is not the one that the format defines;
    /// it is y for most Unreal characters without a script
    #[arg(long, value_name = "AXIS", value_parser = axis_parser(), allow_hyphen_values = true)]
    up: Option<Axis>,
    /// Axis of the mesh that points to its front
    #[arg(long, value_name = "AXIS", value_parser = axis_parser(), allow_hyphen_values = true)]
    front: Option<Axis>,
    /// Turn the mesh around an axis of the file, such as x:90, which turns y to z; several turns
    /// are separated by commas and follow one another
    #[arg(long = "rotate", value_name = "AXIS:DEGREES,..", value_parser = parse_turn, value_delimiter = ',',
        allow_hyphen_values = true)]
    turns: Vec<AxisTurn>,
    /// Factor of all lengths, such as 0.01 for centimetres or 0.019 for Unreal units; a negative
    /// one mirrors the mesh
    #[arg(long, value_name = "N", value_parser = parse_scale, allow_hyphen_values = true)]
    scale: Option<f64>,
}

/// A turn around an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AxisTurn {
    axis: Axis,
    degrees: f64,
}

fn axis_parser() -> impl TypedValueParser<Value = Axis> {
    named_values(vec![
        (Axis::X, "x", "The direction in which x grows"),
        (Axis::Y, "y", "The direction in which y grows"),
        (Axis::Z, "z", "The direction in which z grows"),
        (Axis::NegativeX, "-x", "The direction in which x decreases"),
        (Axis::NegativeY, "-y", "The direction in which y decreases"),
        (Axis::NegativeZ, "-z", "The direction in which z decreases"),
    ])
}

fn parse_turn(text: &str) -> Result<AxisTurn, String> {
    let expected = || "expected an axis and degrees, such as x:90 or z:-45".to_owned();
    let (axis, degrees) = text.split_once(':').ok_or_else(expected)?;
    let axis = match axis {
        "x" => Axis::X,
        "y" => Axis::Y,
        "z" => Axis::Z,
        _ => return Err(expected()),
    };
    let degrees = degrees.parse().ok().filter(|degrees: &f64| degrees.is_finite()).ok_or_else(expected)?;
    Ok(AxisTurn { axis, degrees })
}

fn parse_scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale: &f64| SCALES.contains(&scale.abs()));
    scale.ok_or_else(|| format!("expected a number of {} to {}, or a negative one", SCALES.start(), SCALES.end()))
}

impl AxisTurn {
    fn map(self) -> Affine {
        // The quarter turns are exact.
        let quarters = self.degrees / 90.0;
        let (sine, cosine) = match quarters.rem_euclid(4.0) {
            0.0 => (0.0, 1.0),
            1.0 => (1.0, 0.0),
            2.0 => (0.0, -1.0),
            3.0 => (-1.0, 0.0),
            _ => self.degrees.to_radians().sin_cos(),
        };
        let minus = 0.0 - sine;
        let [x, y, z] = match self.axis {
            Axis::X | Axis::NegativeX => [[1.0, 0.0, 0.0], [0.0, cosine, sine], [0.0, minus, cosine]],
            Axis::Y | Axis::NegativeY => [[cosine, 0.0, minus], [0.0, 1.0, 0.0], [sine, 0.0, cosine]],
            Axis::Z | Axis::NegativeZ => [[cosine, sine, 0.0], [minus, cosine, 0.0], [0.0, 0.0, 1.0]],
        };
        Affine::new([x, y, z, [0.0; 3]])
    }
}

impl AdjustArgs {
    fn chosen(&self) -> Adjustment {
        let turned = self.turns.iter().fold(Affine::IDENTITY, |map, turn| map.then(&turn.map()));
        let scale = self.scale.unwrap_or(1.0);
        let scaled = Affine::new([[scale, 0.0, 0.0], [0.0, scale, 0.0], [0.0, 0.0, scale], [0.0; 3]]);
        Adjustment { up: self.up, front: self.front, then: turned.then(&scaled) }
    }

    /// Returns the turn and the scale of an asset.
    pub fn adjustment(&self, asset: &dyn Asset) -> Result<Adjustment, UsageError> {
        // Only a front can be wrong for the up axis of the asset.
        if self.front.is_some()
            && let Ok(geometry) = asset.level(0)
        {
            self.map(&*geometry)?;
        }
        Ok(self.chosen())
    }

    /// Returns the map of the placed positions of a mesh.
    pub fn map(&self, geometry: &dyn Geometry) -> Result<Affine, UsageError> {
        self.chosen().map(geometry).map_err(|_| {
            let text = "--front: expected an axis that is perpendicular to the up axis; give both --up and --front";
            UsageError(text.to_owned())
        })
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the values are exact")]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_the_right_hand() {
        let turned = |text: &str, point| parse_turn(text).unwrap().map().apply(point);
        assert_eq!(turned("x:90", [1.0, 2.0, 3.0]), [1.0, -3.0, 2.0]);
        assert_eq!(turned("y:90", [1.0, 2.0, 3.0]), [3.0, 2.0, -1.0]);
        assert_eq!(turned("z:90", [1.0, 2.0, 3.0]), [-2.0, 1.0, 3.0]);
        assert_eq!(turned("z:-450", [1.0, 2.0, 3.0]), [2.0, -1.0, 3.0]);
        let [x, y, z] = turned("z:30", [2.0, 0.0, 1.0]);
        assert!((x - 3.0_f32.sqrt()).abs() < 1e-6 && (y - 1.0).abs() < 1e-6 && z.to_bits() == 1.0_f32.to_bits());
        for wrong in ["", "x", "90", "w:90", "x:", "x:inf", "x:NaN", "x:90:1", "-x:90"] {
            assert!(parse_turn(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scales_are_finite_and_not_zero() {
        assert_eq!(parse_scale("0.01"), Ok(0.01));
        assert_eq!(parse_scale("-1"), Ok(-1.0));
        for wrong in ["", "0", "inf", "NaN", "1e10", "x"] {
            assert!(parse_scale(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn options_follow_one_another() {
        let turns = ["x:90", "z:90"].map(|text| parse_turn(text).unwrap()).to_vec();
        let args = AdjustArgs { up: None, front: None, turns, scale: Some(2.0) };
        assert_eq!(args.chosen().then.apply([1.0, 2.0, 3.0]), [6.0, 2.0, 4.0]);
    }
}
