//! The columns of the table that `ls` prints, and their values.

use clap::ValueEnum;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum TableColumn {
    /// Path of the file
    Path,
    /// Name of the mesh in its Unreal script
    Mesh,
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
    /// Whether the mesh has bones
    Rigged,
    /// Number of clips (animations)
    Clips,
    /// Names of the clips
    ClipNames,
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
    /// Level of detail of the surface (--surfaces)
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
const WHOLE_FILE: [TableColumn; 6] = [
    TableColumn::Path,
    TableColumn::Mesh,
    TableColumn::Format,
    TableColumn::Version,
    TableColumn::Readable,
    TableColumn::Bytes,
];

impl TableColumn {
    /// Returns the name of the column on the command line and in the output.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns the type of the values.
    pub const fn kind(self) -> ColumnType {
        match self {
            Self::Path
            | Self::Mesh
            | Self::Format
            | Self::Version
            | Self::Content
            | Self::Topology
            | Self::DuplicateOf
            | Self::Name
            | Self::Material
            | Self::Lod => ColumnType::Text,
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
