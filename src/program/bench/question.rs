//! The queries that the benchmark measures, the contestants that run these queries, and the
//! measured cost of a query.

use clap::ValueEnum;

use super::memory::Usage;
use crate::program::args::value_name;

/// A query of a mesh file whose time and memory the benchmark measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchQuestion {
    /// Opens the file.
    Open,
    /// Opens the file and reads position 0 of the first surface that has a vertex.
    FirstVertex,
    /// Opens the file and decodes all arrays of the first surface that has a vertex.
    OneSurface,
    /// Opens the file and reads the positions of vertices in random order. If the vertices have
    /// weights, the weights are also read.
    RandomVertices,
    /// Opens the file and computes the bounding box of all positions.
    Bounds,
    /// Opens the file and decodes all its arrays into lists.
    Everything,
    /// Reads other vertices in random order, ten times as many, from arrays that the program has
    /// found or decoded already.
    RandomAgain,
}

impl BenchQuestion {
    /// Returns the name of the benchmark query in the JSON output.
    pub fn id(self) -> String {
        value_name(&self)
    }

    /// Returns whether the benchmark query can be measured with a file that is not in the page
    /// cache.
    pub fn is_cold(self) -> bool {
        self != Self::RandomAgain
    }

    /// Returns the title of the benchmark query that is shown to users.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::FirstVertex => "open, first vertex",
            Self::OneSurface => "open, one whole surface decoded",
            Self::RandomVertices => "open, 10,000 random vertices",
            Self::Bounds => "open, bounds of all positions",
            Self::Everything => "open, everything decoded to lists",
            Self::RandomAgain => "100,000 more, all open already",
        }
    }
}

/// One of the contestants that answer questions: meshpeek or one of its two rivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Contestant {
    Meshpeek,
    /// The loader that reads the whole file into memory, and decodes all arrays into lists.
    Copying,
    /// The loader that reads each array from the file into its list.
    Reading,
}

impl Contestant {
    pub const ALL: [Self; 3] = [Self::Meshpeek, Self::Copying, Self::Reading];
    pub const RIVALS: [Self; 2] = [Self::Copying, Self::Reading];

    pub fn id(self) -> String {
        value_name(&self)
    }

    /// Returns the name of the contestant that is shown to users.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Meshpeek => "meshpeek",
            Self::Copying => "copying loader",
            Self::Reading => "reading loader",
        }
    }
}

/// The result of a benchmark query in a child process: the measured time, the measured resource
/// usage and a hash of the result.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub seconds: f64,
    pub usage: Usage,
    /// A hash of the result of the query, to compare the results of the contestants.
    pub digest: u64,
}
