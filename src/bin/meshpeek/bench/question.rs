//! The questions, the contestants, and the cost of an answer.

use clap::ValueEnum;

use super::memory::Usage;

/// A question about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchQuestion {
    /// From a closed file to one of which questions can be asked.
    Open,
    /// To position 0 of the first surface that has any.
    FirstVertex,
    /// To all arrays of that surface, decoded.
    OneSurface,
    /// To the positions, and the weights if there are any, of vertices in no order.
    RandomVertices,
    /// To the box around all positions.
    Bounds,
    /// To everything, decoded into lists.
    Everything,
    /// Other vertices in no order, of what is open already.
    RandomAgain,
}

impl BenchQuestion {
    pub const ALL: [Self; 7] = [
        Self::Open,
        Self::FirstVertex,
        Self::OneSurface,
        Self::RandomVertices,
        Self::Bounds,
        Self::Everything,
        Self::RandomAgain,
    ];

    /// Returns the name that JSON has.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::FirstVertex => "first-vertex",
            Self::OneSurface => "one-surface",
            Self::RandomVertices => "random-vertices",
            Self::Bounds => "bounds",
            Self::Everything => "everything",
            Self::RandomAgain => "random-again",
        }
    }

    /// Returns whether it can be asked of a file that is not in the cache.
    pub fn is_cold(self) -> bool {
        self != Self::RandomAgain
    }

    /// Returns what people read.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::FirstVertex => "open, first vertex",
            Self::OneSurface => "open, one whole surface decoded",
            Self::RandomVertices => "open, 10,000 random vertices",
            Self::Bounds => "open, bounds of all positions",
            Self::Everything => "open, everything decoded to lists",
            Self::RandomAgain => "10,000 more, all open already",
        }
    }
}

/// A loader that answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Contestant {
    Meshpeek,
    Copying,
}

impl Contestant {
    pub const fn id(self) -> &'static str {
        match self {
            Self::Meshpeek => "meshpeek",
            Self::Copying => "copying",
        }
    }
}

/// An answer and its cost.
pub struct Response {
    pub seconds: f64,
    pub usage: Usage,
    /// A hash of the answer.
    pub digest: u64,
}
