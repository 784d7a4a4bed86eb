//! The command line options of each type of query, and a parser for batch files with one query per
//! line.

// Rule: this file makes text of copies only.

use std::path::{Path, PathBuf};

use crate::io::{open_stream, read_up_to};
use crate::query::{Frustum, Ray};
use crate::{Bounds, Limits};
use clap::Args;

use super::answer::{Question, RayMode};
use crate::program::args::{FrameIndex, STDIN, parse_frame_index, parse_number};
use crate::program::formats::{AdjustArgs, LevelArgs, Selector};
use crate::program::outcome::UsageError;
use crate::program::output::shown;

/// The options of every kind of query.
#[derive(Clone, Debug, Args)]
pub struct SharedArgs {
    /// A file, if it is not given before the kind of query
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Number of the surface to query, from 0, or its name; by default all surfaces, and for vertex
    /// the first one
    #[arg(long, value_name = "N")]
    pub surface: Option<Selector>,
    /// Frame at which to query the surfaces: a vertex frame, or a frame of a bone animation
    ///
    /// Between two whole frames, the shape is interpolated. Example: --frame 2.5
    #[arg(long, value_name = "N", value_parser = parse_frame_index, allow_negative_numbers = true)]
    pub frame: Option<FrameIndex>,
    /// Number of the animation that --frame refers to, from 0, or its name
    ///
    /// By default, --frame refers to the first bone animation, or to all vertex frames.
    #[arg(long, value_name = "N")]
    pub clip: Option<Selector>,
    /// Query the mesh where pictures and exports show it, and not where its positions are stored
    ///
    /// The script of an Unreal mesh scales, turns and moves it. A rigged Second Life mesh is on the
    /// joints of the avatar, and another one at the first instance of its container. Coordinates
    /// keep the axes of the file.
    #[arg(long)]
    pub placed: bool,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub adjust: AdjustArgs,
}

/// Options of `ray`.
#[derive(Clone, Debug, Args)]
pub struct RayArgs {
    /// Point at which the ray starts
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true,
        required_unless_present = "batch")]
    from: Option<[f32; 3]>,
    /// Point that the ray passes through; t is 1 there
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true,
        required_unless_present_any = ["batch", "direction"], conflicts_with = "direction")]
    toward: Option<[f32; 3]>,
    /// Direction of the ray, instead of a point; t counts multiples of its length
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    direction: Option<[f32; 3]>,
    /// Print every hit, the nearest first
    #[arg(long, conflicts_with = "any")]
    pub all: bool,
    /// Print only whether anything is hit
    #[arg(long, conflicts_with = "attributes")]
    any: bool,
    /// Greatest distance from the start, in the units of the file
    #[arg(long, value_name = "D", value_parser = distance, allow_hyphen_values = true)]
    limit: Option<f32>,
    /// Also print the normal, texture coordinates, colour and weights at each hit
    #[arg(long)]
    pub attributes: bool,
    /// Cast one ray for each line of a file, or of standard input if FILE is -
    ///
    /// A line has six numbers: the start, and a point that the ray passes through. Empty lines and
    /// lines that begin with # are ignored.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "toward", "direction"])]
    pub batch: Option<PathBuf>,
    #[command(flatten)]
    pub shared: SharedArgs,
}

/// Options of `nearest`.
#[derive(Clone, Debug, Args)]
pub struct NearestArgs {
    /// Point from which to search
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true,
        required_unless_present = "batch")]
    point: Option<[f32; 3]>,
    /// Greatest distance from the point, in the units of the file
    #[arg(long, value_name = "D", value_parser = distance, allow_hyphen_values = true)]
    limit: Option<f32>,
    /// Also print the normal, texture coordinates, colour and weights at the nearest point
    #[arg(long)]
    pub attributes: bool,
    /// Query one point for each line of a file, or of standard input if FILE is -
    ///
    /// A line has three numbers. Empty lines and lines that begin with # are ignored.
    #[arg(long, value_name = "FILE", conflicts_with = "point")]
    pub batch: Option<PathBuf>,
    #[command(flatten)]
    pub shared: SharedArgs,
}

/// Options of `overlap`.
#[derive(Clone, Debug, Args)]
pub struct OverlapArgs {
    /// Minimum corner of a box
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true, requires = "max",
        required_unless_present_any = ["batch", "frustum", "planes"])]
    min: Option<[f32; 3]>,
    /// Maximum corner of the box
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true, requires = "min")]
    max: Option<[f32; 3]>,
    /// View frustum of a camera, as the 16 numbers of a matrix from the units of the file to clip
    /// space
    ///
    /// The matrix is given by columns. The depth of clip space starts at 0.
    #[arg(long, value_name = "MATRIX", value_parser = numbers::<16>, allow_hyphen_values = true,
        conflicts_with_all = ["min", "max", "planes"])]
    frustum: Option<[f32; 16]>,
    /// Region inside six planes, as 24 numbers: a, b, c and d of each plane
    ///
    /// A point is inside a plane if ax + by + cz + d is 0 or greater. Set the numbers of unused
    /// planes to 0.
    #[arg(long, value_name = "PLANES", value_parser = numbers::<24>, allow_hyphen_values = true,
        conflicts_with_all = ["min", "max"])]
    planes: Option<[f32; 24]>,
    /// Query one box for each line of a file, or of standard input if FILE is -
    ///
    /// A line has six numbers: the minimum and the maximum corner. Empty lines and lines that begin
    /// with # are ignored.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["min", "max", "frustum", "planes"])]
    pub batch: Option<PathBuf>,
    #[command(flatten)]
    pub shared: SharedArgs,
}

/// Options of `vertex`.
#[derive(Clone, Debug, Args)]
pub struct VertexArgs {
    /// Number of the vertex in its surface, from 0
    #[arg(long, value_name = "N")]
    pub vertex: u32,
    #[command(flatten)]
    pub shared: SharedArgs,
}

/// Parses `N` finite numbers that are separated by commas or spaces.
fn numbers<const N: usize>(text: &str) -> Result<[f32; N], String> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    let all = words.map(|word| {
        let number = word.parse::<f32>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| format!("expected {N} finite numbers, found {word:?}"))
    });
    let all: Vec<f32> = all.collect::<Result<_, _>>()?;
    let count = all.len();
    all.try_into().map_err(|_| format!("expected {N} numbers, found {count}"))
}

/// Returns an error if a ray has no direction.
fn check_ray(ray: Ray) -> Result<Ray, &'static str> {
    if !ray.direction.iter().all(|part| part.is_finite()) {
        return Err("expected a ray whose direction is finite, found two points that are too far apart");
    }
    if ray.direction.iter().all(|part| *part == 0.0) {
        return Err("expected a ray with a direction, found one of length 0");
    }
    Ok(ray)
}

/// Returns an error if the minimum of a box is above its maximum on an axis.
fn check_box(bounds: Bounds) -> Result<Bounds, String> {
    let axes = ["x", "y", "z"].into_iter().zip(bounds.min.into_iter().zip(bounds.max));
    let mut inverted = axes.filter(|(_, (min, max))| min > max);
    inverted.next().map_or(Ok(bounds), |(axis, (min, max))| {
        Err(format!("expected a minimum of at most the maximum, found {axis} from {min:?} to {max:?}"))
    })
}

fn distance(text: &str) -> Result<f32, String> {
    parse_number(text, |distance| *distance >= 0.0, "expected 0 or more")
}

/// Reads a batch of queries from a file. Each line that is neither empty nor a comment contains the
/// `N` numbers of one query.
fn batch<const N: usize, T>(path: &Path, question: impl Fn([f32; N]) -> Result<T, String>) -> anyhow::Result<Vec<T>> {
    let limit = Limits::default().stream;
    let read = if path == Path::new(STDIN) {
        read_up_to(std::io::stdin().lock(), 0, limit)
    } else {
        open_stream(path).and_then(|file| read_up_to(file, 0, limit))
    };
    let bytes = read.map_err(|error| error.at_path(path))?;
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line)).zip(1_usize..);
    let lines = lines.filter(|(line, _)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let questions = lines.map(|(line, number)| {
        let found = numbers(&line).and_then(&question);
        found.map_err(|why| UsageError(format!("{}: line {number}: {why}", shown(path))).into())
    });
    questions.collect()
}

impl RayArgs {
    pub fn questions(&self) -> anyhow::Result<Vec<Question>> {
        if let Some(path) = &self.batch {
            return batch(path, |[x, y, z, to_x, to_y, to_z]: [f32; 6]| {
                Ok(self.question(check_ray(Ray::toward([x, y, z], [to_x, to_y, to_z]))?))
            });
        }
        let from = self.from.unwrap_or_default();
        let (ray, advice) = match self.direction {
            Some(direction) => (Ray::new(from, direction), "--direction: give a vector such as 0,0,-1"),
            None => (
                Ray::toward(from, self.toward.unwrap_or_default()),
                "--toward: give another point, at most 3e38 from --from",
            ),
        };
        let ray = check_ray(ray).map_err(|why| UsageError(format!("{why}; {advice}")))?;
        Ok(vec![self.question(ray)])
    }

    fn question(&self, ray: Ray) -> Question {
        let want = match (self.all, self.any) {
            (true, _) => RayMode::All,
            (_, true) => RayMode::Any,
            _ => RayMode::First,
        };
        Question::Ray(self.limit.map_or(ray, |limit| ray.within([0.0, lengths(limit, ray.direction)])), want)
    }
}

/// Returns a distance divided by the length of a direction vector, rounded up to the next `f32`.
fn lengths(distance: f32, direction: [f32; 3]) -> f32 {
    let length = direction.iter().map(|part| f64::from(*part) * f64::from(*part)).sum::<f64>().sqrt();
    let exact = f64::from(distance) / length;
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounded up below")]
    let nearest = exact as f32;
    if f64::from(nearest) < exact { nearest.next_up() } else { nearest }
}

impl NearestArgs {
    pub fn questions(&self) -> anyhow::Result<Vec<Question>> {
        let limit = self.limit.unwrap_or(f32::INFINITY);
        match &self.batch {
            Some(path) => batch(path, |point| Ok(Question::Nearest(point, limit))),
            None => Ok(vec![Question::Nearest(self.point.unwrap_or_default(), limit)]),
        }
    }
}

impl OverlapArgs {
    pub fn questions(&self) -> anyhow::Result<Vec<Question>> {
        if let Some(path) = &self.batch {
            return batch(path, |[x, y, z, to_x, to_y, to_z]: [f32; 6]| {
                check_box(Bounds { min: [x, y, z], max: [to_x, to_y, to_z] }).map(Question::Box)
            });
        }
        let question = if let Some(matrix) = &self.frustum {
            let (columns, _) = matrix.as_chunks::<4>();
            Question::Frustum(Frustum::from_matrix(&std::array::from_fn(|column| row(columns, column))))
        } else if let Some(planes) = &self.planes {
            let (planes, _) = planes.as_chunks::<4>();
            Question::Frustum(Frustum::from_planes(std::array::from_fn(|plane| row(planes, plane))))
        } else {
            let corners = Bounds { min: self.min.unwrap_or_default(), max: self.max.unwrap_or_default() };
            let advice = "--min, --max: exchange the two numbers";
            Question::Box(check_box(corners).map_err(|why| UsageError(format!("{why}; {advice}")))?)
        };
        Ok(vec![question])
    }
}

/// Returns row `index` of a matrix or of a list of planes. If `index` is out of range, returns a
/// row of four zeros.
fn row(rows: &[[f32; 4]], index: usize) -> [f32; 4] {
    rows.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers() {
        assert_eq!(numbers("-1,2.5 , 3e2"), Ok([-1.0, 2.5, 300.0]));
        assert_eq!(numbers("1 2\t3"), Ok([1.0, 2.0, 3.0]));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,x", "1,2,inf", "1,2,NaN", "1,2,1e99"] {
            assert!(numbers::<3>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "these are exact")]
    fn counts_lengths_of_a_direction() {
        assert_eq!(lengths(10.0, [0.0, 3.0, 4.0]), 2.0);
        assert_eq!(lengths(f32::INFINITY, [0.0, 3.0, 4.0]), f32::INFINITY);
        assert!(f64::from(lengths(1.0, [3.0, 0.0, 0.0])) >= 1.0 / 3.0);
        assert!(lengths(0.0, [0.0; 3]).is_nan());
    }
}
