//! Figures: what one competitor and meshpeek took for the same question, a line of JSON each.

use serde::{Deserialize, Serialize};

/// The answer to: how many times as long as meshpeek takes a competitor?
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Figure {
    pub format: String,
    /// What was read, and its size.
    pub mesh: String,
    pub question: String,
    pub competitor: String,
    pub version: String,
    pub ours_s: Spread,
    pub theirs_s: Spread,
    /// Theirs through ours, round by round.
    pub ratio: Spread,
    /// What the median ratio has to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Where the two do not do the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The middle, the smallest and the largest of rounds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Figure {
    /// Makes a figure of seconds, round by round; whose they are is for the caller to say.
    #[must_use]
    pub fn new(ours: &[f64], theirs: &[f64]) -> Self {
        let ratios: Vec<f64> = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect();
        Self { ours_s: Spread::of(ours), theirs_s: Spread::of(theirs), ratio: Spread::of(&ratios), ..Self::default() }
    }

    /// Tells whether the ratio is what it has to be.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.at_least.is_none_or(|bar| self.ratio.median >= bar)
    }
}

impl Spread {
    /// Orders at least one value.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self { median: sorted[sorted.len() / 2], least: sorted[0], most: sorted[sorted.len() - 1] }
    }
}

/// Returns the version of a package that these benches are built with.
#[must_use]
pub fn version(package: &str) -> String {
    let (_, rest) = include_str!("../Cargo.lock").split_once(&format!("name = \"{package}\"\nversion = \"")).unwrap();
    rest.split('"').next().unwrap().into()
}
