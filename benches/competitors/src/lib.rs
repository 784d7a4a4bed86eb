//! Figures: the times of one competitor and of meshpeek for the same question, one line of JSON
//! each.

pub mod processor;

use serde::{Deserialize, Serialize};

/// A comparison: how many times longer than meshpeek a competitor takes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Figure {
    pub format: String,
    /// The mesh that was read, and its size.
    pub mesh: String,
    pub question: String,
    pub competitor: String,
    pub version: String,
    pub ours_s: Spread,
    pub theirs_s: Spread,
    /// The time of the competitor divided by the time of meshpeek, round by round.
    pub ratio: Spread,
    /// The minimum of the median ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// A note if the two do not do the same work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The median, the minimum and the maximum over the rounds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Figure {
    /// Creates a figure from seconds, round by round. The caller sets the other fields.
    #[must_use]
    pub fn new(ours: &[f64], theirs: &[f64]) -> Self {
        let ratios: Vec<f64> = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect();
        Self { ours_s: Spread::of(ours), theirs_s: Spread::of(theirs), ratio: Spread::of(&ratios), ..Self::default() }
    }

    /// Returns whether the ratio is high enough.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.at_least.is_none_or(|bar| self.ratio.median >= bar)
    }
}

impl Spread {
    /// Returns the spread of the values. There must be at least one value.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self { median: sorted[sorted.len() / 2], least: sorted[0], most: sorted[sorted.len() - 1] }
    }
}

/// Returns the version of a package with which these benches are built.
#[must_use]
pub fn version(package: &str) -> String {
    let (_, rest) = include_str!("../Cargo.lock").split_once(&format!("name = \"{package}\"\nversion = \"")).unwrap();
    rest.split('"').next().unwrap().into()
}
