//! The options that turn and scale a mesh, because its format or its author does not say which axis
//! is up or how long a unit is.

use clap::Args;
use clap::builder::TypedValueParser;

use crate::Geometry;
use crate::model::animation::Affine;
use crate::model::{Asset, Axis};
use crate::program::args::named_values;
use crate::program::outcome::UsageError;
use crate::scene::Adjustment;

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
