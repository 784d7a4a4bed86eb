//! Arguments that several verbs take.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The name of standard input and standard output.
pub const STDIN: &str = "-";

/// The heading above the options that every verb takes.
const EVERYWHERE: &str = "Everywhere";

/// The options of every verb.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Print JSON (schema 1, described in the README) on standard output
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// Print neither notes nor progress; validate prints warnings and errors only
    #[arg(short, long, global = true, help_heading = EVERYWHERE)]
    pub quiet: bool,
    /// Print more: every surface and bone, sound files, and what was passed over in folders
    #[arg(short, long, global = true, help_heading = EVERYWHERE, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Read files into memory instead of mapping them
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_mmap: bool,
    /// Ignore the sidecars that index made
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_sidecar: bool,
    /// Refuse what is not exactly as the format says: sizes, indices and prototypes of Unreal meshes, EZ-Mesh blocks with more
    /// numbers than they count
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub strict: bool,
    #[command(flatten)]
    pub unreal: UnrealArgs,
}

/// The options of every verb that concern Unreal's vertex meshes only.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Unreal vertex meshes")]
pub struct UnrealArgs {
    /// The mesh of that name, where a script imports several
    #[arg(long, global = true, value_name = "NAME")]
    pub mesh: Option<String>,
    /// What a byte of texture coordinates is divided by: 255 as most readers do, 256 as the published page says
    #[arg(long, global = true, default_value = "255", value_parser = ["255", "256"], value_name = "N")]
    pub uv_divisor: String,
}

/// Files to read.
#[derive(Clone, Debug, Args)]
pub struct Files {
    /// Files, folders (searched for meshes), globs, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// A file to read.
#[derive(Clone, Debug, Args)]
pub struct OneFile {
    /// A file (of an Unreal mesh either file, its stem or its script), or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// An attribute that `dump` prints.
#[allow(clippy::enum_variant_names, reason = "the names are the command line's")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Attribute {
    Positions,
    Normals,
    Tangents,
    Bitangents,
    Uv0,
    Uv1,
    Uv2,
    Uv3,
    Colors,
    Weights,
    Indices,
    AttributeIndices,
    /// Type byte of each polygon (Unreal)
    Types,
    /// Texture number of each polygon (Unreal)
    Textures,
    /// Unused colour byte of each polygon (Unreal)
    ColorBytes,
    /// Unused flags byte of each polygon (Unreal)
    Flags,
    /// Points of a convex hull, whose number --surface gives (Second Life)
    Hull,
    /// Points of the convex hull around everything (Second Life)
    BoundingHull,
    /// For each triangle, which of its edges stand out: bit k for the one opposite corner k (UNIGINE ms14, ms15)
    Edges,
    /// First corners of triangles, in the order of the tree's leaves (UNIGINE ms14, ms15)
    TreeCorners,
    /// Nodes of the spatial tree: axis, left, right, start, end (UNIGINE ms14, ms15)
    TreeNodes,
    /// Boxes of the nodes: least x, y, z, greatest x, y, z (UNIGINE ms14, ms15)
    TreeBoxes,
    /// Where nodes are split (UNIGINE ms14, ms15)
    TreeSplits,
    /// A distance for each vertex (EZ-Mesh)
    Radius,
    /// What is to be interpolated, as all to interp8 (EZ-Mesh)
    Interp1,
    Interp2,
    Interp3,
    Interp4,
    Interp5,
    Interp6,
    Interp7,
    Interp8,
}

impl Attribute {
    /// Returns whether each morph target has its own.
    pub const fn has_targets(self) -> bool {
        matches!(self, Self::Positions | Self::Normals | Self::Tangents | Self::Bitangents)
    }

    /// Returns the number, from 0, of an attribute that is to be interpolated.
    pub const fn interp(self) -> Option<u8> {
        Some(match self {
            Self::Interp1 => 0,
            Self::Interp2 => 1,
            Self::Interp3 => 2,
            Self::Interp4 => 3,
            Self::Interp5 => 4,
            Self::Interp6 => 5,
            Self::Interp7 => 6,
            Self::Interp8 => 7,
            _ => return None,
        })
    }

    /// Returns the name that the command line has for it.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Parses a frame number, which may lie between two whole frames.
pub fn parse_frame(text: &str) -> Result<f32, String> {
    let frame: f32 = text.parse().map_err(|error| format!("{error}"))?;
    if frame.is_finite() && frame >= 0.0 { Ok(frame) } else { Err("expected 0 or more".to_owned()) }
}
