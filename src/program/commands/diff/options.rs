//! What the command compares, and when two values count as equal.

use clap::{Args, ValueEnum};

use crate::program::args::parse_number;
use crate::program::formats::{LodFilter, filter_parser};

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffKind {
    /// Numbers of surfaces, vertices, triangles, bones, clips, levels of detail and shapes
    Counts,
    /// Names, materials, parents of bones, frames and rates of clips, metadata
    Names,
    /// Bounding boxes and spheres
    Bounds,
    /// Values of the arrays of surfaces and collision shapes
    Attributes,
    /// Rest transforms, poses of clips, and vertex frames
    Animations,
    /// Findings that only one of the files has
    Findings,
    /// Formats, versions, and bytes of the regions that `map` lists; only if chosen
    Bytes,
}

/// The order in which the values of two surfaces are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ItemOrder {
    /// Vertex by vertex, as the arrays are stored; the default for two files of one format
    Vertex,
    /// Corner by corner of the triangles, through the indices; the default for two formats
    Corner,
}

/// The options of a comparison.
#[derive(Clone, Debug, Args)]
pub struct DiffOptions {
    #[command(flatten)]
    pub tolerance: Tolerance,
    /// Kinds of differences to search; all but bytes by default
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',')]
    pub only: Vec<DiffKind>,
    /// Also compare formats, versions, and the bytes of the regions that `map` lists
    #[arg(long)]
    pub bytes: bool,
    /// Print one line if the meshes differ, and stop at the first difference
    #[arg(long)]
    pub brief: bool,
    /// Order in which the values of two surfaces are paired
    #[arg(long = "by", value_enum, value_name = "ORDER")]
    pub order: Option<ItemOrder>,
    /// Level of detail to compare; all by default, and `none` inflates no level
    #[arg(long, value_parser = filter_parser(), default_value = "all", help_heading = "Second Life meshes")]
    pub lod: LodFilter,
    /// Number of the only asset of an .slm container to compare, from 0
    #[arg(long, value_name = "N", help_heading = "Second Life meshes")]
    pub asset: Option<usize>,
    // The number of differences of one kind that are listed.
    #[arg(skip)]
    pub max_listed: u64,
}

impl DiffOptions {
    /// Returns whether differences of a kind are searched.
    pub fn wants(&self, kind: DiffKind) -> bool {
        match kind {
            DiffKind::Bytes if self.bytes => true,
            DiffKind::Bytes => self.only.contains(&kind),
            _ => self.only.is_empty() || self.only.contains(&kind),
        }
    }
}

/// The greatest difference between two floats that count as equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
pub struct Tolerance {
    /// Greatest absolute difference of two floats that count as equal
    #[arg(long = "epsilon", value_name = "E", default_value = "0", value_parser = parse_tolerance)]
    pub absolute: f64,
    /// Greatest difference of two floats that count as equal, relative to the greater magnitude
    #[arg(long, value_name = "R", default_value = "0", value_parser = parse_tolerance)]
    pub relative: f64,
}

/// Parses a number that is not negative.
fn parse_tolerance(text: &str) -> Result<f64, String> {
    parse_number(text, |number: &f64| number.is_finite() && *number >= 0.0, "expected a finite number, 0 or more")
}

impl Tolerance {
    /// Returns the difference of two numbers, or `None` if they count as equal.
    ///
    /// Negative zero is equal to zero, and NaN is equal to NaN. The difference of NaN and a number
    /// is infinite.
    pub fn difference(&self, a: f64, b: f64) -> Option<f64> {
        #[allow(clippy::float_cmp, reason = "equal numbers are equal with any tolerance")]
        let is_same = a == b || a.is_nan() && b.is_nan();
        if is_same {
            return None;
        }
        let difference = (a - b).abs();
        let allowed = self.absolute.max(self.relative * a.abs().max(b.abs()));
        match difference.is_finite() {
            true if difference <= allowed => None,
            true => Some(difference),
            false => Some(f64::INFINITY),
        }
    }

    /// Returns the greatest difference between the numbers of two lists, or `None` if all of them
    /// count as equal.
    pub fn greatest(&self, a: &[f64], b: &[f64]) -> Option<f64> {
        let differences = a.iter().zip(b).filter_map(|(a, b)| self.difference(*a, *b));
        let unpaired = (a.len() != b.len()).then_some(f64::INFINITY);
        differences.chain(unpaired).reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_every_kind_of_float() {
        let exact = Tolerance::default();
        assert_eq!(exact.difference(-0.0, 0.0), None);
        assert_eq!(exact.difference(f64::NAN, -f64::NAN), None);
        assert_eq!(exact.difference(f64::INFINITY, f64::INFINITY), None);
        assert_eq!(exact.difference(1.0, 1.5), Some(0.5));
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let wide = Tolerance { absolute: 1e300, relative: 1.0 };
            assert_eq!(wide.difference(odd, 1.0), Some(f64::INFINITY));
        }
        assert_eq!(Tolerance { absolute: 0.5, relative: 0.0 }.difference(1.0, 1.5), None);
        assert_eq!(Tolerance { absolute: 0.0, relative: 0.01 }.difference(1000.0, 1009.0), None);
        assert_eq!(Tolerance { absolute: 0.0, relative: 0.01 }.difference(1000.0, 1020.0), Some(20.0));
        assert_eq!(exact.greatest(&[0.0, 1.0, 2.0], &[0.0, 3.0, 1.0]), Some(2.0));
        assert_eq!(exact.greatest(&[0.0], &[0.0, 3.0]), Some(f64::INFINITY));
    }
}
