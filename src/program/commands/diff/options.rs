//! What the command compares, and when two values count as equal.

use clap::ValueEnum;

use super::tolerance::Tolerance;
use crate::program::formats::level_args::LodFilter;

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
#[derive(Clone, Debug)]
pub struct DiffOptions {
    pub tolerance: Tolerance,
    /// The kinds of `--only`, or an empty list.
    pub only: Vec<DiffKind>,
    /// Whether `--bytes` was given.
    pub bytes: bool,
    pub order: Option<ItemOrder>,
    pub lod: LodFilter,
    pub asset: Option<usize>,
    /// Whether the comparison ends at the first difference.
    pub is_brief: bool,
    /// The number of differences of one kind that are listed.
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
