//! The columns of a row about a mesh or a surface, and their values. `ls` prints them, and
//! conditions name them.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

use crate::Name;
use crate::program::output::thousands;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum TableColumn {
    /// Path of the file
    Path,
    /// Name of the mesh in its Unreal script
    Mesh,
    /// Kind of the file: mesh, animation or scene
    Kind,
    /// Format: unigine, unreal, secondlife or ezmesh
    Format,
    /// Version of the format
    Version,
    /// Size of the files in bytes
    #[value(alias = "size")]
    Bytes,
    /// Number of triangles
    Triangles,
    /// Number of positions
    Vertices,
    /// Number of attribute vertices
    AttributeVertices,
    /// Number of vertices on a GPU
    #[value(alias = "gpu")]
    GpuVertices,
    /// Size of the vertices and indices on a GPU in bytes
    GpuBytes,
    /// Number of surfaces
    Surfaces,
    /// Number of bones
    Bones,
    /// Whether the mesh has bones, and weights that attach vertices to them
    Rigged,
    /// Number of clips (animations)
    Clips,
    /// Names of the clips
    ClipNames,
    /// Number of vertex frames, or of frames of all clips together
    Frames,
    /// Length of the longest clip in seconds
    Seconds,
    /// Number of levels of detail
    Lods,
    /// Names of the materials
    Materials,
    /// Extent along x
    SizeX,
    /// Extent along y
    SizeY,
    /// Extent along z
    SizeZ,
    /// Number of findings of severity warning or error, as `validate` reports
    Findings,
    /// Number of findings of severity error
    Errors,
    /// Number of findings of severity warning
    Warnings,
    /// Whether the file could be read
    Readable,
    /// Hash of the content of the files
    Content,
    /// Hash of the triangles, without the positions of the vertices
    Topology,
    /// Path of the first file with the same content or topology (--duplicates)
    DuplicateOf,
    /// Index of the asset in an .slm container (--surfaces)
    Asset,
    /// Index of the surface (--surfaces)
    Surface,
    /// Name of the surface (--surfaces)
    Name,
    /// Material of the surface (--surfaces)
    Material,
    /// Level of detail of the surface: its number, or the name of a level of Second Life,
    /// such as `high_lod`, which is equal to 0 (--surfaces)
    Lod,
    /// Number of UV sets of the surface (--surfaces)
    UvSets,
    /// Whether the surface has bone weights (--surfaces)
    Weights,
    /// Whether the surface is drawn (--surfaces)
    Drawn,
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    Number,
    Bytes,
    Flag,
    List,
    /// A level of detail: a number or a name.
    Level,
}

/// A value of the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Text(String),
    Number(u64),
    Float(f32),
    Flag(bool),
    List(Vec<String>),
}

impl Cell {
    /// Returns the value for people.
    pub fn in_words(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Text(text) => format!("'{}'", Name::new(text.as_bytes())),
            Self::Number(number) => thousands(*number),
            Self::Float(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::List(list) => format!("'{}'", Name::new(list.join(", ").as_bytes())),
        }
    }
}

/// The columns of a table of meshes, if none are chosen.
pub const MESH_COLUMNS: [TableColumn; 8] = [
    TableColumn::Path,
    TableColumn::Format,
    TableColumn::Triangles,
    TableColumn::GpuVertices,
    TableColumn::Bones,
    TableColumn::Clips,
    TableColumn::Lods,
    TableColumn::Bytes,
];

/// The columns of a table of surfaces, if none are chosen.
pub const SURFACE_COLUMNS: [TableColumn; 8] = [
    TableColumn::Path,
    TableColumn::Surface,
    TableColumn::Name,
    TableColumn::Material,
    TableColumn::Triangles,
    TableColumn::Vertices,
    TableColumn::GpuVertices,
    TableColumn::GpuBytes,
];

/// The columns that exist only in a table of surfaces.
const ONLY_SURFACES: [TableColumn; 8] = [
    TableColumn::Asset,
    TableColumn::Surface,
    TableColumn::Name,
    TableColumn::Material,
    TableColumn::Lod,
    TableColumn::UvSets,
    TableColumn::Weights,
    TableColumn::Drawn,
];

/// The columns of the whole file, which a table of surfaces repeats for each surface.
const WHOLE_FILE: [TableColumn; 7] = [
    TableColumn::Path,
    TableColumn::Mesh,
    TableColumn::Kind,
    TableColumn::Format,
    TableColumn::Version,
    TableColumn::Readable,
    TableColumn::Bytes,
];

impl TableColumn {
    /// Returns the type of the values.
    pub const fn kind(self) -> ColumnType {
        match self {
            Self::Path
            | Self::Mesh
            | Self::Kind
            | Self::Format
            | Self::Version
            | Self::Content
            | Self::Topology
            | Self::DuplicateOf
            | Self::Name
            | Self::Material => ColumnType::Text,
            Self::Lod => ColumnType::Level,
            Self::Bytes | Self::GpuBytes => ColumnType::Bytes,
            Self::Rigged | Self::Readable | Self::Weights | Self::Drawn => ColumnType::Flag,
            Self::ClipNames | Self::Materials => ColumnType::List,
            _ => ColumnType::Number,
        }
    }

    /// Returns whether the column exists in a table of surfaces, or in one of meshes.
    pub fn is_in(self, surfaces: bool) -> bool {
        let both = [Self::Triangles, Self::Vertices, Self::AttributeVertices, Self::GpuVertices, Self::GpuBytes];
        let extent = [Self::SizeX, Self::SizeY, Self::SizeZ];
        if surfaces {
            let all = [&ONLY_SURFACES[..], &WHOLE_FILE, &both, &extent];
            all.iter().any(|columns| columns.contains(&self))
        } else {
            !ONLY_SURFACES.contains(&self)
        }
    }

    /// Returns all columns of a table in their order.
    pub fn all(surfaces: bool) -> impl Iterator<Item = Self> {
        Self::value_variants().iter().copied().filter(move |column| column.is_in(surfaces))
    }
}

/// Parses any text. Shells offer the names of the columns as its values.
#[derive(Clone, Copy)]
pub struct ColumnList;

impl TypedValueParser for ColumnList {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(TableColumn::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}
